package cli

import (
	"github.com/assent-dev/assent/engine/keys"
	"github.com/assent-dev/assent/engine/review"
	"github.com/assent-dev/assent/engine/workspace"
)

// attester gives the workspace the key that signs what is recorded of merges: the one
// that is used when none is named, if the policies list it, and for an agent if it is
// its own. Without one merges stay unsigned, which is no reason not to merge. The
// function that it returns ends the connection to an agent.
func (c *console) attester(w *workspace.Workspace, cur workspace.Current) func() {
	none := func() {}
	spec, err := defaultKey(w)
	if err != nil {
		return none
	}
	public, err := keys.Public(spec)
	if err != nil {
		return none
	}
	id, known := cur.Policies.Roles.ByKey(review.FingerprintOf(public))
	agent := c.world.Getenv("ASSENT_AGENT")
	if !known || agent != "" && id.Name != agent {
		return none
	}
	signer, err := keys.Load(spec, c.passphrase(spec))
	if err != nil {
		c.progress("the merge is not signed for: %v", err)
		return none
	}
	w.Attester = signer
	return func() { _ = signer.Close() }
}
