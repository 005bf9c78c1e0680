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
)

// Options name a repository and the account that asks.
type Options struct {
	// Server is https://github.com, which is the default, or that of an Enterprise
	// Server. Only a loopback address may go without TLS.
	Server      string
	Owner, Repo string
	// Token is a personal, OAuth or installation token. It is not needed with App.
	Token string
	App   *App

	// Transport sends requests; nil is http.DefaultTransport.
	Transport http.RoundTripper
	// Now and Sleep are the clock by which limits are waited for; nil is the real one.
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error
}

// Host is one repository on GitHub, as one account sees it. It may be used by several
// goroutines.
type Host struct {
	owner, repo string
	api         *github.Client
	who         credential
	app         *appClient // nil with a token
	sleep       func(ctx context.Context, d time.Duration) error

	mu    sync.Mutex
	login string
}

var _ host.Host = (*Host)(nil)

// New prepares a client. It asks nothing yet: a wrong token shows with the first call.
func New(o Options) (*Host, error) {
	if !nameOfOwner(o.Owner) || !nameOfRepo(o.Repo) {
		return nil, fmt.Errorf("%q is no repository of GitHub: want owner/name", o.Owner+"/"+o.Repo)
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
		o.Sleep = sleep
	}
	h := &Host{owner: o.Owner, repo: o.Repo, sleep: o.Sleep}
	var who credential = token(o.Token)
	if o.App != nil {
		app, err := newAppClient(o)
		if err != nil {
			return nil, err
		}
		h.app, who = app, app.installation(o)
	}
	var err error
	h.who = who
	h.api, err = client(o, who)
	return h, err
}

// client is a go-github client that authenticates as who and leaves limits, repeating
// and conditional requests to the transports below it.
func client(o Options, who credential) (*github.Client, error) {
	var t http.RoundTripper = &bounded{next: o.Transport}
	t = &authorised{next: t, who: who}
	t = newCached(t)
	t = &patient{next: t, now: o.Now, sleep: o.Sleep}
	c := github.NewClient(&http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
	c.UserAgent = "assent/" + version.Engine
	base, err := apiBase(o.Server)
	if err != nil || base == "" {
		return c, err
	}
	return c.WithEnterpriseURLs(base, base)
}

// apiBase is the address of the API that belongs to a server's, "" for github.com.
func apiBase(server string) (string, error) {
	if server == "" {
		return "", nil
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the address of the GitHub server is not of the form https://HOST")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return "", fmt.Errorf("the GitHub server %s is asked over https only, so that nobody reads the token", u.Host)
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

// Name says how roles.yaml calls the service in `logins`.
func (h *Host) Name() string { return "github" }
