package gitea

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// maxSaid bounds the server's message, in runes.
const maxSaid = 300

// scopes finds the required scopes in a refusal of Gitea:
// required=[write:repository], token scope=read:repository.
var scopes = regexp.MustCompile(`required=\[([a-z:, ]{1,100})\]`)

// denied returns a refusal with advice.
func (s *server) denied(doing string, status int, header http.Header, err error) *host.Denied {
	d := &host.Denied{Doing: doing, Status: status, Said: sentence(status, err)}
	switch {
	case status < 400:
		d.Said = http.StatusText(status)
		if to := header.Get("Location"); to != "" {
			d.Said += ": " + rest.CutRunes(to, maxSaid)
		}
		d.Fix = "redirects are not followed: use the address that the repository has now"
	case status == http.StatusUnauthorized:
		d.Fix = "the token is not valid (any more): make a new one under Settings, Applications, with the scopes write:repository, write:issue and read:user"
	case status == http.StatusForbidden && strings.Contains(d.Said, "scope"):
		missing := "write:repository, write:issue and read:user"
		if m := scopes.FindStringSubmatch(d.Said); m != nil {
			missing = m[1]
		}
		d.Fix = "make a token that has the scope " + missing
	case status == http.StatusForbidden:
		d.Fix = fmt.Sprintf("the token's account needs the right to write to %s/%s: add it as a collaborator", s.Owner, s.Repo)
	case status == http.StatusNotFound:
		d.Fix = fmt.Sprintf("check that %s/%s on %s is the right repository, that the token's account may read it, and that the requested object was not deleted", s.Owner, s.Repo, s.URL)
	case status == http.StatusMethodNotAllowed && strings.Contains(d.Said, "not allowed to merge"):
		d.Fix = "add the token's account to those who may merge, in the branch's protection"
	case status == http.StatusUnprocessableEntity && strings.Contains(d.Said, "your own pull"):
		d.Fix = "another account has to review it"
	case status == http.StatusLocked:
		d.Fix = "the repository is archived"
	}
	return d
}

// sentence returns the server's message, or the status if the client library made one up.
func sentence(status int, err error) string {
	if err == nil || err.Error() == "" || strings.HasPrefix(err.Error(), "unknown API error") {
		return fmt.Sprintf("%d %s", status, http.StatusText(status))
	}
	return rest.CutRunes(err.Error(), maxSaid)
}

// refused reports whether this account lacks the right, or the server the call.
func refused(err error) bool {
	var d *host.Denied
	return errors.As(err, &d) && (d.Status == http.StatusForbidden || d.Status == http.StatusNotFound || d.Status == http.StatusMethodNotAllowed)
}
