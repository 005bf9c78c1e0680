package workspace_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// newer raises the format to one that no program knows yet.
func newer() tree.Edit {
	return tree.Edit{Path: policy.WorkspaceFile, Content: []byte("format: 9\nshards: 16\n")}
}

// An unknown format stops this program only if the people of the workspace approved it. Anybody
// can write a number into a commit.
func TestNewerFormat(t *testing.T) {
	d := newWorld(t)
	good := d.merged(skill("bowline")...)
	if f := d.inForce(good).Policies.Format; f != policy.NewestFormat {
		t.Errorf("a new workspace has format %d", f)
	}
	d.Straight("Raise the format past the gate", newer())
	d.inForce(good, "Raise the format past the gate")
	d.put("refs/heads/main", good)

	out, err := propose.Open(d.Context(), d.Workspace, d.Request([]tree.Edit{newer()}))
	d.OK(err)
	if out.Examined.Report.Passed {
		t.Fatal("an unknown format passes validation")
	}
	report := out.Examined.Report
	report.Diagnostics, report.Passed, report.Scan = nil, true, policy.Scan{Ran: true} // as the newer program would find
	data, err := report.Canonical()
	d.OK(err)
	d.forge(evil{pull: out.Pull, report: data})
	d.inForce(good, "Merge evil")
	d.put("refs/heads/main", good)

	d.sign(out)
	d.forge(evil{pull: out.Pull, report: data})
	var stop *workspace.NewerFormat
	for range 2 { // the second time by memory
		if _, err := d.Session(d.Context()); !errors.As(err, &stop) || stop.Format != 9 {
			t.Fatalf("read a workspace of format 9: %v", err)
		}
	}
	d.Straight("Go on with it", skill("reef-knot")...)
	if _, err := d.Rejudged(d.Context(), d.judge()); !errors.As(err, &stop) {
		t.Fatalf("judged what came after: %v", err)
	}
	if want := "workspace format 9; this program reads up to 1: update assent"; stop.Error() != want {
		t.Errorf("%q, want %q", stop, want)
	}
}

// A proposal made before the workspace got its format still merges afterwards.
func TestFormatIsNotLoweredByAnOlderBranch(t *testing.T) {
	d := newWorld(t)
	p := d.open(skill("bowline")...)
	d.approve(p.ID)
	d.merged(tree.Edit{Path: policy.WorkspaceFile, Content: []byte("# written again\nformat: 1\n")})
	if out := d.merge(p.ID); !out.Merged {
		t.Fatal(out.Refused)
	}
	out, err := propose.Open(d.Context(), d.Workspace, d.Request([]tree.Edit{{Path: policy.WorkspaceFile, Remove: true}}))
	d.OK(err)
	if said := out.Examined.Report.Diagnostics; !said.HasErrors() || !strings.Contains(said[0].Message, "never taken back") {
		t.Errorf("taking the format back: %v", said)
	}
}
