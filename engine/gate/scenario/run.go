package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Dir is where a workspace keeps its scenarios.
const Dir = policy.ScenariosDir

// Load reads all scenario files of a tree.
func Load(v tree.View) ([]File, diag.List, error) {
	entries, err := v.List(Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("list scenarios: %w", err)
	}
	var out []File
	var ds diag.List
	for _, e := range entries {
		if !e.Mode.IsFile() || !strings.HasSuffix(e.Path, ".yaml") {
			continue
		}
		src, err := v.Read(e.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", e.Path, err)
		}
		f, found := Parse(e.Path, src)
		ds.Add(found...)
		if !found.HasErrors() {
			out = append(out, f)
		}
	}
	return out, ds, nil
}

// Result is the policies' answer to one scenario.
type Result struct {
	File     File
	Scenario Scenario
	Verdict  policy.Verdict
	Risk     policy.Risk
	// Failures are the expectations that do not hold.
	Failures diag.List
}

// maxCost bounds the work for all scenarios, in steps of evaluated conditions. The
// shipped scenarios with thirty ordinary rules take less than a five-hundredth; a test checks it.
const maxCost = 5_000_000

// Try judges the scenarios of all files by the policies. The list says where evaluating costs
// too much; later scenarios then have no result. stopped returns why to end between two
// scenarios, such as an interruption; it may be nil.
func Try(stopped func() error, p policy.Policies, files []File) ([]Result, diag.List, error) {
	return try(stopped, p, files, policy.NewBudget(maxCost))
}

func try(stopped func() error, p policy.Policies, files []File, budget *policy.Budget) (out []Result, ds diag.List, err error) {
	p.Budget = budget
	for _, f := range files {
		for _, s := range f.Scenarios {
			if stopped != nil {
				if err := stopped(); err != nil {
					return nil, nil, err
				}
			}
			//defence:scenarios-are-charged
			if !budget.Exceeded() {
				budget.Charge(s.Pos, effort(p, f, s))
			}
			r := run(p, f, s)
			//defence:conditions-have-a-budget
			if budget.Exceeded() {
				pos, steps := budget.Dearest()
				ds.Errorf(RuleCost, pos, "make this condition or scenario cheaper, have fewer rules, patterns and people, or fewer scenarios",
					"trying all scenarios takes more than %d steps, %d of them for this one up to the scenario %q", budget.Limit(), steps, s.Name)
				return out, ds, nil
			}
			out = append(out, r)
		}
	}
	return out, ds, nil
}

// effort is the cost of a scenario without conditions: all patterns read its words, and all people
// are asked whether they can approve.
func effort(p policy.Policies, f File, s Scenario) uint64 {
	words := 0
	for _, c := range s.Facts.Facts.Capabilities {
		words += len(c.Name) + len(c.Description)
	}
	roles := p.Roles
	if f.Own {
		roles = f.Roles
	}
	return p.Security.Words(words) + uint64(len(roles.All()))
}

// run judges one scenario of a file by the policies, with the file's own people and agents
// where it has some.
func run(p policy.Policies, f File, s Scenario) Result {
	if f.Own {
		p.Roles = f.Roles
	}
	r := Result{File: f, Scenario: s}
	facts, err := build(p.Roles, s.Facts)
	if err != nil {
		r.Failures.Errorf(RuleFailed, s.Pos, "use a name of people and agents, or of roles.yaml if the file has none", "%s: %v", s.Name, err)
		return r
	}
	r.Verdict, r.Risk = policy.JudgeWithRisk(p, facts)
	r.compare(policy.ModeOf(p, facts, r.Risk))
	return r
}

// compare compares the answer with the expectations.
func (r *Result) compare(mode policy.Mode) {
	want := r.Scenario.Expect
	for _, c := range []struct{ key, want, got string }{
		{"outcome", want.Outcome, r.Verdict.Outcome.String()},
		{"risk", want.Risk, r.Risk.Tier.String()},
		{"class", want.Class, r.Risk.Class.String()},
		{"mode", want.Mode, string(mode)},
	} {
		if c.want != "" && c.want != c.got {
			r.fail(c.key, "%s is %s, not %s", c.key, c.got, c.want)
		}
	}
	if want.Allowed != nil && *want.Allowed != r.Verdict.Allowed() {
		r.fail("allowed", "outcome is %s", r.Verdict.Outcome)
	}
	if got := missing(r.Verdict); want.WaitingFor != nil && !maps.Equal(got, want.WaitingFor) {
		r.fail("waiting_for", "it waits for %s, not for %s", counts(got), counts(want.WaitingFor))
	}
	if want.Reason != "" && !strings.Contains(r.Verdict.Reason, want.Reason) {
		r.fail("reason", "the reason does not say %q", want.Reason)
	}
}

func (r *Result) fail(key, format string, args ...any) {
	r.Failures.Errorf(RuleFailed, r.Scenario.Places[key], "change the policies, or what the scenario expects if the new answer is meant; the verdict is "+
		r.Verdict.Outcome.String()+": "+r.Verdict.Reason, "%s: %s", r.Scenario.Name, fmt.Sprintf(format, args...))
}

// missing counts the approvals that are needed and not there, by role.
func missing(v policy.Verdict) map[string]int {
	out := map[string]int{}
	if v.Outcome != policy.Waiting {
		return out
	}
	for _, w := range v.WaitingFor {
		out[w.Role] += w.Need - w.Have
	}
	return out
}

func counts(m map[string]int) string {
	if len(m) == 0 {
		return "no one"
	}
	var out []string
	for _, role := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%d %s", m[role], role))
	}
	return strings.Join(out, ", ")
}
