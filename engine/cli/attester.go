package cli

import (
	"cmp"
	"sync"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

// attestingKey is the key that attests merges in this run of the program.
type attestingKey struct {
	once   sync.Once
	signer *keys.Signer // nil where merges stay unsigned
}

// close ends the connection to an agent.
func (k *attestingKey) close() {
	if k != nil && k.signer != nil {
		_ = k.signer.Close()
	}
}

// attester returns the key that signs what is recorded of merges: the one that is used when
// none is named, if the policies list it, and for an agent if it is its own. It is loaded when
// it is first asked for. Without a key merges stay unsigned, which does not prevent them.
func (c *console) attester(s workspace.Session) ssh.Signer {
	k := c.attesting
	k.once.Do(func() { k.signer = c.loadAttester(s) })
	if k.signer == nil {
		return nil
	}
	return k.signer
}

func (c *console) loadAttester(s workspace.Session) *keys.Signer {
	spec, found := c.listedKey(s, c.world.Getenv("ASSENT_AGENT"))
	if !found {
		return nil
	}
	signer, err := keys.Load(spec, c.passphrase(spec))
	if err != nil {
		c.progress("the merge is not signed for: %v", err)
		return nil
	}
	if err := c.attended(s, signer); err != nil {
		c.progress("the merge is not signed for: %v", err)
		_ = signer.Close() // nothing was signed with it
		return nil
	}
	return signer
}

// listedKey finds the key that signs without being named: the default one, or else the one
// that init made; with owner it has to be theirs. The default comes from Git's configuration,
// which agents may be able to write: an unlisted key there must not leave a merge unsigned.
func (c *console) listedKey(cur workspace.Session, owner string) (spec string, found bool) {
	configured, err := defaultKey(cur.Workspace)
	made, merr := keys.Default("")
	if err != nil || merr != nil {
		return "", false
	}
	for _, spec := range []string{configured, made} {
		public, err := keys.Public(spec)
		if err != nil {
			continue
		}
		if id, known := cur.Policies.Roles.ByKey(review.FingerprintOf(public)); known && (owner == "" || id.Name == owner) {
			return spec, true
		}
	}
	return "", false
}

// proposalKey returns the key that signs an agent's proposals, if it is here: then journals
// that others open in the agent's name do not count against its limit.
func (c *console) proposalKey(s workspace.Session, by forge.Actor) ssh.Signer {
	signer, known := c.proposing[by.Name]
	if !known {
		signer = c.loadProposalKey(s, by)
		c.proposing[by.Name] = signer
	}
	if signer == nil {
		return nil
	}
	return signer
}

func (c *console) loadProposalKey(s workspace.Session, by forge.Actor) *keys.Signer {
	id, known := s.Policies.Roles.ByName(by.Name)
	if !known || id.Kind != policy.KindAgent {
		return nil
	}
	spec, found := c.listedKey(s, id.Name)
	if !found {
		return nil
	}
	signer, err := keys.Load(spec, c.passphrase(spec))
	if err != nil {
		c.progress("the proposal is not signed: %v", err)
		return nil
	}
	return signer
}

// attended keeps programs from signing for a person with a key that every program of theirs
// can use: one without a passphrase signs where somebody sits at the terminal, or where they
// allowed it in their own folder. Agents and witnesses are machines, which nobody can ask.
func (c *console) attended(cur workspace.Session, signer *keys.Signer) error {
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
