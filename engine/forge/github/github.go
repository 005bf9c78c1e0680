package github

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// Options name a repository and an account.
type Options struct {
	// Server is https://github.com (the default) or an Enterprise Server. Only a loopback
	// address may be used without TLS.
	Server      string
	Owner, Repo string
	// Token is a personal, OAuth or installation token. It is not needed with App.
	Token string
	App   *App

	// Transport sends requests; nil is http.DefaultTransport.
	Transport http.RoundTripper
	// Now and Sleep are the clock for waiting on limits; nil is the real one.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
}

// Host is one repository on GitHub, as one account sees it. It may be used by several
// goroutines.
type Host struct {
	*server
	pullAPI
	mergeAPI
	reviewAPI
	commentAPI
	labelAPI
	pushAPI
	checkAPI
	protectionAPI
}

var _ host.Host = (*Host)(nil)

// assemble makes a Host of the parts of its API.
func assemble(s *server) *Host {
	pulls, comments := pullAPI{s}, commentAPI{s}
	return &Host{
		server: s, pullAPI: pulls, mergeAPI: mergeAPI{s, pulls, comments}, reviewAPI: reviewAPI{s}, commentAPI: comments,
		labelAPI: labelAPI{s}, pushAPI: pushAPI{s}, checkAPI: checkAPI{s}, protectionAPI: protectionAPI{s},
	}
}

// Impatient implements host.Host.
func (h *Host) Impatient() host.Host {
	s := *h.server
	s.clients, s.impatient = s.hasty, true
	return assemble(&s)
}

// server sends requests for one repository, as one account.
type server struct {
	owner, repo string
	clients
	hasty     clients // those of an impatient Host
	impatient bool
	who       credential
	app       *appClient // nil with a token
	sleep     func(ctx context.Context, d time.Duration) error
	known     *identity
	maxList   int64 // bytes of a list
}

// clients differ in the requests that they retry after a lost answer.
type clients struct {
	usual      *github.Client // all except POST
	repeatable *github.Client // all
	once       *github.Client // none
}

// identity is the login of the credential, once it is known.
type identity struct {
	mu    sync.Mutex
	login string
}

// New prepares clients and sends no request: the first call reports a wrong token.
func New(o Options) (*Host, error) {
	if !nameOfOwner(o.Owner) || !nameOfRepo(o.Repo) {
		return nil, fmt.Errorf("%q is not a GitHub repository: want owner/name", o.Owner+"/"+o.Repo)
	}
	if (o.Token == "") == (o.App == nil) {
		return nil, errors.New("GitHub needs either a token or an App's id and key")
	}
	if strings.ContainsAny(o.Token, " \t\r\n") {
		return nil, errors.New("the token for GitHub holds a space or a line break")
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = rest.Sleep
	}
	s := &server{owner: o.Owner, repo: o.Repo, sleep: o.Sleep, known: new(identity), maxList: rest.MaxList}
	var who credential = token(o.Token)
	if o.App != nil {
		app, err := newAppClient(o)
		if err != nil {
			return nil, err
		}
		s.app, who = app, app.installation(o)
	}
	var err error
	s.who = who
	s.clients, s.hasty, err = newClients(o, who)
	return assemble(s), err
}

// newClients returns go-github clients that authenticate as who. Their transports handle
// limits, retries and conditional requests, and share the state of these.
func newClients(o Options, who credential) (usual, hasty clients, err error) {
	base, err := apiBase(o.Server)
	if err != nil {
		return usual, hasty, err
	}
	answers, hold := newAnswers(), new(hold)
	make := func(r repeats, impatient bool) *github.Client {
		bounded := rest.Bounded{Next: o.Transport, NotEmpty: true}
		if impatient {
			bounded.Time = host.Patience
		}
		var t http.RoundTripper = &authorised{next: bounded, who: who, impatient: impatient}
		t = &cached{next: t, answers: answers}
		t = &patient{next: t, now: o.Now, sleep: o.Sleep, hold: hold, repeats: r, impatient: impatient}
		c := github.NewClient(rest.Client(t))
		c.UserAgent = "assent/" + version.Engine
		if base == "" || err != nil {
			return c
		}
		enterprise, failed := c.WithEnterpriseURLs(base, base)
		err = failed
		return enterprise
	}
	return clients{make(byMethod, false), make(always, false), make(never, false)},
		clients{make(byMethod, true), make(always, true), make(never, true)}, err
}

// apiBase returns the address of the API of a server, "" for github.com.
func apiBase(server string) (string, error) {
	if server == "" {
		return "", nil
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the address of the GitHub server must have the form https://HOST")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return "", fmt.Errorf("the GitHub server %s must be used over https, which protects the token", u.Host)
	}
	switch {
	case strings.EqualFold(u.Host, "github.com") || strings.EqualFold(u.Host, "api.github.com"):
		return "", nil
	case strings.HasSuffix(strings.ToLower(u.Host), ".ghe.com") && !strings.HasPrefix(u.Host, "api."):
		u.Host = "api." + u.Host // GitHub Enterprise Cloud with data residency
	}
	return u.String(), nil
}

func loopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// Name returns the key of this service in `logins` of roles.yaml.
func (s *server) Name() string { return "github" }
