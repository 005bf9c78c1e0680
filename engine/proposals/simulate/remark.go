package simulate

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/workspace"
)

// Key is the key of the remark, so that a later one takes its place.
const Key = "assent-simulation"

// The remark's bounds: how many proposals are judged for it, and how many of those
// that differ are listed.
const (
	judged = 1000
	listed = 50
)

// Remark records the effect of a pull request's policies on it, if it changes policies that load.
// The remark is not part of the report: past proposals are not reachable from the base, and the
// same inputs must give the same report. A failure to simulate is recorded, too, so that the
// report is not lost.
func Remark(ctx context.Context, cur workspace.Session, ex workspace.Examined) error {
	r, is, err := Of(ctx, cur, ex)
	if !is && err == nil {
		return nil
	}
	body := Text(r)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		body = fmt.Sprintf("What these policies would have changed could not be found out: %v. assent policy simulate --proposal %s asks again.\n", err, names.ShellWord(ex.Case.Pull.ID))
	}
	remark := forge.Comment{By: forge.Actor{Name: "assent"}, Key: Key, Body: body, At: cur.Now()}
	if err := cur.Forge.Comment(ctx, ex.Case.Pull.ID, remark); err != nil {
		return fmt.Errorf("record what the policies would change: %w", err)
	}
	return nil
}

// Of returns the effect of a proposal's policies; is is false if it changes none, or none that
// load.
func Of(ctx context.Context, cur workspace.Session, ex workspace.Examined) (r Result, is bool, err error) {
	if !changesPolicies(ex.Report) || ex.Case.Conflicted {
		return Result{}, false, nil
	}
	view, err := cur.Repo.Snapshot(ex.Result.Tree)
	if err != nil {
		return Result{}, false, err
	}
	next, diags := policy.Load(view)
	if diags.HasErrors() {
		return Result{}, false, nil
	}
	r, err = Run(ctx, cur, next, ex.Case.Pull.ID, judged, func(int, int) {})
	return r, err == nil, err
}

func changesPolicies(r validate.Report) bool {
	for _, f := range r.Files {
		if names.Area(f.Path) == names.PoliciesArea && !strings.HasPrefix(f.Path, policy.ScenariosDir+"/") {
			return true
		}
	}
	return false
}

// Text is the remark: a line that sums up, and one for each proposal that differs.
func Text(r Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "With these policies %s.\n", r.Summary())
	for i, d := range r.Differences {
		if i == listed {
			fmt.Fprintf(&b, "… and %d more: assent policy simulate --proposal ID\n", len(r.Differences)-i)
			break
		}
		phrase, reason := d.Change()
		fmt.Fprintf(&b, "%s: %s: %s\n", d.ID, phrase, strings.Join(strings.Fields(reason), " "))
	}
	return b.String()
}
