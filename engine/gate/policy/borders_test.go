package policy_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// part finds the verdict of one rule.
func part(v policy.Verdict, rule string) policy.Verdict {
	if v.Rule == rule {
		return v
	}
	for _, c := range v.Children {
		if found := part(c, rule); found.Rule == rule {
			return found
		}
	}
	return policy.Verdict{}
}

// TestNumbersOfFiles: each number of a policy file may be its least and its most, and no other
// beyond.
func TestNumbersOfFiles(t *testing.T) {
	for _, c := range []struct{ path, field, least, below, most, above string }{
		{policy.LimitsFile, "learned_per_agent: %s", "0", "-1", "1000", "1001"},
		{policy.LimitsFile, "synthesised_per_workspace: %s", "0", "-1", "1000000", "1000001"},
		{policy.LimitsFile, "open_proposals_per_agent: %s", "0", "-1", "10000", "10001"},
		{policy.LimitsFile, "files_per_proposal: %s", "1", "0", "100000", "100001"},
		{policy.LimitsFile, "file_bytes: %s", `"1"`, `"0"`, "1GiB", `"1073741825B"`},
		{policy.LimitsFile, "proposal_bytes: %s", `"1"`, `"0"`, "4GiB", "5GiB"},
		{policy.LimitsFile, "expiry: %s", "1m", "59s", "366d", "367d"},
		{policy.LimitsFile, "executions_per_session: %s", "0", "-1", "1000000", "1000001"},
		{policy.LimitsFile, "cost_per_session: %s", "0", "-0.1", "1000000", "1000000.1"},
		{policy.LimitsFile, "time_per_call: %s", "1s", "0s", "1d", "1441m"},
		{policy.LimitsFile, "memory_per_call: %s", "16MiB", "15MiB", "1024GiB", "1025GiB"},
		{policy.RetentionFile, "deprecated: %s", "0s", "", "3660d", "3661d"},
		{policy.RetentionFile, "unused: %s", "1d", "23h", "3660d", "3661d"},
		{policy.RetentionFile, "missions_unlinked: %s", "1", "0", "1000000000", "1000000001"},
		{policy.RetentionFile, "degraded_after: %s", "1", "0", "1000", "1001"},
		{policy.RetentionFile, "retire_after: %s", "1", "0", "1000", "1001"},
		{policy.RetentionFile, "retire_below: %s", "0", "-1", "1000000", "1000001"},
		{policy.RetentionFile, "promote_after: %s", "1", "0", "1000", "1001"},
		{policy.RetentionFile, "revalidate: %s", "1d", "23h", "3660d", "3661d"},
		{policy.RetentionFile, "artifacts: %s", "1d", "23h", "3660d", "3661d"},
		{policy.SecurityFile, "thresholds: {content: %s}", "0", "-1", "1000000", "1000001"},
		{policy.SecurityFile, "thresholds: {cost_per_use: %s}", "0", "-0.1", "1000000", "1000000.1"},
		{policy.SecurityFile, "tests: {repeat: %s}", "1", "0", "", "1000"},
		{policy.SecurityFile, "tests: {mastery: %s}", "0", "-0.1", "1", "1.1"},
	} {
		refused := func(value string) bool {
			files := defaults(t)
			files[c.path] = fmt.Sprintf(c.field, value) + "\n"
			_, ds := policy.Load(tree.MapOf(files))
			return strings.Contains(diagText(ds), c.path+":1:")
		}
		for value, want := range map[string]bool{c.least: false, c.most: false, c.below: true, c.above: true} {
			if value != "" && refused(value) != want {
				t.Errorf("%s: refused %v", fmt.Sprintf(c.field, value), !want)
			}
		}
	}
}

// TestLimitsAtTheirBorder checks that a value exactly at a limit is within it.
func TestLimitsAtTheirBorder(t *testing.T) {
	p := testPolicies(t, policy.Assisted)
	l := p.Limits
	for reason, set := range map[string]func(f *policy.Facts, over int){
		"files, at most": func(f *policy.Facts, over int) {
			f.Paths = make([]policy.PathChange, l.FilesPerProposal+over)
		},
		"bytes, at most": func(f *policy.Facts, over int) { f.Bytes = l.ProposalBytes + int64(over) },
		"x has ": func(f *policy.Facts, over int) {
			f.Paths = []policy.PathChange{{Path: "x", Size: l.FileBytes + int64(over)}}
		},
		"scout would have learned":           func(f *policy.Facts, over int) { f.Learned = map[string]int{"scout": l.LearnedPerAgent + over} },
		"capabilities that agents brought":   func(f *policy.Facts, over int) { f.Synthesised = l.Synthesised + over },
		"scout has ":                         func(f *policy.Facts, over int) { f.OpenByAgent = l.OpenPerAgent + over },
		"the request for approval has expir": func(f *policy.Facts, over int) { f.RequestedAt = f.Now.Add(-l.Expiry - time.Duration(over)) },
	} {
		for over := range 2 {
			f := decodeFacts(t, baseFacts(t))
			set(&f, over)
			v := policy.Judge(p, f)
			told := strings.Contains(part(v, "limits").Reason+part(v, policy.RuleExpiry).Reason, reason)
			if told != (over > 0) {
				t.Errorf("%s, %d over: %s; %s", reason, over, part(v, "limits").Reason, part(v, policy.RuleExpiry).Reason)
			}
		}
	}
	f := decodeFacts(t, baseFacts(t))
	f.Synthesised, f.Capabilities[0].Op = l.Synthesised+1, policy.Modified
	if v := part(policy.Judge(p, f), "limits"); v.Outcome != policy.Allowed {
		t.Errorf("a change that adds nothing is held to what agents brought in: %s", v.Reason)
	}
	f.Capabilities[0].Op, f.Learned = policy.Added, map[string]int{"scout": l.LearnedPerAgent + 1}
	for kind, want := range map[string]policy.Outcome{"add": policy.Refused, "undo": policy.Allowed, "restore": policy.Allowed} {
		f.Kind = kind
		if v := part(policy.Judge(p, f), "limits"); v.Outcome != want {
			t.Errorf("%s at the caps: %s, want %s", kind, v.Outcome, want)
		}
	}
}

func TestModeOfAgentsAndKinds(t *testing.T) {
	for _, c := range []struct {
		agents, kinds map[string]policy.Mode
		proven        bool
		want          policy.Mode
	}{
		{nil, nil, true, policy.Assisted},
		{map[string]policy.Mode{"scout": policy.Autonomous}, nil, true, policy.Autonomous},
		{map[string]policy.Mode{"scout": policy.Autonomous}, nil, false, policy.Assisted},
		{map[string]policy.Mode{"scout": policy.Manual}, nil, false, policy.Manual},
		{nil, map[string]policy.Mode{"add": policy.Autonomous}, false, policy.Autonomous},
		{nil, map[string]policy.Mode{"soul": policy.Manual}, false, policy.Assisted},
		{map[string]policy.Mode{"scout": policy.Manual}, map[string]policy.Mode{"add": policy.Autonomous}, true, policy.Manual},
		{map[string]policy.Mode{"scout": policy.Autonomous}, map[string]policy.Mode{"add": policy.Manual}, true, policy.Manual},
		{map[string]policy.Mode{"scout": policy.Autonomous}, map[string]policy.Mode{"add": policy.Sandboxed}, false, policy.Sandboxed},
		{map[string]policy.Mode{"scout": "free"}, nil, true, policy.Manual},
	} {
		a := policy.Autonomy{Default: policy.Assisted, Agents: c.agents, Kinds: c.kinds}
		if got := a.ModeFor("scout", "add", c.proven); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestOpinionsOfRisk: a current opinion raises the tier; one that could not be had counts only
// while no other one was given.
func TestOpinionsOfRisk(t *testing.T) {
	p := testPolicies(t, policy.Assisted)
	given := func(verdict string, current bool) policy.Opinion {
		return policy.Opinion{Asked: "model", Answer: advice.Answer{Verdict: verdict}, Current: current}
	}
	for _, c := range []struct {
		all  []policy.Opinion
		want policy.Tier
	}{
		{nil, policy.Low},
		{[]policy.Opinion{given(advice.Pass, true)}, policy.Low},
		{[]policy.Opinion{given(advice.Escalate, true)}, policy.High},
		{[]policy.Opinion{given(advice.Escalate, false)}, policy.Low},
		{[]policy.Opinion{given(advice.Block, true)}, policy.Critical},
		{[]policy.Opinion{given(advice.None, true)}, policy.High},
		{[]policy.Opinion{given(advice.None, true), given(advice.Pass, true)}, policy.Low},
		{[]policy.Opinion{given(advice.None, true), given(advice.Pass, false)}, policy.High},
		{[]policy.Opinion{given(advice.None, true), given(advice.None, true)}, policy.High},
	} {
		f := decodeFacts(t, baseFacts(t))
		f.Opinions = c.all
		if got := policy.DeriveRisk(p, f).Tier; got != c.want {
			t.Errorf("%+v: %s", c.all, got)
		}
	}
}

// TestUnscanned: where validation stopped at sizes or names, a new report would not help.
func TestUnscanned(t *testing.T) {
	p := testPolicies(t, policy.Assisted)
	for want, v := range map[string]policy.Validation{
		"has not looked at this merge result": {Ran: true},
		"not looked at this merge":            {Errors: 1},
		"validation stopped before":           {Ran: true, Errors: 1},
	} {
		f := decodeFacts(t, baseFacts(t))
		f.Scan, f.Validation = policy.Scan{}, v
		if got := part(policy.Judge(p, f), "scan"); got.Outcome != policy.Undecided || !strings.Contains(got.Reason, want) {
			t.Errorf("%+v: %s %s", v, got.Outcome, got.Reason)
		}
	}
	for _, s := range []policy.Scan{{Ran: true, Errors: -1}, {Ran: true, Warnings: -1}} {
		f := decodeFacts(t, baseFacts(t))
		f.Scan = s
		if got := part(policy.Judge(p, f), "scan"); got.Outcome != policy.Undecided {
			t.Errorf("%+v: %s", s, got.Outcome)
		}
	}
}

// TestRejectedBefore checks the remarks about an earlier rejection.
func TestRejectedBefore(t *testing.T) {
	p := testPolicies(t, policy.Assisted)
	at := time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC)
	for want, r := range map[string]policy.Rejection{
		`it brings nearly the same as old-1, to which ann objected on 2026-03-01: "too long"`: {ID: "old-1", By: "ann", Reason: "too long", At: at, Same: policy.SameContent},
		`as old-2, to which ann objected on 2026-03-01: without a reason`:                     {ID: "old-2", By: "ann", At: at, Same: policy.SameGoal},
	} {
		f := decodeFacts(t, baseFacts(t))
		f.Rejected = []policy.Rejection{r}
		risk := policy.DeriveRisk(p, f)
		if got := strings.Join(risk.DecisiveWhys(), "; "); risk.Tier != policy.Medium || !strings.Contains(got, want) {
			t.Errorf("%s: %s", risk.Tier, got)
		}
	}
	f := decodeFacts(t, baseFacts(t))
	f.Rejected = []policy.Rejection{{By: "ann"}}
	if risk := policy.DeriveRisk(p, f); risk.Tier != policy.Low {
		t.Errorf("a rejection of no proposal raises the risk to %s", risk.Tier)
	}
}

// TestPlainReviews checks that a digest of an older engine counts for its own head, and for another
// one only if the change is still the same.
func TestPlainReviews(t *testing.T) {
	p := testPolicies(t, policy.Assisted)
	for _, c := range []struct {
		plain          string
		stands, head   bool
		effective      string
		counts, noHead bool
	}{
		{plain: "sha256:plain", stands: true, effective: "sha256:plain", counts: true},
		{plain: "sha256:plain", head: true, effective: "sha256:plain", counts: true},
		{plain: "sha256:plain", effective: "sha256:plain"},
		{plain: "sha256:plain", head: true, noHead: true, effective: "sha256:plain"},
		{plain: "", stands: true, effective: "sha256:plain"},
		{plain: "sha256:plain", stands: true, effective: "sha256:other"},
	} {
		f := decodeFacts(t, baseFacts(t))
		f.Plain, f.PlainStands = c.plain, c.stands
		rv := policy.Review{By: humanKey(t, p, "ann"), Decision: "approve", At: f.Now.Add(-time.Hour), Effective: c.effective, Valid: true}
		if c.noHead {
			f.Head = tree.Hash{}
		}
		if c.head {
			rv.Head = f.Head
		} else {
			rv.Head = tree.BlobHash([]byte("another"))
		}
		f.Reviews = []policy.Review{rv}
		if got := len(policy.Approvers(p, f)) == 1; got != c.counts {
			t.Errorf("%+v: counts %v", c, got)
		}
	}
}

func humanKey(t *testing.T, p policy.Policies, name string) policy.Actor {
	t.Helper()
	id, known := p.Roles.ByName(name)
	if !known || len(id.Keys) == 0 {
		t.Fatalf("%s has no key", name)
	}
	return policy.Actor{Key: id.Keys[0]}
}

// TestSaysWhichTests checks that the first failure is named, and the number of failures.
func TestSaysWhichTests(t *testing.T) {
	p := testPolicies(t, policy.Assisted)
	p.Security.Tests = policy.Testing{Required: []string{"tool"}, Repeat: 1, Mastery: 0.8}
	p.Autonomy.Executables = []string{"tool"}
	for want, trial := range map[string]proof.Trial{
		"1 required test of short-note fails: a: 3 is not 4":               {RequiredFailed: 1, Failing: []string{"a: 3 is not 4"}},
		"2 required tests of short-note fail: a (and 1 more)":              {RequiredFailed: 2, Failing: []string{"a", "b"}},
		"2 required tests of short-note fail: against (and 1 more)":        {RequiredFailed: 2, Against: []string{"against"}, Failing: []string{"b"}},
		"1 required test of short-note could not be run: no python (skip)": {RequiredSkipped: 1, State: suite.Incomplete, Failing: []string{"no python (skip)"}},
	} {
		f := decodeFacts(t, baseFacts(t))
		c := &f.Capabilities[0]
		c.Kind, c.Executable = "tool", true
		trial.Name, trial.Path, trial.Repeat, trial.State, trial.Mastery = c.Name, c.Path, 3, cmp.Or(trial.State, suite.Failing), 0.5
		f.Tests = &policy.Tests{Failed: 1, RequiredFailed: trial.RequiredFailed, Trials: []proof.Trial{trial}}
		if got := part(policy.Judge(p, f), policy.RuleTests); !strings.Contains(got.Reason, want) {
			t.Errorf("%s %s\nwant %s", got.Outcome, got.Reason, want)
		}
	}
}

// TestSecurityFile checks the reading of each list, and the findings about patterns that never match.
func TestSecurityFile(t *testing.T) {
	files := defaults(t)
	files[policy.SecurityFile] = strings.Join([]string{
		`identity_phrases: [{match: "i am", why: identity}]`, `prohibited: [{match: wipe, why: wiping}]`, `high: [{match: deploy, why: deploying}]`,
		`medium: [{match: mail, why: mailing}]`, `injection_phrases: [{match: ignore, why: injecting}]`, `forbidden_categories: [weapons]`,
		`waivers: [{rule: scan-x, blob: 5a02d711a05a02d711a05a02d711a05a02d711a0, reason: seen, expires: "2027-01-31"}]`,
	}, "\n") + "\n"
	p, ds := policy.Load(tree.MapOf(files))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	s := p.Security
	for why, list := range map[string][]policy.Pattern{
		"identity": s.Identity, "wiping": s.Prohibited, "deploying": s.High, "mailing": s.Medium, "injecting": s.Injection,
	} {
		if len(list) != 1 || list[0].Why != why {
			t.Errorf("%s: %+v", why, list)
		}
	}
	if len(s.Waivers) != 1 || s.Waivers[0].Rule != "scan-x" || !s.Waivers[0].Expires.Equal(time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", s.Waivers)
	}
	for text, want := range map[string]int{`"Deploy"`: 1, `deploy`: 0, `'\Adeploy'`: 0, `'\w+A'`: 0} {
		files[policy.SecurityFile] = "high: [{match: " + text + ", why: x}]\n"
		if _, ds := policy.Load(tree.MapOf(files)); ds.Count(diag.Warning) != want || ds.HasErrors() {
			t.Errorf("%s: %v", text, ds)
		}
	}
	for _, missing := range []string{"rule: x, ", "reason: seen, ", `, expires: "2027-01-31"`, "blob: 5a02d711a05a02d711a05a02d711a05a02d711a0, "} {
		whole := `waivers: [{rule: x, blob: 5a02d711a05a02d711a05a02d711a05a02d711a0, reason: seen, expires: "2027-01-31"}]` + "\n"
		files[policy.SecurityFile] = strings.Replace(whole, missing, "", 1)
		if _, ds := policy.Load(tree.MapOf(files)); ds.Count(diag.Error) != 1 {
			t.Errorf("without %q: %v", missing, ds)
		}
	}
}

// TestFilesBesidePolicies: only the folder of scenarios may lie beside the policies.
func TestFilesBesidePolicies(t *testing.T) {
	for path, want := range map[string]bool{
		"policies/README.md": false, "policies/scenarios/a.yaml": false, "policies/scenarios/README.md": false,
		"policies/scenarios": true, "policies/other/a.yaml": true, "policies/scenarios/a.yml": true,
	} {
		files := defaults(t)
		files[path] = "x\n"
		_, ds := policy.Load(tree.MapOf(files))
		if told := strings.Contains(diagText(ds), "[policy-unknown-file]"); told != want {
			t.Errorf("%s: %v", path, ds)
		}
	}
}

// TestEditLogins: an account is added, changed and removed by its service.
func TestEditLogins(t *testing.T) {
	edit := func(src string, c policy.RolesChange) string {
		t.Helper()
		out, err := policy.EditRoles([]byte(src), c)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	added := edit(plainRoles, policy.RolesChange{Name: "ann", Logins: map[string]string{"github": "Ann"}})
	if !strings.Contains(added, "github: Ann") {
		t.Error(added)
	}
	both := edit(added, policy.RolesChange{Name: "ann", Logins: map[string]string{"gitea": "ann"}})
	if !strings.Contains(both, "github: Ann") || !strings.Contains(both, "gitea: ann") {
		t.Error(both)
	}
	less := edit(both, policy.RolesChange{Name: "ann", Remove: true, Logins: map[string]string{"github": "ann"}})
	if strings.Contains(less, "github") || !strings.Contains(less, "gitea: ann") {
		t.Error(less)
	}
	if _, err := policy.EditRoles([]byte(both), policy.RolesChange{Name: "ann", Remove: true, Logins: map[string]string{"github": "bob"}}); err == nil {
		t.Error("an account that is not there was removed")
	}
}

// TestRevocationReasons: the longest reason is still one.
func TestRevocationReasons(t *testing.T) {
	for reason, bad := range map[string]bool{
		strings.Repeat("a", policy.MaxRevocationReason): false, strings.Repeat("a", policy.MaxRevocationReason+1): true,
		" ": true, "a\nb": true, "a\u202eb": true, "lost": false,
	} {
		files := defaults(t)
		files[policy.RolesFile] = "people:\n  ann:\n    revoked:\n      - {key: \"" + fp("Ann") + "\", from: \"2026-03-01T00:00:00Z\", reason: " + fmt.Sprintf("%q", reason) + "}\n"
		if _, ds := policy.Load(tree.MapOf(files)); ds.HasErrors() != bad {
			t.Errorf("%d characters: %v", len(reason), ds)
		}
	}
}
