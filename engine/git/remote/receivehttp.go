package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

const (
	// httpPatience bounds the time a server may take to connect and to advertise its refs. A
	// push may take longer, because its hooks run.
	httpPatience = time.Minute
	// maxRedirects is the limit of Git's own client.
	maxRedirects = 20
)

// httpReceiver uses Git's smart HTTP protocol.
type httpReceiver struct {
	there  advertisement
	client *http.Client
	base   *url.URL // without /info/refs
	login  *credential
}

// dialHTTP requests the refs, with credentials if the server needs them. It returns
// gitstore.ErrForGit if configuration, environment or server need features that only git has.
func dialHTTP(ctx context.Context, a address, base *url.URL) (receiver, error) {
	if err := a.ordinaryHTTP(ctx); err != nil {
		return nil, err
	}
	c := &httpReceiver{base: base, client: newHTTPClient()}
	if base.User != nil {
		c.login = loginFromURL(base)
		bare := *base
		bare.User = nil
		c.base = &bare
	}
	answer, err := c.discover(ctx)
	if err == nil && answer.StatusCode == http.StatusUnauthorized {
		answer, err = c.retryWithLogin(ctx, a.repo, answer)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	defer answer.Body.Close()
	if err := c.readAdvertisement(answer); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// retryWithLogin repeats the request with a login.
func (c *httpReceiver) retryWithLogin(ctx context.Context, repo *gitstore.Repo, refused *http.Response) (*http.Response, error) {
	challenges := refused.Header.Values("WWW-Authenticate")
	_ = refused.Body.Close()
	if !slices.ContainsFunc(challenges, func(s string) bool { return strings.HasPrefix(strings.ToLower(s), "basic") }) {
		return nil, fmt.Errorf("the server asks for another login than a password: %w", gitstore.ErrForGit)
	}
	login, err := fillCredential(ctx, repo, c.base, c.login, challenges)
	if err != nil {
		return nil, fmt.Errorf("%w: %s asks for a login: %w", ErrLogin, c.base.Host, err)
	}
	c.login = login
	answer, err := c.discover(ctx)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusUnauthorized {
		_ = answer.Body.Close()
		return nil, errors.Join(fmt.Errorf("%w: %s refuses the login of %q", ErrLogin, c.base.Host, login.username), login.report(ctx, repo, "reject"))
	}
	if answer.StatusCode == http.StatusOK {
		if err := login.report(ctx, repo, "approve"); err != nil {
			_ = answer.Body.Close()
			return nil, err
		}
	}
	return answer, nil
}

func newHTTPClient() *http.Client {
	return &http.Client{
		CheckRedirect: sameHost,
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: httpPatience}).DialContext,
			TLSHandshakeTimeout:   httpPatience,
			ExpectContinueTimeout: time.Second,
			ForceAttemptHTTP2:     true,
		},
	}
}

// sameHost follows redirects to another path of the same host, and to TLS. Credentials and
// pushed objects are never sent anywhere else.
func sameHost(to *http.Request, via []*http.Request) error {
	from := via[0].URL
	if len(via) > maxRedirects {
		return fmt.Errorf("redirected more than %d times", maxRedirects)
	}
	if to.Method != http.MethodGet {
		return fmt.Errorf("it redirects what was pushed to %s", to.URL.Redacted())
	}
	if to.URL.Hostname() != from.Hostname() || to.URL.Scheme != from.Scheme && to.URL.Scheme != "https" ||
		to.URL.Scheme == from.Scheme && to.URL.Port() != from.Port() {
		return fmt.Errorf("it redirects to %s; if that is where it is now: git remote set-url", to.URL.Redacted())
	}
	return nil
}

// discover requests the refs. The body of the returned response is open and has a deadline.
func (c *httpReceiver) discover(ctx context.Context) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, httpPatience)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.String()+"/info/refs?service=git-receive-pack", http.NoBody)
	if err != nil {
		cancel()
		return nil, err
	}
	answer, err := c.do(request)
	if err != nil {
		cancel()
		return nil, err
	}
	answer.Body = closing{answer.Body, cancel}
	return answer, nil
}

// closing is a response body that cancels its deadline when closed.
type closing struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (b closing) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

func (c *httpReceiver) do(request *http.Request) (*http.Response, error) {
	request.Header.Set("User-Agent", "git/assent-"+version.Engine)
	if c.login != nil && c.login.password != "" {
		request.SetBasicAuth(c.login.username, c.login.password)
	}
	return c.client.Do(request)
}

// readAdvertisement reads the server's advertisement, and its address after redirects.
func (c *httpReceiver) readAdvertisement(answer *http.Response) error {
	if answer.StatusCode != http.StatusOK {
		return newStatusError(c.base, answer)
	}
	if got := answer.Header.Get("Content-Type"); got != "application/x-git-receive-pack-advertisement" {
		return fmt.Errorf("%w: it answers with %.60q, as a web page or a server without smart HTTP would", errProtocol, got)
	}
	service := make([]byte, len("001f# service=git-receive-pack\n0000"))
	if _, err := io.ReadFull(answer.Body, service); err != nil || string(service) != "001f# service=git-receive-pack\n0000" {
		return fmt.Errorf("%w: it begins with %.60q", errProtocol, service)
	}
	at := *answer.Request.URL
	path, ok := strings.CutSuffix(at.Path, "/info/refs")
	if !ok {
		return fmt.Errorf("it redirects to %s, which is no repository", at.Redacted())
	}
	at.Path, at.RawPath, at.RawQuery, at.User = path, "", "", nil
	c.base = &at
	var err error
	c.there, err = readAdvertisement(answer.Body)
	return err
}

func (c *httpReceiver) advertised() advertisement { return c.there }
func (c *httpReceiver) takesPack() bool           { return true }
func (c *httpReceiver) close()                    { c.client.CloseIdleConnections() }

func (c *httpReceiver) send(ctx context.Context, moves []Move, pack []byte) (report, error) {
	body := c.there.request(moves, pack)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.String()+"/git-receive-pack", bytes.NewReader(body))
	if err != nil {
		return report{}, err
	}
	request.Header.Set("Content-Type", "application/x-git-receive-pack-request")
	request.Header.Set("Accept", "application/x-git-receive-pack-result")
	answer, err := c.do(request)
	if err != nil {
		return report{}, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return report{}, newStatusError(c.base, answer)
	}
	if got := answer.Header.Get("Content-Type"); got != "application/x-git-receive-pack-result" {
		return report{}, fmt.Errorf("%w: it answers with %.60q", errProtocol, got)
	}
	return readReport(answer.Body, c.there.capabilities["side-band-64k"])
}

// ordinaryHTTP returns gitstore.ErrForGit if the user configured HTTP features of git that our
// client does not have, such as certificates or headers.
func (a address) ordinaryHTTP(ctx context.Context) error {
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		for _, prefix := range []string{"GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_", "GIT_CURL_", "GIT_TRACE"} {
			if strings.HasPrefix(name, prefix) && (prefix != "GIT_SSL_" || strings.HasPrefix(a.url, "https:")) {
				return fmt.Errorf("%s is set: %w", name, gitstore.ErrForGit)
			}
		}
	}
	out, err := a.repo.Git(ctx, "", "config", "--get-urlmatch", "http", a.url)
	if err != nil {
		return nil //nolint:nilerr // git's exit status if nothing is configured
	}
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		key = strings.ToLower(key)
		switch {
		case slices.Contains([]string{"http.postbuffer", "http.maxrequests", "http.minsessions", "http.lowspeedlimit", "http.lowspeedtime"}, key):
		case strings.HasPrefix(key, "http.ssl") && (strings.HasPrefix(a.url, "http:") || key == "http.sslverify" && gitstore.Truth(value)):
		case key == "http.followredirects" && value == "initial":
		default:
			return fmt.Errorf("%s is configured: %w", key, gitstore.ErrForGit)
		}
	}
	return nil
}
