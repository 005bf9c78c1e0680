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
	"github.com/assent-dev/assent/engine/forge/rest"
)

// Options name the repository, its server and the token.
type Options struct {
	// URL of the server, such as https://git.example.org; the server's own path and /api/v1
	// may follow.
	URL         string
	Owner, Repo string
	Token       string
	// Transport sends requests; nil is http.DefaultTransport.
	Transport http.RoundTripper
	UserAgent string
	// Sleep waits between attempts or returns the context's error; nil is rest.Sleep.
	Sleep func(context.Context, time.Duration) error
}

// Host is one repository on a Gitea or Forgejo server. It may be used by several goroutines.
type Host struct {
	*server
	pullAPI
	mergeAPI
	reviewAPI
	commentAPI
	labelAPI
	*pushAPI
	checkAPI
	protectionAPI
}

var _ host.Host = (*Host)(nil)

// assemble makes a Host of the parts of its API.
func assemble(s *server, f *feed) *Host {
	pulls := pullAPI{s}
	comments := commentAPI{s, pulls}
	return &Host{
		server: s, pullAPI: pulls, mergeAPI: mergeAPI{s, pulls, comments}, reviewAPI: reviewAPI{s, pulls}, commentAPI: comments,
		labelAPI: labelAPI{s}, pushAPI: &pushAPI{s, f}, checkAPI: checkAPI{s}, protectionAPI: protectionAPI{s},
	}
}

// Impatient implements host.Host.
func (h *Host) Impatient() host.Host {
	s := *h.server
	s.client = rest.Client(rest.Bounded{Next: s.Transport, Time: host.Patience})
	s.impatient = true
	return assemble(&s, h.feed)
}

// server sends requests for one repository, as the account of one token.
type server struct {
	Options
	client *http.Client
	// impatient lets a temporary failure end a call.
	impatient bool
	known     *account
	maxList   int64 // bytes of a list
}

// account is the account of the token, once it is known.
type account struct {
	mu   sync.Mutex
	user *sdk.User
}

// New checks the options and sends no request.
func New(o Options) (*Host, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q is not the address of a Gitea server: write it as https://git.example.org, without a name or password", redacted(u, o.URL))
	}
	if o.Owner == "" || o.Repo == "" {
		return nil, fmt.Errorf("a repository on %s is OWNER/NAME, not %q", u.Host, o.Owner+"/"+o.Repo)
	}
	o.URL = strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(o.URL, "/"), "/api/v1"), "/")
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Sleep == nil {
		o.Sleep = rest.Sleep
	}
	return assemble(&server{Options: o, client: rest.Client(rest.Bounded{Next: o.Transport}), known: new(account), maxList: rest.MaxList}, new(feed)), nil
}

func redacted(u *url.URL, raw string) string {
	if u == nil || u.User == nil {
		return raw
	}
	return u.Redacted()
}

// api returns the client library for the calls of one context. It does not ask for the
// server's version: an old server refuses the calls that it lacks.
func (s *server) api(ctx context.Context) (*sdk.Client, error) {
	return sdk.NewClient(s.URL, sdk.SetGiteaVersion(""), sdk.SetContext(ctx), sdk.SetHTTPClient(s.client), sdk.SetToken(s.Token), sdk.SetUserAgent(s.UserAgent))
}

// Name returns gitea, also for Forgejo.
func (s *server) Name() string { return "gitea" }

// Login returns the account of the token.
func (s *server) Login(ctx context.Context) (string, error) {
	var login string
	return login, s.repeat(ctx, func() error {
		me, err := s.whoami(ctx)
		if err == nil {
			login = me.UserName
		}
		return err
	})
}

// whoami asks for the account of the token.
func (s *server) whoami(ctx context.Context) (*sdk.User, error) {
	var me *sdk.User
	err := s.ask(ctx, "ask for the token's account", func(c *sdk.Client) (resp *sdk.Response, err error) {
		me, resp, err = c.GetMyUserInfo()
		return resp, err
	})
	if err != nil {
		return nil, err
	}
	if me.ID <= 0 || me.UserName == "" {
		return nil, fmt.Errorf("%s does not name the token's account", s.URL)
	}
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	s.known.user = me
	return me, nil
}

// self returns the account of the token. It never changes, so it is requested once.
func (s *server) self(ctx context.Context) (*sdk.User, error) {
	s.known.mu.Lock()
	me := s.known.user
	s.known.mu.Unlock()
	if me != nil {
		return me, nil
	}
	return s.whoami(ctx)
}
