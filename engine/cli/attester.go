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
	spec, found := c.attestingKey(w, cur)
	if !found {
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

// attestingKey finds the key that attests: the default one, or else the one that init
// made. The default comes from Git's configuration, which agents may be able to write:
// naming a key there that nobody lists must not leave a merge unsigned.
func (c *console) attestingKey(w *workspace.Workspace, cur workspace.Current) (spec string, found bool) {
	agent := c.world.Getenv("ASSENT_AGENT")
	configured, err := defaultKey(w)
	made, merr := keys.Default("")
	if err != nil || merr != nil {
		return "", false
	}
	for _, spec := range []string{configured, made} {
		public, err := keys.Public(spec)
		if err != nil {
			continue
		}
		if id, known := cur.Policies.Roles.ByKey(review.FingerprintOf(public)); known && (agent == "" || id.Name == agent) {
			return spec, true
		}
	}
	return "", false
}
