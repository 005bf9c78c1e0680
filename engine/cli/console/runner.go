package console

import (
	"maps"
	"slices"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

// runner returns the key that signs results of scripts: one without a passphrase, in the user's
// folder or the default one, that the policies list for the role runner. An agent signs with its
// own only.
func runner(c *Console, s workspace.Session) ssh.Signer {
	k := c.running
	k.once.Do(func() {
		file := RunnerKey(c, s)
		if file == "" {
			return
		}
		signer, err := keys.Load(file, nil)
		if err == nil {
			err = Attended(c, s, signer)
		}
		if err != nil {
			c.Progress("results of checks are not signed: %v", err)
			return
		}
		k.signer = signer
	})
	if k.signer == nil {
		return nil
	}
	return k.signer
}

// RunnerKey returns the file of the key that signs results of scripts here; empty for none.
func RunnerKey(c *Console, s workspace.Session) string {
	standard, err := DefaultKey(s.Workspace)
	if err != nil {
		return ""
	}
	here, err := keys.BareKeys(standard)
	if err != nil {
		return ""
	}
	agent := c.World.Getenv("ASSENT_AGENT")
	for _, key := range slices.Sorted(maps.Keys(here)) {
		id, known := s.Policies.Roles.ByKey(key)
		if known && s.Policies.Roles.Has(id, policy.Runner) && !id.Expired(s.Now()) && (agent == "" || agent == id.Name) {
			return here[key]
		}
	}
	return ""
}
