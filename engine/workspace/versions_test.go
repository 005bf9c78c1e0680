package workspace_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// claimed puts a merge on main that every human approved, that today's validation refuses, and whose
// unsigned record claims to be of another version.
func (d *world) claimed(name, version string) tree.Hash {
	d.Helper()
	broken := skill(name)
	broken[0].Content = []byte(strings.Replace(string(broken[0].Content), "description:", "colour: red\ndescription:", 1))
	out, err := propose.Open(d.Context(), d.Workspace, d.Request(broken))
	d.OK(err)
	d.sign(out)
	report := out.Examined.Report
	report.Engine, report.Diagnostics, report.Passed, report.Scan = version, nil, true, policy.Scan{Ran: true}
	data, err := report.Canonical()
	d.OK(err)
	return d.forge(evil{pull: out.Pull, report: data, change: func(a *attest.Attestation) { a.Engine = version }})
}

// Merges by an older version that nobody signed are excepted until a newer version merges: for
// readers that judge all, and for readers that remember what they saw.

func TestVersionsDoNotGoBack(t *testing.T) {
	d := newWorld(t)
	genesis := d.Main()
	rejudged := func(want tree.Hash) {
		t.Helper()
		cur, err := d.Rejudged(d.Context(), d.judge())
		d.OK(err)
		if cur.InForce != want {
			t.Errorf("judged again, in force is %s, want %s", cur.InForce.Short(), want.Short())
		}
	}
	d.claimed("sheet-bend", "9.9.9")
	d.inForce(genesis, "Merge evil") // a version that does not exist yet
	d.put(attest.MainRef, genesis)
	first := d.claimed("reef-knot", "0.0.9")
	d.inForce(first)
	second := d.claimed("clove-hitch", "0.1.0")
	d.inForce(second)
	d.claimed("bowline", "0.0.9")
	d.inForce(second, "Merge evil") // 0.1.0 merged before
	rejudged(second)
	d.put(attest.MainRef, second)
	third := d.merged(skill("anchor-bend")...)
	d.claimed("granny-knot", "0.1.0")
	d.inForce(third, "Merge evil")
	rejudged(third)
	d.put(attest.MainRef, third)
	d.Workspace = workspace.Of(d.Repo, d.Surroundings())
	d.claimed("figure-eight", "0.4.0")
	d.inForce(third, "Merge evil") // by the claims below what is remembered
}
