package workspace_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/proposals/simulate"
)

// listless is a forge that cannot list closed proposals.
type listless struct{ forge.Forge }

// List implements forge.Forge.
func (l listless) List(ctx context.Context, f forge.Filter) ([]forge.Pull, error) {
	if f.State == forge.Open {
		return l.Forge.List(ctx, f)
	}
	return nil, errors.New("the disk is gone")
}

// The report is recorded, with the effect of a change of policies beside it. If that effect cannot
// be computed, the record says so and the report is still kept.
func TestReportSurvivesItsRemark(t *testing.T) {
	d := newWorld(t)
	p := d.open(tree.Edit{Path: "policies/limits.yaml", Content: []byte("expiry: 2d\n")})
	cur := d.current()
	whole := d.Forge
	d.Forge = listless{whole}
	ex, err := propose.Report(d.Context(), cur, p.ID)
	d.Forge = whole
	if err != nil || !ex.Report.Passed {
		t.Fatalf("the report is lost: %v", err)
	}
	remark := ""
	for _, c := range ex.Case.Activity.Comments {
		if c.Key == simulate.Key {
			remark = c.Body
		}
	}
	if !strings.Contains(remark, "could not be found out") || !strings.Contains(remark, "the disk is gone") {
		t.Errorf("the remark is %q", remark)
	}
}

// A dry run answers and leaves every ref as it is.
func TestDryRunsWriteNothing(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("bowline")...)
	before := d.refs()
	r := d.Request(skill("sheet-bend"))
	r.DryRun = true
	asked, err := propose.Open(d.Context(), d.Workspace, r)
	d.OK(err)
	if asked.Opened || !asked.Examined.Report.Passed || asked.Examined.Verdict.Reason == "" {
		t.Errorf("a proposal that is tried: opened %v, %v", asked.Opened, asked.Examined.Verdict)
	}
	decided, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: p.ID, Decision: review.Approve, Signer: d.Ada, DryRun: true})
	d.OK(err)
	if !decided.Counts {
		t.Errorf("an approval that is tried does not count: %s", decided.Note)
	}
	out, err := merge.Run(d.Context(), d.Workspace, p.ID, forge.Actor{Name: "kublai"}, true)
	d.OK(err)
	if out.Merged || !strings.Contains(out.Refused, "waiting") {
		t.Errorf("a merge that is tried without an approval: %+v", out.Refused)
	}
	if after := d.refs(); !maps.Equal(after, before) {
		t.Errorf("refs moved: %v, before %v", after, before)
	}
	d.approve(p.ID)
	before = d.refs()
	if out, err = merge.Run(d.Context(), d.Workspace, p.ID, forge.Actor{Name: "kublai"}, true); err != nil || out.Refused != "" || out.Merged {
		t.Errorf("a merge that is tried: %q, merged %v, %v", out.Refused, out.Merged, err)
	}
	if after := d.refs(); !maps.Equal(after, before) {
		t.Error("the merge that was tried moved refs")
	}
}

// refs are all refs of the workspace.
func (d *world) refs() map[string]tree.Hash {
	d.Helper()
	refs, err := d.Repo.Refs("refs/")
	d.OK(err)
	out := map[string]tree.Hash{}
	for _, r := range refs {
		out[r.Name] = r.Hash
	}
	return out
}

// A merge is examined once before main moves, and once after it, as every reader does.
func TestMergeExaminesTwice(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("bowline")...)
	d.approve(p.ID)
	d.current()
	before := d.Examinations()
	out, err := merge.Run(d.Context(), d.Workspace, p.ID, forge.Actor{Name: "kublai"}, false)
	d.OK(err)
	if !out.Merged || out.Examined.Case.Pull.State != forge.Merged || out.Examined.Case.Pull.Merge != out.Commit {
		t.Fatalf("merged %v, shown as %s by %s", out.Merged, out.Examined.Case.Pull.State, out.Examined.Case.Pull.Merge.Short())
	}
	if n := d.Examinations() - before; n != 2 {
		t.Errorf("the merge was examined %d times, not twice", n)
	}
	again, err := d.current().Examine(d.Context(), p.ID)
	d.OK(err)
	again.Case.Policies, out.Examined.Case.Policies = policy.Policies{}, policy.Policies{}
	if diff := cmp.Diff(again, out.Examined, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("examined later it is another one (-later +at the merge):\n%s", diff)
	}
}
