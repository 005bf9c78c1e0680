package attest

import (
	"context"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Begins returns the genesis of a main that would be at tip, and ErrRollback when
// such a main lacks what was seen in force. Nothing is judged.
func Begins(ctx context.Context, repo *gitstore.Repo, tip tree.Hash, seen Seen) (tree.Hash, error) {
	st := Standing{Genesis: seen.Genesis, Main: tip, InForce: seen.InForce}
	if tip == seen.InForce {
		return st.Genesis, nil
	}
	_, err := st.line(ctx, repo)
	return st.Genesis, err
}
