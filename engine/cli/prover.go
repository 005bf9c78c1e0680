package cli

import (
	"context"
	"path/filepath"
	"runtime"

	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/workspace"
)

// keptTrials is where it is remembered what tests of proposals came to here.
func keptTrials(home string) prove.Kept { return prove.Kept{Dir: filepath.Join(home, "proofs")} }

// proveHere runs the tests that a merge asks for.
func (c *console) proveHere(ctx context.Context, cur workspace.Session, ex workspace.Examined) ([]proof.Trial, string, error) {
	home, err := keys.Home()
	if err != nil {
		return nil, "", err
	}
	return prove.Machine{
		Kept: keptTrials(home), Packages: filepath.Join(home, "packages"), Now: c.world.Now, Workers: runtime.GOMAXPROCS(0), Say: c.progress,
		Runner: func(ctx context.Context) (sandbox.Runner, error) {
			return sandbox.OrRefusing(boxFor(ctx, policy.Policies{}))
		},
	}.Prove(ctx, cur, ex)
}

// recordTests keeps what tests of a proposal came to: beside it, for everybody, and here,
// so that a merge need not run them again.
func (c *console) recordTests(ctx context.Context, found tested, repeat int, proofs []prove.Proof) error {
	subjects, err := prove.Of(found.cur, *found.ex)
	if err != nil {
		return err
	}
	home, err := keys.Home()
	if err != nil {
		return err
	}
	trials := prove.Trials(proofs, subjects, repeat)
	for _, t := range trials {
		if err := keptTrials(home).Save(t); err != nil {
			c.complain("%s", oneLine(err.Error()))
		}
	}
	return merge.RecordTests(ctx, found.cur, *found.ex, trials)
}
