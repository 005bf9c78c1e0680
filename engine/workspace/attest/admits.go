package attest

import (
	"context"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Begins returns the genesis of a main at tip, or ErrRollback if such a main lacks the commit last
// seen in force. It judges nothing.
func Begins(ctx context.Context, repo *gitstore.Repo, tip tree.Hash, seen Seen) (tree.Hash, error) {
	st := Standing{Genesis: seen.Genesis, Main: tip, InForce: seen.InForce, Judged: seen.Judged}
	if tip == seen.InForce {
		return st.Genesis, nil
	}
	_, err := st.line(ctx, repo)
	return st.Genesis, err
}
