package github

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/forge/host"
)

// rule is one that applies to a branch, with its ruleset. go-github rejects rule types
// that it does not know.
//
// Source: https://docs.github.com/rest/repos/rules
type rule struct {
	Type       string
	RulesetID  int64 `json:"ruleset_id"`
	Parameters json.RawMessage
}

// ruleset lists the actors that may bypass it. The list is absent for accounts that may
// not change the ruleset.
type ruleset struct {
	BypassActors *[]bypass `json:"bypass_actors"`
	CurrentUser  string    `json:"current_user_can_bypass"`
}

type bypass struct {
	ID   int64  `json:"actor_id"`
	Type string `json:"actor_type"`
	Mode string `json:"bypass_mode"`
}

// rules returns those that apply to a branch, with their rulesets.
func (api *protectionAPI) rules(ctx context.Context, branch string) ([]rule, map[int64]*ruleset, error) {
	found, err := everything(api.server, func(page github.ListOptions) ([]rule, *github.Response, error) {
		req, err := api.usual.NewRequest(http.MethodGet, api.path("rules/branches/%s?per_page=%d&page=%d", escape(branch), page.PerPage, page.Page), nil)
		if err != nil {
			return nil, nil, err
		}
		var rules []rule
		resp, err := api.usual.Do(ctx, req, &rules)
		return rules, resp, err
	})
	if statusOf(err) == http.StatusNotFound {
		return nil, nil, nil // an Enterprise Server without rulesets
	}
	if err != nil {
		return nil, nil, err
	}
	sets := map[int64]*ruleset{}
	for _, r := range found {
		if sets[r.RulesetID] != nil {
			continue
		}
		s := &ruleset{}
		if err := api.do(ctx, api.usual, http.MethodGet, api.path("rulesets/%d", r.RulesetID), nil, s); err != nil {
			return nil, nil, err
		}
		if s.BypassActors == nil {
			return nil, nil, host.ErrUnknown
		}
		sets[r.RulesetID] = s
	}
	return found, sets, nil
}

// holds reports whether a rule prevents every push by actors without a bypass. All other
// rules, also unknown ones, refuse commits of a certain form, and anyone may push a
// commit of another form.
//
// Source: https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets
func (r rule) holds() bool {
	return slices.Contains([]string{"update", "pull_request", "merge_queue"}, r.Type)
}

// addRule tightens p by one rule.
func (api *protectionAPI) addRule(ctx context.Context, p *host.Protection, r rule, s *ruleset, methods map[string]bool) error {
	var details struct {
		Checks []struct {
			Context string
			Source  *int64 `json:"integration_id"`
		} `json:"required_status_checks"`
		Count  int      `json:"required_approving_review_count"`
		Merges []string `json:"allowed_merge_methods"`
	}
	if len(r.Parameters) > 0 {
		if err := json.Unmarshal(r.Parameters, &details); err != nil {
			return fmt.Errorf("read the rule %s: %w", r.Type, err)
		}
	}
	for _, c := range details.Checks {
		addCheck(p, c.Context, c.Source)
	}
	p.Approvals = max(p.Approvals, details.Count)
	for name := range methods {
		if len(details.Merges) > 0 && !slices.Contains(details.Merges, name) {
			methods[name] = false
		}
	}
	switch r.Type {
	case "non_fast_forward":
		p.ForcePush = false
	case "deletion":
		p.Delete = false
	case "creation":
	default: // all others, also unknown ones, can refuse the engine's push
		may, err := api.bypassing(ctx, s)
		if err != nil {
			return err
		}
		if !p.PushAll {
			may = both(p.Push, may)
		}
		p.PushAll, p.Push = false, may
	}
	return nil
}
