package gitea

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/forge/host"
)

// Options says which repository, on which server, as whom.
type Options struct {
	// URL of the server, such as https://git.example.org; a path below it, where the
	// server has one, and /api/v1 may follow.
	URL         string
	Owner, Repo string
	Token       string
	// Transport carries requests; nil is http.DefaultTransport.
	Transport http.RoundTripper
	UserAgent string
	// Sleep waits between attempts or returns the context's error; nil really waits.
	Sleep func(context.Context, time.Duration) error
}

// Host is one repository on a Gitea or Forgejo server. It can be used from several
// goroutines.
type Host struct {
	Options
	client *http.Client

	mu sync.Mutex
	me *sdk.User // whose token it is, once that was asked
	feed
}

var _ host.Host = (*Host)(nil)

// requestTime bounds one request with its answer.
const requestTime = time.Minute

// New checks the options and asks nobody.
func New(o Options) (*Host, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("the address of a Gitea server is like https://git.example.org, with no name or password in it, not %q", redacted(u, o.URL))
	}
	if o.Owner == "" || o.Repo == "" {
		return nil, fmt.Errorf("a repository on %s is OWNER/NAME, not %q", u.Host, o.Owner+"/"+o.Repo)
	}
	o.URL = strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(o.URL, "/"), "/api/v1"), "/")
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	return &Host{Options: o, client: &http.Client{
		Transport: bounded{o.Transport},
		Timeout:   requestTime,
		// A redirect may lead the token elsewhere, and makes a GET of other requests.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func redacted(u *url.URL, raw string) string {
	if u == nil || u.User == nil {
		return raw
	}
	return u.Redacted()
}

// sleep waits for d, or until the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// api is the client library for the calls of one context. The server's version is not
// asked for: what it lacks, it refuses.
func (h *Host) api(ctx context.Context) (*sdk.Client, error) {
	return sdk.NewClient(h.URL, sdk.SetGiteaVersion(""), sdk.SetContext(ctx), sdk.SetHTTPClient(h.client), sdk.SetToken(h.Token), sdk.SetUserAgent(h.UserAgent))
}

// Name is gitea, for Forgejo too.
func (h *Host) Name() string { return "gitea" }

// Login is the account that the token belongs to.
func (h *Host) Login(ctx context.Context) (string, error) {
	var login string
	return login, h.repeat(ctx, func() error {
		me, err := h.whoami(ctx)
		if err == nil {
			login = me.UserName
		}
		return err
	})
}

// whoami asks whose token it is.
func (h *Host) whoami(ctx context.Context) (*sdk.User, error) {
	var me *sdk.User
	err := h.ask(ctx, "ask whose token it is", func(c *sdk.Client) (resp *sdk.Response, err error) {
		me, resp, err = c.GetMyUserInfo()
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	if me.ID <= 0 || me.UserName == "" {
		return nil, fmt.Errorf("%s says nothing about the token's account", h.URL)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.me = me
	return me, nil
}

// self is whose token it is, as it was answered before: a token does not change hands.
func (h *Host) self(ctx context.Context) (*sdk.User, error) {
	h.mu.Lock()
	me := h.me
	h.mu.Unlock()
	if me != nil {
		return me, nil
	}
	return h.whoami(ctx)
}
