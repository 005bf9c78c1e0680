package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/forge/host"
)

// protectionAPI reads protection and rights.
type protectionAPI struct{ *server }

// Protection returns the combined effect of branch protection and rulesets on a branch.
// Only an account that may change both sees all of them; others get ErrUnknown, because
// they might see less than there is.
func (api *protectionAPI) Protection(ctx context.Context, branch string) (host.Protection, error) {
	doing := "read the protection of " + branch
	repo, _, err := api.usual.Repositories.Get(ctx, api.owner, api.repo)
	if err != nil {
		return host.Protection{}, explain(doing, err)
	}
	classic, err := api.classic(ctx, branch)
	if err != nil {
		return host.Protection{}, unknownOr(doing, err)
	}
	rules, sets, err := api.rules(ctx, branch)
	if err != nil {
		return host.Protection{}, unknownOr(doing, err)
	}
	p := host.Protection{
		Protected: classic != nil || len(rules) > 0,
		PushAll:   true, ForcePush: true, ManualMerge: true,
		Delete: repo.GetDefaultBranch() != branch, // GitHub never allows it
	}
	methods := merges(repo)
	held := classic != nil && addClassic(&p, classic, methods)
	for _, r := range rules {
		if err := api.addRule(ctx, &p, r, sets[r.RulesetID], methods); err != nil {
			return host.Protection{}, explain(doing, err)
		}
		held = held || r.holds()
	}
	if !held {
		p.PushAll, p.Push = true, nil
	}
	p.Squash = methods["squash"] || methods["rebase"]
	slices.Sort(p.Checks)
	p.Checks = slices.Compact(p.Checks)
	return p, nil
}

// unknownOr returns ErrUnknown if the token may not read this.
func unknownOr(doing string, err error) error {
	switch statusOf(err) {
	case http.StatusForbidden, http.StatusNotFound:
		return host.ErrUnknown
	}
	if errors.Is(err, host.ErrUnknown) {
		return host.ErrUnknown
	}
	return explain(doing, err)
}

// merges returns the methods that the merge button offers. A method that GitHub does not
// report counts as offered.
func merges(r *github.Repository) map[string]bool {
	on := func(b *bool) bool { return b == nil || *b }
	return map[string]bool{"merge": on(r.AllowMergeCommit), "squash": on(r.AllowSquashMerge), "rebase": on(r.AllowRebaseMerge)}
}

// classic returns the classic branch protection, nil if there is none.
func (api *protectionAPI) classic(ctx context.Context, branch string) (*github.Protection, error) {
	p, _, err := api.usual.Repositories.GetBranchProtection(ctx, api.owner, api.repo, branch)
	if errors.Is(err, github.ErrBranchNotProtected) {
		return nil, nil
	}
	return p, err
}

// addClassic tightens p, and reports whether every push of other accounts is prevented. A
// required check alone does not: a commit that has it may be pushed.
func addClassic(p *host.Protection, c *github.Protection, methods map[string]bool) bool {
	p.ForcePush = c.AllowForcePushes != nil && c.AllowForcePushes.Enabled
	p.Delete = p.Delete && c.AllowDeletions != nil && c.AllowDeletions.Enabled
	if c.RequireLinearHistory != nil && c.RequireLinearHistory.Enabled {
		methods["merge"] = false
	}
	held := false
	var may []string
	if checks := c.RequiredStatusChecks; checks != nil {
		held = true
		addContexts(p, checks)
	}
	if reviews := c.RequiredPullRequestReviews; reviews != nil {
		held = true
		p.Approvals = max(p.Approvals, reviews.RequiredApprovingReviewCount)
		if by := reviews.BypassPullRequestAllowances; by != nil {
			may = append(may, actors(by.Users, by.Teams, by.Apps)...)
		}
	}
	if r := c.Restrictions; r != nil {
		allowed := actors(r.Users, r.Teams, r.Apps)
		if held {
			allowed = both(may, allowed)
		}
		held, may = true, allowed
	}
	if c.GetLockBranch().GetEnabled() {
		held, may = true, nil
	}
	if held && (c.EnforceAdmins == nil || !c.EnforceAdmins.Enabled) {
		may = append(may, role(roleAdmin))
	}
	if held {
		p.PushAll, p.Push = false, may
	}
	return c.RequiredPullRequestReviews != nil || c.Restrictions != nil || c.GetLockBranch().GetEnabled()
}

// addContexts adds required checks. GitHub lists them twice: with their source, and in
// the old form without.
func addContexts(p *host.Protection, r *github.RequiredStatusChecks) {
	if r.Checks != nil {
		for _, one := range *r.Checks {
			addCheck(p, one.Context, one.AppID)
		}
	}
	if r.Contexts == nil {
		return
	}
	for _, name := range *r.Contexts {
		if !slices.Contains(p.Checks, name) {
			addCheck(p, name, nil)
		}
	}
}

// addCheck adds a required check. Without a source, every writer of statuses can satisfy
// it.
func addCheck(p *host.Protection, name string, source *int64) {
	p.Checks = append(p.Checks, name)
	switch {
	case name != host.CheckName:
	case source != nil && *source > 0:
		p.CheckFrom, p.AnySource = fmt.Sprintf("App %d", *source), false
	case p.CheckFrom == "":
		p.AnySource = true
	}
}

// actors returns the displayed names of accounts, teams and Apps.
func actors(users []*github.User, teams []*github.Team, apps []*github.App) []string {
	var out []string
	for _, u := range users {
		out = append(out, u.GetLogin())
	}
	for _, t := range teams {
		out = append(out, "team "+t.GetSlug())
	}
	for _, a := range apps {
		out = append(out, a.GetSlug()+"[bot]")
	}
	return out
}

func both(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

// roleAdmin is the number of the administrators' role in a repository.
const roleAdmin = 5

func role(id int64) string {
	switch id {
	case 2:
		return "role maintain"
	case 4:
		return "role write"
	case roleAdmin:
		return "role admin"
	}
	return fmt.Sprintf("role %d", id)
}
