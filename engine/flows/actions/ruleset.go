package actions

import (
	"encoding/json"
	"fmt"

	"github.com/assent-dev/assent/engine/forge/host"
)

// githubActions is the number of the App that reports for workflows:
// https://api.github.com/apps/github-actions
const githubActions = 15368

// The shape of a ruleset that can be imported, as far as it is used here:
// https://docs.github.com/rest/repos/rules
type (
	rulesetJSON struct {
		Name       string         `json:"name"`
		Target     string         `json:"target"`
		Force      string         `json:"enforcement"`
		Bypass     []bypassJSON   `json:"bypass_actors"`
		Conditions conditionsJSON `json:"conditions"`
		Rules      []ruleJSON     `json:"rules"`
	}
	bypassJSON struct {
		ID   int64  `json:"actor_id"`
		Type string `json:"actor_type"`
		Mode string `json:"bypass_mode"`
	}
	conditionsJSON struct {
		Refs struct {
			Include []string `json:"include"`
			Exclude []string `json:"exclude"`
		} `json:"ref_name"`
	}
	ruleJSON struct {
		Type       string `json:"type"`
		Parameters any    `json:"parameters,omitempty"`
	}
	checksJSON struct {
		Strict bool        `json:"strict_required_status_checks_policy"`
		Checks []checkJSON `json:"required_status_checks"`
	}
	checkJSON struct {
		Context string `json:"context"`
		Source  int64  `json:"integration_id"`
	}
	requestsJSON struct {
		Approvals   int  `json:"required_approving_review_count"`
		Stale       bool `json:"dismiss_stale_reviews_on_push"`
		CodeOwners  bool `json:"require_code_owner_review"`
		LastPush    bool `json:"require_last_push_approval"`
		Discussions bool `json:"required_review_thread_resolution"`
	}
)

// ruleset protects main. It moves by pull requests with the status `assent`, which counts
// from one source only; it is never moved back and never deleted. With an App, only its
// status counts, and it may push what the gate allowed. With several owners, one of them
// must review changes of their files. A single owner could not open a pull request and also
// review it.
func ruleset(app int64, owners int) ([]byte, error) {
	source := app
	if app == 0 {
		source = githubActions
	}
	r := rulesetJSON{
		Name: "assent: main", Target: "branch", Force: "active", Bypass: []bypassJSON{},
		Rules: []ruleJSON{
			{Type: "deletion"},
			{Type: "non_fast_forward"},
			{Type: "pull_request", Parameters: requestsJSON{CodeOwners: owners > 1}},
			{Type: "required_status_checks", Parameters: checksJSON{Strict: true, Checks: []checkJSON{{Context: host.CheckName, Source: source}}}},
		},
	}
	r.Conditions.Refs.Include, r.Conditions.Refs.Exclude = []string{"~DEFAULT_BRANCH"}, []string{}
	if app != 0 {
		r.Bypass = append(r.Bypass, bypassJSON{ID: app, Type: "Integration", Mode: "always"})
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the ruleset: %w", err)
	}
	return append(text, '\n'), nil
}
