package cli

import (
	"cmp"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
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
	if err := c.attended(cur, signer); err != nil {
		c.progress("the merge is not signed for: %v", err)
		_ = signer.Close() // nothing was signed with it
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

// attended keeps programs from signing for a person with a key that every program of theirs
// can use: one without a passphrase signs where somebody sits at the terminal, or where they
// allowed it in their own folder. Agents and witnesses are machines, which nobody can ask.
func (c *console) attended(cur workspace.Current, signer *keys.Signer) error {
	who, known := cur.Policies.Roles.ByKey(signer.Fingerprint())
	machine := known && (who.Kind == policy.KindAgent || cur.Policies.Roles.Has(who, policy.Witness))
	if !signer.Bare || c.world.Interactive || machine {
		return nil
	}
	allowed, err := c.unattended()
	if err != nil {
		return err
	}
	//defence:bare-keys-need-a-person
	if !allowed {
		return refused("sign in a terminal, or give the key a passphrase: ssh-keygen -p -f "+names.ForShell(signer.Source)+"; where only your own scripts run, and no agent: assent keys unattended on",
			"the key %s has no passphrase, and nobody sits at a terminal: a program could be signing for %s", signer.Fingerprint(), cmp.Or(who.Name, "its owner"))
	}
	return nil
}

func (c *console) unattended() (bool, error) {
	if c.world.Unattended == nil {
		return false, nil
	}
	return c.world.Unattended()
}
