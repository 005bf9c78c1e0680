package audit

import (
	"context"

	"github.com/assent-dev/assent/engine/workspace"
)

// VerifyWithout is Verify with rules switched off.
func VerifyWithout(ctx context.Context, w *workspace.Workspace, off map[string]bool, witnesses ...Witness) (Result, error) {
	v := newVerifier(w, nil, witnesses)
	v.off = off
	err := v.run(ctx)
	return v.res, err
}
