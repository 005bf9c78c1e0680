package console

import (
	"context"
	"path/filepath"
	"runtime"

	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/machine"
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/workspace"
)

// KeptTrials is the store of test outcomes of proposals on this machine.
func KeptTrials(home string) prove.Kept { return prove.Kept{Dir: filepath.Join(home, "proofs")} }

// proveHere runs the tests that a merge requires.
func proveHere(ctx context.Context, c *Console, cur workspace.Session, ex workspace.Examined) ([]proof.Trial, string, error) {
	home, err := keys.Home()
	if err != nil {
		return nil, "", err
	}
	return prove.Machine{
		Kept: KeptTrials(home), Packages: filepath.Join(home, "packages"), Now: c.World.Now, Workers: runtime.GOMAXPROCS(0), Say: c.Progress,
		Runner: func(ctx context.Context) (sandbox.Runner, error) {
			return sandbox.OrRefusing(machine.Sandbox(ctx, cur.ID(), policy.Policies{}))
		},
	}.Prove(ctx, cur, ex)
}
