package connect

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// The values of Git's setting assent.forge.
const (
	Local  = "local"
	GitHub = "github"
	Gitea  = "gitea" // and Forgejo
)

// The values of Git's setting assent.merge: who makes the merges. The first is the default.
const (
	ByPush    = "push"
	ByService = "service" // at once
	ByQueue   = "queue"   // when the service's conditions are met
)

// Service is the host of a repository.
type Service struct {
	// Kind is Local, GitHub or Gitea. The other fields are empty for Local.
	Kind string
	// Guessed says that only the remote's address names the service; it then needs a login
	// to count.
	Guessed bool
	// Remote is the name of the Git remote.
	Remote string
	// API is the address of the server, such as https://git.example.org; Git that which
	// pushes go to, by http or https, empty for other ways.
	API, Git string
	// Merge is ByService or ByQueue if the service makes the merges, empty if they are
	// pushed.
	Merge string
	// Owner and Repo name the repository there.
	Owner, Repo string
}

// Hosted reports whether a service shows the pull requests.
func (s Service) Hosted() bool { return s.Kind != Local }

// ServiceOf reads Git's settings assent.forge (local, github or gitea), assent.remote
// (origin) and assent.api, and the remote's address. Without assent.forge, a remote on
// github.com is GitHub's if the user is logged in there, and every other one is an ordinary
// Git remote. assent.merge says who makes the merges on a service.
func ServiceOf(repo *gitstore.Repo) (Service, error) {
	s, err := serviceOf(repo)
	merge := cmp.Or(repo.Config("assent.merge"), ByPush)
	switch {
	case err != nil || merge == ByPush:
		return s, err
	case merge != ByService && merge != ByQueue:
		return s, fmt.Errorf("git config assent.merge is %q: use %s, %s or %s", merge, ByPush, ByService, ByQueue)
	case s.Kind == Local:
		return s, fmt.Errorf("git config assent.merge is %s, and no service shows pull requests here: git config assent.forge, or git config --unset assent.merge", merge)
	}
	s.Merge = merge
	return s, nil
}

func serviceOf(repo *gitstore.Repo) (Service, error) {
	s := Service{Kind: repo.Config("assent.forge"), Remote: cmp.Or(repo.Config("assent.remote"), "origin")}
	address := repo.Config("remote." + s.Remote + ".url")
	if s.Kind == Local || s.Kind == "" && !strings.Contains(address, "github.com") {
		return Service{Kind: Local}, nil
	}
	if s.Kind != "" && !slices.Contains([]string{GitHub, Gitea}, s.Kind) {
		return s, fmt.Errorf("git config assent.forge is %q: use %s, %s or %s", s.Kind, Local, GitHub, Gitea)
	}
	if address == "" {
		return s, fmt.Errorf("git config assent.forge is %s, and there is no remote %s: git remote add %s ADDRESS", s.Kind, s.Remote, names.ShellWord(s.Remote))
	}
	server, repository, err := split(address)
	if s.Kind == "" {
		if err != nil || server.Hostname() != "github.com" {
			return Service{Kind: Local}, nil
		}
		s.Kind, s.Guessed = GitHub, true
	}
	if err != nil {
		return s, fmt.Errorf("the address of remote %s: %w", s.Remote, err)
	}
	folder, name := path.Split(repository)
	s.Owner, s.Repo = path.Base(folder), name
	server.Path = path.Dir(path.Clean(folder))
	if server.Path == "." || server.Path == "/" {
		server.Path = ""
	}
	s.API = cmp.Or(repo.Config("assent.api"), server.String())
	if strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") {
		s.Git = server.Scheme + "://" + server.Host
	}
	return s, nil
}

// split splits an address into the server, as https unless it says http, and the path of
// the repository. It reads URLs and the short form of ssh.
func split(address string) (*url.URL, string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" || u.Host == "" {
		host, p, ok := strings.Cut(address, ":")
		if !ok || strings.ContainsAny(host, "/\\") {
			return nil, "", fmt.Errorf("it is on no server: a service is reached by https or ssh")
		}
		_, after, at := strings.Cut(host, "@")
		if at {
			host = after
		}
		u = &url.URL{Scheme: "ssh", Host: host, Path: "/" + p}
	}
	repository := strings.TrimSuffix(strings.Trim(path.Clean("/"+u.Path), "/"), ".git")
	if strings.Count(repository, "/") < 1 {
		return nil, "", fmt.Errorf("it does not end in OWNER/NAME")
	}
	if u.Hostname() == "ssh.github.com" { // GitHub's ssh for networks with only port 443 open
		u.Host = "github.com"
	}
	server := &url.URL{Scheme: "https", Host: u.Host}
	switch u.Scheme {
	case "http":
		server.Scheme = "http"
	case "ssh", "git+ssh":
		server.Host = u.Hostname() // the port is that of ssh
	case "https":
	default:
		return nil, "", fmt.Errorf("%s is no way to a service: use https or ssh", u.Scheme)
	}
	return server, repository, nil
}
