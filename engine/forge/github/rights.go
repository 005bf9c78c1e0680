package github

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/forge/host"
)

// right is a permission that the engine needs for writing, with a request that shows
// whether a token has it. GitHub refuses the content of that request for everyone, but
// checks the permission first. Fine-grained tokens and those of workflows reveal their
// permissions in no other way.
//
// Permissions: https://docs.github.com/rest/authentication/permissions-required-for-fine-grained-personal-access-tokens
type right struct {
	name, purpose string
	path          string
	order         map[string]string
}

const nothing = "0000000000000000000000000000000000000000" // no commit has this name

// rights are those listed in docs/github.md. The check is a status, or a check run for an
// App.
var rights = []right{
	{"contents", "merges, records and branches, and who pushed", "git/refs", map[string]string{"ref": "refs/heads/.", "sha": nothing}},
	{"pull requests", "pull requests, reviews, labels and comments", "pulls", map[string]string{"title": ".", "head": ".", "base": "."}},
	{"commit statuses", "the status that protection asks for", "statuses/" + nothing, map[string]string{"state": "error"}},
	{"checks", "the check that protection asks for", "", nil},
}

// Lacks returns the permissions that an App's installation lacks, the scope that a
// classic token lacks, or those that a fine-grained token is refused.
func (api *protectionAPI) Lacks(ctx context.Context) ([]host.Lack, error) {
	const doing = "see what the login may do"
	if api.app != nil {
		lacks, err := api.lacksOfApp(ctx)
		return lacks, explain(doing, err)
	}
	repo, resp, err := api.usual.Repositories.Get(ctx, api.owner, api.repo)
	if err != nil {
		return nil, explain(doing, err)
	}
	if may := repo.GetPermissions(); len(may) > 0 && !may["push"] {
		return []host.Lack{{Right: "the right to write to " + api.owner + "/" + api.repo, For: "all that the engine does",
			Fix: "let an administrator of the repository add the account with the role write"}}, nil
	}
	if scopes, classic := resp.Header[http.CanonicalHeaderKey("X-OAuth-Scopes")]; classic {
		return lacksOfScopes(list(strings.Join(scopes, ",")), repo.GetPrivate()), nil
	}
	lacks, err := api.lacksOfToken(ctx)
	return lacks, explain(doing, err)
}

// lacksOfScopes reads the scopes that GitHub reports for a classic token with each
// answer.
func lacksOfScopes(has []string, private bool) []host.Lack {
	want := "repo"
	if slices.Contains(has, want) {
		return nil
	}
	if !private {
		if want = "public_repo"; slices.Contains(has, want) {
			return nil
		}
	}
	return []host.Lack{{Right: "the scope " + want, For: "all that the engine does; the token has " + orNone(has),
		Fix: "make one with the scope " + want + " under Settings, Developer settings, Tokens (classic)"}}
}

// lacksOfToken probes the permissions of a fine-grained token or that of a workflow.
func (api *protectionAPI) lacksOfToken(ctx context.Context) ([]host.Lack, error) {
	var out []host.Lack
	for _, r := range rights {
		if r.path == "" {
			continue
		}
		err := api.do(ctx, api.once, http.MethodPost, api.path("%s", r.path), r.order, nil)
		switch statusOf(err) {
		case http.StatusForbidden, http.StatusNotFound:
			out = append(out, host.Lack{Right: "the permission " + r.name + ": write", For: r.purpose,
				Fix: "edit the token under Settings, Developer settings, Fine-grained tokens; of a workflow, its permissions"})
		case http.StatusUnprocessableEntity, http.StatusConflict, http.StatusBadRequest:
		default:
			if err == nil {
				err = fmt.Errorf("GitHub accepted a request that it should refuse: %s", r.path)
			}
			return nil, err
		}
	}
	return out, nil
}

// lacksOfApp reads the permissions that GitHub reports with an installation's token.
func (api *protectionAPI) lacksOfApp(ctx context.Context) ([]host.Lack, error) {
	if _, err := api.who.present(ctx, api.impatient); err != nil {
		return nil, err
	}
	i, ok := api.who.(*installation)
	if !ok {
		return nil, host.ErrUnknown
	}
	granted := i.permissions()
	if granted == nil {
		return nil, host.ErrUnknown
	}
	var out []host.Lack
	for _, r := range rights {
		level := granted[strings.ReplaceAll(r.name, " ", "_")]
		if r.name != "commit statuses" && level != "write" && level != "admin" {
			out = append(out, host.Lack{Right: "the permission " + r.name + ": write", For: r.purpose,
				Fix: "give it to the App under Permissions & events in its settings, and accept the change where it is installed"})
		}
	}
	return out, nil
}
