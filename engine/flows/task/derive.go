package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Untested says why the tests of the delivered code could not be run.
type Untested struct{ Why string }

// Error tells the agent that it can hand in again.
func (u *Untested) Error() string { return "the tests cannot be run here: " + u.Why }

// derive sets the facts of a result that its agent may not claim: which points the tests of the
// run's proposal cover, whether its code passes them, and whether its texts are found. Texts are looked for only if a
// condition of the workflow reads that, and the tests run only if files came, too, or the job's own gate reads it. why
// says what failed.
//
//defence:tests-are-run-not-claimed
func (t *Delivered) derive(ctx context.Context, cur workspace.Session, r *run.Result) (why string, err error) {
	r.Compiles, r.Covers, r.Found, r.Places = false, nil, false, nil
	own := workflow.Workflow{Jobs: []workflow.Job{t.Job}}
	tests, search := t.Pushed && reads(t.Flow, "compiles") || reads(own, "compiles"), reads(t.Flow, "found")
	if len(t.Job.Covers) == 0 && !tests && !search || t.examined.Case.Pull.ID == "" {
		return "", nil
	}
	if r.Covers, err = t.covered(cur); err == nil && tests {
		r.Compiles, why, err = compiles(ctx, cur, t.examined, r.Agent)
	}
	if err != nil || !search {
		return why, err
	}
	var unfound string
	r.Places, unfound, err = placed(cur, t.examined, t.Run.Inputs["goal"])
	r.Found = unfound == ""
	return strings.TrimPrefix(strings.TrimSuffix(why+"; "+unfound, "; "), "; "), err
}

// reads reports whether a condition may read the fact of a name.
func reads(flow workflow.Workflow, fact string) bool {
	return slices.ContainsFunc(flow.Jobs, func(j workflow.Job) bool {
		return j.If != nil && strings.Contains(j.If.String(), fact) || j.Gate != nil && strings.Contains(j.Gate.String(), fact)
	})
}

// What a result holds of searches: maxSaid bytes of the words, and maxPlaces places.
const (
	maxSaid   = 200
	maxPlaces = 100
)

// placed looks for each proposed text that can be used once it is merged, among all capabilities: by what its description
// says of when to use it, and by the goal of the run. The former has to find it, or the latter if it says nothing.
func placed(cur workspace.Session, ex workspace.Examined, goal string) (all []run.Place, unfound string, err error) {
	view, err := cur.See(ex.Case.Pull.Head)
	if err != nil {
		return nil, "", err
	}
	var search func(path, words string) (int, error)
	of := 0
	for _, c := range ex.Report.Changes.Capabilities {
		loaded, _, err := capability.Load(view, c.Path)
		if c.Op == policy.Removed || err == nil && (loaded.Callable() || !loaded.Status.Runs()) {
			continue
		}
		if err == nil && search == nil {
			search, of, err = prove.Search(view, 1)
		}
		if err != nil {
			return nil, "", err
		}
		when := prove.WhenToUse(loaded)
		for _, words := range []string{when, goal} {
			if words == "" {
				continue
			}
			at, err := search(c.Path, words)
			if err != nil {
				return nil, "", err
			}
			said := strings.ToValidUTF8(words[:min(len(words), maxSaid)], "")
			if len(all) < maxPlaces {
				all = append(all, run.Place{Capability: c.Name, Words: said, Place: at, Of: of})
			}
			if at == 0 && words == cmp.Or(when, goal) {
				unfound = cmp.Or(unfound, c.Name+" would not be found: "+prove.Unfound(said, of))
			}
		}
	}
	return all, unfound, nil
}

// covered returns the points of the job that the tests of the proposed capabilities cover. Cases of those who must not do
// the job count for none.
func (t *Delivered) covered(cur workspace.Session) ([]string, error) {
	var by []string
	var others []capability.Case
	view, err := cur.See(t.examined.Case.Pull.Head)
	if err != nil {
		return nil, err
	}
	for _, c := range t.examined.Report.Changes.Capabilities {
		if c.Op == policy.Removed {
			continue
		}
		loaded, _, err := capability.Load(view, c.Path)
		if err != nil {
			return nil, err
		}
		brought, err := t.casesOfOthers(cur, c.Path)
		if err != nil {
			return nil, err
		}
		//defence:builders-cases-cover-nothing
		others = append(others[:0], brought...)
		by = append(by, loaded.Suite.Covers(t.Job.Covers, loaded.Callable(), others...)...)
	}
	return slices.DeleteFunc(slices.Clone(t.Job.Covers), func(point string) bool { return !slices.Contains(by, point) }), nil
}

// casesOfOthers returns the cases of a capability that the jobs brought which the agent of this one must not have done,
// without those in force.
func (t *Delivered) casesOfOthers(cur workspace.Session, at string) (out []capability.Case, err error) {
	before, err := suiteAt(cur.View, at)
	for _, job := range t.Job.NotBy {
		head := t.Run.Jobs[job].Head
		if err != nil || head == "" {
			continue
		}
		var brought capability.Suite
		if brought, err = suiteOf(cur, head, at); err == nil {
			out = append(out, brought.Without(before)...)
		}
	}
	return out, err
}

func suiteOf(cur workspace.Session, head, at string) (capability.Suite, error) {
	hash, err := tree.ParseHash(head)
	if err != nil {
		return capability.Suite{}, err
	}
	view, err := cur.See(hash)
	if err != nil {
		return capability.Suite{}, err
	}
	return suiteAt(view, at)
}

// suiteAt returns the tests of a capability, none if it is not there.
func suiteAt(view tree.View, at string) (capability.Suite, error) {
	if _, err := view.Lookup(at); errors.Is(err, fs.ErrNotExist) {
		return capability.Suite{}, nil
	}
	c, _, err := capability.Load(view, at)
	return c.Suite, err
}

// compiles runs the tests of all code in a proposal, its status aside, records them beside it and says what
// failed. A text has none to fail.
func compiles(ctx context.Context, cur workspace.Session, ex workspace.Examined, agent string) (ok bool, why string, err error) {
	var code policy.Changes
	for _, c := range ex.Report.Changes.Capabilities {
		if policy.Provable(c) {
			c.Status, c.SameCode = string(capability.Active), false
			code.Capabilities = append(code.Capabilities, c)
		}
	}
	switch {
	case len(code.Capabilities) == 0:
		return true, "", nil
	case ex.Case.Conflicted:
		return false, "", &Untested{"main changed the same files: " + ex.Result.Settle(ex.Case.Pull.ID, ex.Case.Proposal)}
	case cur.Prove == nil:
		return false, "", &Untested{"nothing isolates them"}
	}
	view, err := cur.See(ex.Result.Tree)
	if err != nil {
		return false, "", err
	}
	if ex.Case.Subjects, err = workspace.SubjectsOf(cur, view, code, version.Engine); err != nil {
		return false, "", err
	}
	ex.Report.Changes = code
	cur.Policies.Security.Tests.Required = []string{string(capability.KindTool), string(capability.KindMCP)}
	trials, unrun, err := cur.Prove(ctx, cur, ex)
	if err == nil && unrun != "" {
		err = &Untested{unrun}
	}
	if err != nil {
		return false, "", err
	}
	// Reviewers read the record, as after assent test. No merge depends on it, and merged proposals take no records.
	if ex.Case.Pull.State == forge.Open {
		if err := merge.RecordTests(ctx, cur, ex, trials, agent); err != nil {
			return false, "", fmt.Errorf("record the tests: %w", err)
		}
	}
	for _, tr := range trials {
		if !tr.Held() {
			return false, fmt.Sprintf("the tests of %s: %s", tr.Name, strings.Join(append([]string{string(tr.State)}, slices.Concat(tr.Failing, tr.Against)...), "; ")), nil
		}
	}
	return true, "", nil
}
