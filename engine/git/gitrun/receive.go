package gitrun

import (
	"context"
	"os/exec"
)

// ReceivePack prepares the receiving side of a push to a repository in a folder of this
// machine. That repository's settings, hooks and locks apply as in any push: they belong to its
// owner, and git refuses a folder of another user.
func ReceivePack(ctx context.Context, dir, folder string) (*exec.Cmd, error) {
	program, err := Program()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, "--no-pager", "receive-pack", folder)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, passedEnvironment(), patience
	return cmd, nil
}
