package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/assent-dev/assent/engine/forge/host"
)

// need is a right that the engine needs, with a request that shows whether a token has
// it. The server refuses the content of that request for everyone, but checks the token's
// scopes first. Gitea reveals a token's scopes only in such a refusal.
type need struct {
	scope, purpose string
	method, path   string
}

var needs = []need{
	{"read:user", "knowing whose token it is, so that nobody else's comments are taken for the engine's", http.MethodGet, ""},
	{"write:repository", "pushes, pull requests, reviews and the status", http.MethodPost, "/branches"},
	{"write:issue", "comments and labels", http.MethodPost, "/labels"},
}

// Lacks probes the scopes. Each writing request omits a required field, so it changes
// nothing.
func (api *protectionAPI) Lacks(ctx context.Context) ([]host.Lack, error) {
	var out []host.Lack
	writes := true
	for _, n := range needs {
		err := api.repeat(ctx, func() error {
			if n.path == "" {
				_, err := api.whoami(ctx)
				return err
			}
			return api.ask(ctx, "see what the token may do", api.raw(ctx, n.method, n.path, map[string]string{}, nil))
		})
		var d *host.Denied
		switch {
		case err == nil:
		case !errors.As(err, &d), d.Status == http.StatusUnauthorized, d.Status == http.StatusNotFound:
			return nil, err
		case d.Status == http.StatusForbidden && strings.Contains(d.Said, "scope"):
			out = append(out, host.Lack{Right: "the scope " + n.scope, For: n.purpose,
				Fix: "make a token with the scopes write:repository, write:issue and read:user under Settings, Applications"})
		case d.Status == http.StatusForbidden && writes:
			writes = false
			out = append(out, host.Lack{Right: fmt.Sprintf("the right to write to %s/%s", api.Owner, api.Repo), For: n.purpose,
				Fix: "add the token's account as a collaborator, under Settings, Collaborators"})
		}
	}
	return out, nil
}
