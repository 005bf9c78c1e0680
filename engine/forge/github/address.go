package github

import (
	"net/url"
	"regexp"
	"strings"
)

var (
	ownerName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9_])?$`)
	repoName  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
	scpLike   = regexp.MustCompile(`^(?:[A-Za-z0-9._-]+@)?([A-Za-z0-9.-]+):([^/\\:][^:]*)$`)
)

func nameOfOwner(s string) bool { return ownerName.MatchString(s) }
func nameOfRepo(s string) bool  { return repoName.MatchString(s) && strings.Trim(s, ".") != "" }

// Address reads the address of a Git remote (https, ssh, git@host:owner/name) and
// tells the server as Options wants it, owner and name. Whether a GitHub answers
// there is for the caller to know: only the host github.com says it by itself.
func Address(remote string) (server, owner, repo string, ok bool) {
	var name, path string
	scheme := "https"
	if m := scpLike.FindStringSubmatch(remote); m != nil {
		name, path = m[1], m[2]
	} else {
		u, err := url.Parse(remote)
		if err != nil || u.Host == "" {
			return "", "", "", false
		}
		name, path = u.Hostname(), u.Path
		switch u.Scheme {
		case "https":
			name = u.Host
		case "http":
			name, scheme = u.Host, "http"
		case "ssh":
		default:
			return "", "", "", false
		}
	}
	owner, repo, ok = strings.Cut(strings.Trim(path, "/"), "/")
	repo = strings.TrimSuffix(repo, ".git")
	if !ok || !nameOfOwner(owner) || !nameOfRepo(repo) {
		return "", "", "", false
	}
	if name = strings.ToLower(name); name == "ssh.github.com" {
		name = "github.com" // ssh over the port of https
	}
	return scheme + "://" + name, owner, repo, true
}
