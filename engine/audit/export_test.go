package audit

import (
	"context"

	"github.com/assent-dev/assent/engine/workspace"
)

// VerifyPassing is Verify that ignores the breaks that passes accepts; nil accepts none.
func VerifyPassing(ctx context.Context, w *workspace.Workspace, passes func(*Break) bool, witnesses ...Witness) (Result, error) {
	v := newVerifier(w, nil, witnesses)
	v.passes = passes
	err := v.run(ctx)
	return v.res, err
}
