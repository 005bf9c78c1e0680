package render_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/proposals/render"
)

// A report as text, as annotations and as a comment names the risk and the policies touched.
func TestRiskAndPoliciesAreTold(t *testing.T) {
	r := validate.Report{Kind: "policy", Passed: true, Files: []validate.File{
		{Path: "policies/roles`.yaml\n::error::", Change: "modified"}, {Path: "skills/hum/SKILL.md", Change: "added"},
	}}
	r.Risk = policy.DeriveRisk(policy.Policies{}, policy.Facts{Changes: policy.Changes{Paths: []policy.PathChange{{Path: "policies/roles.yaml"}}}})
	for format, want := range map[string][]string{
		render.FormatText:     {"critical risk: policies/ decides how", "\npolicies touched: policies/roles"},
		render.FormatGitHub:   {"::notice title=risk::critical risk: policies/ decides how", "::notice title=policies touched::policies/roles"},
		render.FormatMarkdown: {"\nRisk: **critical**\n", "`policies/ decides how", "\nPolicies touched:\n", ".yaml"},
	} {
		out, err := render.Report(format, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(out), w) {
				t.Errorf("%s lacks %q:\n%s", format, w, out)
			}
		}
		if strings.Contains(string(out), "skills/hum") || strings.Contains(string(out), "\n::error::") {
			t.Errorf("%s:\n%s", format, out)
		}
		none, err := render.Report(format, validate.Report{Passed: true})
		if err != nil || strings.Contains(strings.ToLower(string(none)), "risk") {
			t.Errorf("%s of no change: %s, %v", format, none, err)
		}
	}
}
