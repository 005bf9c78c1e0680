package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// withChecks returns policies with the given checks, and facts of a low change of a skill by the agent kublai.
func withChecks(t *testing.T, checks string) (policy.Policies, policy.Facts) {
	t.Helper()
	roles, bad := policy.Cast{
		People: map[string][]string{"ada": {"human"}}, Agents: map[string][]string{"kublai": nil, "robot": {"runner"}},
	}.Roles()
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	p, ds := policy.Load(tree.MapOf(map[string]string{
		policy.ApprovalsFile: "tiers: {low: [], medium: [], high: [], critical: [{role: human, count: 1}]}\nchecks:\n" + checks,
	}))
	for _, d := range ds {
		if d.File == policy.ApprovalsFile {
			t.Fatal(d)
		}
	}
	p.Roles, p.Security, p.Limits.Expiry = roles, policy.Security{Thresholds: policy.Thresholds{Content: 1000}}, 7*24*time.Hour
	return p, policy.Facts{
		ID: "knot-k3v9q2mt", Kind: "add", Agent: "kublai", State: policy.Open, Now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Changes: policy.Changes{
			Paths:        []policy.PathChange{{Path: "skills/knot/SKILL.md", Op: policy.Added}, {Path: "proposals/2026/11/20/knot-k3v9q2mt.md", Op: policy.Added}},
			Capabilities: []policy.Capability{{Name: "knot", Path: "skills/knot", Op: policy.Added, Kind: "skill"}},
		},
	}
}

// TestCheckOfOneWhoTookPart: the status says why a result does not count, and whose would.
func TestCheckOfOneWhoTookPart(t *testing.T) {
	p, f := withChecks(t, "  - {name: spelling, workflow: spelling}\n")
	f.Agent = "robot"
	f.Checks = map[string]policy.CheckRun{"spelling": {Jobs: []string{"a"}, Results: []policy.JobResult{{By: policy.KeyOf("robot"), Job: "a", Passed: true, Run: "r", At: f.Now}}}}
	for others, want := range map[string][2]string{
		"":      {"the result of no runner counts: robot proposed it", "roles add"},
		"ember": {"robot, who signed one, proposed it; a result by ember counts", "where the key of ember is"},
	} {
		agents := map[string][]string{"kublai": nil, "robot": {"runner"}}
		if others != "" {
			agents[others] = []string{"runner"}
		}
		roles, bad := policy.Cast{People: map[string][]string{"ada": {"human"}}, Agents: agents}.Roles()
		if len(bad) > 0 {
			t.Fatal(bad)
		}
		p.Roles = roles
		s := policy.Checks(p, f)[0]
		if s.State != policy.CheckMissing || !strings.Contains(s.Reason, want[0]) || !strings.Contains(s.Fix, want[1]) {
			t.Errorf("with %q: %s, %q; to do: %q", others, s.State, s.Reason, s.Fix)
		}
	}
}

func TestStatesOfChecks(t *testing.T) {
	p, f := withChecks(t, "  - {name: spelling, workflow: spelling, expires: 2d}\n")
	result := func(job string, passed bool, ago time.Duration) policy.JobResult {
		return policy.JobResult{By: policy.KeyOf("robot"), Job: job, Passed: passed, Reason: "exit code 1", Run: "r", At: f.Now.Add(-ago)}
	}
	jobs := []string{"a", "b"}
	for name, tt := range map[string]struct {
		run   policy.CheckRun
		state policy.CheckState
		says  string
	}{
		"nothing":                 {policy.CheckRun{Jobs: jobs}, policy.CheckMissing, "result of a, b"},
		"unfit":                   {policy.CheckRun{Unfit: "there is no workflow"}, policy.CheckMissing, "there is no workflow"},
		"of something else":       {policy.CheckRun{Jobs: jobs, Other: "main was elsewhere"}, policy.CheckMissing, "main was elsewhere"},
		"one of two":              {policy.CheckRun{Jobs: jobs, Results: []policy.JobResult{result("a", true, 0)}}, policy.CheckMissing, "result of b"},
		"a run goes on":           {policy.CheckRun{Jobs: jobs, Results: []policy.JobResult{result("a", true, 0)}, Running: "r-1"}, policy.CheckWaiting, "r-1"},
		"both":                    {policy.CheckRun{Jobs: jobs, Results: []policy.JobResult{result("a", true, 0), result("b", true, 0)}}, policy.CheckPassed, "robot"},
		"both, and another run":   {policy.CheckRun{Jobs: jobs, Results: []policy.JobResult{result("a", true, 0), result("b", true, 0)}, Running: "r-1"}, policy.CheckPassed, "robot"},
		"one failed":              {policy.CheckRun{Jobs: jobs, Results: []policy.JobResult{result("a", true, 0), result("b", false, 0)}}, policy.CheckFailed, "b failed: exit code 1; see: assent run logs r"},
		"failed, and one missing": {policy.CheckRun{Jobs: jobs, Results: []policy.JobResult{result("b", false, 0)}}, policy.CheckFailed, "b failed"},
		"failed, then passed":     {policy.CheckRun{Jobs: jobs[:1], Results: []policy.JobResult{result("a", false, time.Hour), result("a", true, 0)}}, policy.CheckPassed, "robot"},
		"passed, then failed":     {policy.CheckRun{Jobs: jobs[:1], Results: []policy.JobResult{result("a", false, 0), result("a", true, time.Hour)}}, policy.CheckFailed, "a failed"},
		"both at once":            {policy.CheckRun{Jobs: jobs[:1], Results: []policy.JobResult{result("a", true, 0), result("a", false, 0)}}, policy.CheckFailed, "a failed"},
		"old":                     {policy.CheckRun{Jobs: jobs[:1], Results: []policy.JobResult{result("a", true, 49*time.Hour)}}, policy.CheckExpired, "counts for 2d"},
		"ahead":                   {policy.CheckRun{Jobs: jobs[:1], Results: []policy.JobResult{result("a", true, -time.Minute)}}, policy.CheckMissing, "dated ahead"},
	} {
		f.Checks = map[string]policy.CheckRun{"spelling": tt.run}
		all := policy.Checks(p, f)
		if len(all) != 1 || all[0].State != tt.state || !strings.Contains(all[0].Reason, tt.says) {
			t.Errorf("%s: %+v, want %s with %q", name, all, tt.state, tt.says)
			continue
		}
		want := policy.Waiting
		switch tt.state {
		case policy.CheckPassed:
			want = policy.Allowed
		case policy.CheckFailed:
			want = policy.Refused
		}
		if got := childOf(policy.Judge(p, f), policy.RuleChecks); got.Outcome != want {
			t.Errorf("%s: the gate says %s, want %s", name, got.Outcome, want)
		}
	}
}

func childOf(v policy.Verdict, rule string) policy.Verdict {
	for _, c := range v.Children {
		if c.Rule == rule {
			return c
		}
	}
	return policy.Verdict{}
}

// A check applies by paths, kinds, tiers and expressions. It holds nothing up that changes policies
// and workflows alone.
func TestWhichChecksApply(t *testing.T) {
	p, f := withChecks(t, `  - {name: all, workflow: w}
  - {name: skills, workflow: w, when: {touches: ["skills/**"], kinds: [add]}}
  - {name: souls, workflow: w, when: {touches: ["soul/**"]}}
  - {name: low, workflow: w, when: {tiers: [low]}}
  - {name: high, workflow: w, when: {tiers: [high, critical]}}
  - {name: big, workflow: w, when: 'at_least(risk, "medium")'}
`)
	names := func() string {
		var out []string
		for _, s := range policy.Checks(p, f) {
			out = append(out, s.Name)
		}
		return strings.Join(out, " ")
	}
	if got := names(); got != "all skills low" {
		t.Errorf("a low change: %q", got)
	}
	f.Labels = []string{"risk:high"}
	if got := names(); got != "all skills high big" {
		t.Errorf("a high change: %q", got)
	}
	own := f.Paths[1]
	f.Kind, f.Capabilities, f.Paths = "workflow", nil, []policy.PathChange{{Path: "workflows/w.yaml", Op: policy.Modified}, own}
	if got := names(); got != "" {
		t.Errorf("a repair of the rules: %q", got)
	}
	for _, path := range []string{"skills/knot/SKILL.md", "soul/kublai/SOUL.md", "engine/x.go", "proposals/2026/11/20/other-k3v9q2mt.md", "README.md"} {
		f.Paths = []policy.PathChange{{Path: "workflows/w.yaml", Op: policy.Modified}, own, {Path: path, Op: policy.Added}}
		if got := names(); !strings.HasPrefix(got, "all") {
			t.Errorf("%s beside a workflow: %q", path, got)
		}
	}
	f.Paths = []policy.PathChange{own}
	if got := names(); !strings.HasPrefix(got, "all") {
		t.Errorf("the proposal's own file alone: %q", got)
	}
}

func TestChecksThatCannotBeRead(t *testing.T) {
	for text, rule := range map[string]string{
		"{name: Spelling, workflow: w}":                      policy.RuleName,
		"{name: a, workflow: w}\n  - {name: a, workflow: w}": policy.RuleName,
		"{name: a}":                        policy.RuleCheck,
		"{name: a, workflow: w, when: {}}": policy.RuleCondition,
		"{name: a, workflow: w, when: {tiers: [prohibited]}}": policy.RuleTier,
		"{name: a, workflow: w, when: {tiers: [big]}}":        policy.RuleTier,
		"{name: a, workflow: w, when: 'risk == \"big\"'}":     policy.RuleCondition,
		"{name: a, workflow: w, expires: soon}":               "yaml-value",
		"{name: a, workflow: w, expires: 0s}":                 policy.RuleRange,
		"{name: a, workflow: w, expires: 0d}":                 policy.RuleRange,
		"{name: a, workflow: w, jobs: [b]}":                   "yaml-unknown",
	} {
		_, ds := policy.Load(tree.MapOf(map[string]string{
			policy.ApprovalsFile: "tiers: {low: [], medium: [], high: [], critical: [{role: human, count: 1}]}\nchecks:\n  - " + text + "\n",
		}))
		found := ""
		for _, d := range ds {
			if d.File == policy.ApprovalsFile {
				found += d.Rule + " "
			}
		}
		if !strings.Contains(found, rule) {
			t.Errorf("%s: %q, want %s", text, found, rule)
		}
	}
}
