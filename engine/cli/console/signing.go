package console

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/term"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

// attestingKey is a key that signs without being asked in this run of the program.
type attestingKey struct {
	once   sync.Once
	signer *keys.Signer // nil where nothing is signed
}

// Close ends the connections to the agents that hold the attesting keys, if any do.
func (c *Console) Close() {
	for _, k := range []*attestingKey{c.attesting, c.running} {
		if k != nil && k.signer != nil {
			_ = k.signer.Close()
		}
	}
}

// ForgetAttester has the keys that attest merges and results chosen again, by the policies then in
// force.
func (c *Console) ForgetAttester() { c.attesting, c.running = &attestingKey{}, &attestingKey{} }

// attester returns the key that signs records of merges: the default one, if the policies list it,
// and for an agent if it is its own. It is loaded when first needed. Without a key merges stay
// unsigned; they are still made.
func attester(c *Console, s workspace.Session) ssh.Signer {
	k := c.attesting
	k.once.Do(func() { k.signer = loadAttester(c, s) })
	if k.signer == nil {
		return nil
	}
	return k.signer
}

func loadAttester(c *Console, s workspace.Session) *keys.Signer {
	agent := c.World.Getenv("ASSENT_AGENT")
	spec, found := listedKey(s, agent)
	if !found {
		if why := unusable(s, c.World.Getenv("ASSENT_KEY"), agent); why != "" {
			c.Progress("the merge is not signed for: ASSENT_KEY: %s", why)
		}
		return nil
	}
	signer, err := keys.Load(spec, passphrase(c, spec))
	if err != nil {
		c.Progress("the merge is not signed for: %v", err)
		return nil
	}
	if err := Attended(c, s, signer); err != nil {
		c.Progress("the merge is not signed for: %v", err)
		_ = signer.Close() // nothing was signed with it
		return nil
	}
	return signer
}

// unusable says why a named key signs no merge; "" if none is named. Otherwise a key named by
// mistake would look like a missing one.
func unusable(cur workspace.Session, spec, owner string) string {
	if spec == "" {
		return ""
	}
	public, err := keys.Public(spec)
	if err != nil {
		return Sentence(err)
	}
	key := review.FingerprintOf(public)
	id, known := cur.Policies.Roles.ByKey(key)
	revoked, rev, was := cur.Policies.Roles.RevokedKey(key)
	switch {
	case was:
		return rev.Refusal(revoked.Name)
	case !known:
		return fmt.Sprintf("the key %s belongs to no one in %s", key, policy.RolesFile)
	case owner != "" && id.Name != owner:
		return fmt.Sprintf("the key %s belongs to %s, and you act as the agent %s", key, id.Name, owner)
	}
	return ""
}

// listedKey finds the default signing key: the configured one, or else the one that init made;
// with owner it must be the owner's. The default comes from Git's configuration, which agents may
// be able to write: an unlisted key there must not leave a merge unsigned.
func listedKey(cur workspace.Session, owner string) (spec string, found bool) {
	configured, err := DefaultKey(cur.Workspace)
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

// CanVouch reports whether a key here may vouch for a merge. It reads the public key only: no one is asked for a
// passphrase by what merges nothing.
func CanVouch(c *Console, s workspace.Session) bool {
	spec, found := listedKey(s, c.World.Getenv("ASSENT_AGENT"))
	if !found {
		return false
	}
	public, err := keys.Public(spec)
	return err == nil && workspace.Vouches(s, review.FingerprintOf(public))
}

// proposalKey returns the key that signs an agent's proposals, if it is here: then journals
// that others open in the agent's name do not count against its limit.
func proposalKey(c *Console, s workspace.Session, by forge.Actor) ssh.Signer {
	signer, known := c.proposing[by.Name]
	if !known {
		signer = loadProposalKey(c, s, by)
		c.proposing[by.Name] = signer
	}
	if signer == nil {
		return nil
	}
	return signer
}

func loadProposalKey(c *Console, s workspace.Session, by forge.Actor) *keys.Signer {
	id, known := s.Policies.Roles.ByName(by.Name)
	if !known || id.Kind != policy.KindAgent {
		return nil
	}
	spec, found := listedKey(s, id.Name)
	if !found {
		return nil
	}
	signer, err := keys.Load(spec, passphrase(c, spec))
	if err != nil {
		c.Progress("the proposal is not signed: %v", err)
		return nil
	}
	return signer
}

// Attended keeps programs from signing for a person with a key that every program of the user can
// use: a key without a passphrase signs only on a terminal, or if the user allowed it in their own
// folder. Agents and witnesses are machines, which cannot be asked.
func Attended(c *Console, cur workspace.Session, signer *keys.Signer) error {
	who, known := cur.Policies.Roles.ByKey(signer.Fingerprint())
	machine := known && (who.Kind == policy.KindAgent || cur.Policies.Roles.Has(who, policy.Witness) || cur.Policies.Roles.Has(who, policy.Runner))
	if c.World.Interactive || machine {
		return nil
	}
	bare, err := keys.BareKeys("")
	if err != nil {
		return err
	}
	if _, file := bare[signer.Fingerprint()]; !signer.Bare && !file { // an SSH agent that holds such a key asks no one either
		return nil
	}
	allowed, err := Unattended(c)
	if err != nil {
		return err
	}
	//defence:bare-keys-need-a-person
	if !allowed {
		return Refused("sign in a terminal, or give the key a passphrase: ssh-keygen -p -f "+names.ForShell(signer.Source)+"; docs/keys.md lists alternatives",
			"the key %s has no passphrase, and no person is at a terminal: a program could be signing for %s", signer.Fingerprint(), cmp.Or(who.Name, "its owner"))
	}
	return nil
}

// Unattended reports whether keys without a passphrase may sign without a terminal.
func Unattended(c *Console) (bool, error) {
	if c.World.Unattended == nil {
		return false, nil
	}
	return c.World.Unattended()
}

// KeyOf is the key that signs when none is named: DefaultKey, or the one that init made where
// that is listed and the one that Git names is not.
func KeyOf(cur workspace.Session) (string, error) {
	if spec, found := listedKey(cur, ""); found && os.Getenv("ASSENT_KEY") == "" {
		return spec, nil
	}
	return DefaultKey(cur.Workspace)
}

// DefaultKey is the key that Git names, or the one that init made.
func DefaultKey(w *workspace.Workspace) (string, error) {
	git := ""
	if w != nil && w.Repo.Config("gpg.format") == "ssh" {
		git = w.Repo.Config("user.signingkey")
	}
	return keys.Default(git)
}

// Bare explains the risk of a key without a passphrase; empty if the user has allowed such keys to
// sign unattended.
func Bare(c *Console) string {
	if on, err := Unattended(c); err != nil || on {
		return ""
	}
	return "without a passphrase: it signs in a terminal only, and every program that runs as you can use it; stronger: ssh-keygen -p, ssh-add -c, a security key (ssh-keygen -t ed25519-sk), or another user"
}

// NewPassphrase asks twice; where none is allowed, an empty first answer is one.
func NewPassphrase(c *Console, first string, none bool) ([]byte, error) {
	if !c.World.Interactive {
		return nil, Usage("--passphrase-prompt needs a terminal to ask on")
	}
	ask := func(what string) ([]byte, error) {
		fmt.Fprint(c.World.Err, what)
		defer fmt.Fprintln(c.World.Err)
		return term.ReadPassword(int(os.Stdin.Fd()))
	}
	once, err := ask(first)
	if err != nil {
		return nil, fmt.Errorf("read the passphrase: %w", err)
	}
	if len(once) == 0 && none {
		return nil, nil
	}
	again, err := ask("The same again: ")
	if err != nil {
		return nil, fmt.Errorf("read the passphrase: %w", err)
	}
	if len(once) == 0 || !bytes.Equal(once, again) {
		return nil, Usage("the passphrases differ, or are empty")
	}
	return once, nil
}

// OwnSigner is SignerOf for a key that must belong to the caller.
func OwnSigner(c *Console, cur workspace.Session, spec string) (*keys.Signer, error) {
	signer, err := SignerOf(c, cur, spec)
	if err != nil {
		return nil, err
	}
	if err := ownKey(c, cur, signer); err != nil {
		_ = signer.Close() // nothing was signed with it
		return nil, err
	}
	return signer, nil
}

// ownKey keeps a program that says that it is an agent from signing as a person.
func ownKey(c *Console, cur workspace.Session, signer *keys.Signer) error {
	agent := c.World.Getenv("ASSENT_AGENT")
	who, known := cur.Policies.Roles.ByKey(signer.Fingerprint())
	if agent == "" || known && who.Name == agent {
		return Attended(c, cur, signer)
	}
	owner := "no one in policies/roles.yaml"
	if known {
		owner = who.Name
	}
	return Refused("a person reviews without ASSENT_AGENT in the environment; an agent names its own key in ASSENT_KEY",
		"you act as the agent %s (ASSENT_AGENT), and the key %s belongs to %s", agent, signer.Fingerprint(), owner)
}

// SignerOf loads the key that is named, or else KeyOf.
func SignerOf(c *Console, cur workspace.Session, spec string) (*keys.Signer, error) {
	if spec == "" {
		var err error
		if spec, err = KeyOf(cur); err != nil {
			return nil, err
		}
	}
	return LoadSigner(c, spec)
}

// LoadSigner loads a key.
func LoadSigner(c *Console, spec string) (*keys.Signer, error) {
	s, err := keys.Load(spec, passphrase(c, spec))
	if err != nil {
		return nil, err
	}
	for _, warning := range s.Warnings {
		c.Progress("warning: %s", warning)
	}
	return s, nil
}

// passphrase asks on the terminal, if there is one.
func passphrase(c *Console, spec string) keys.Passphrase {
	if !c.World.Interactive {
		return nil
	}
	return func() ([]byte, error) {
		fmt.Fprintf(c.World.Err, "Passphrase of %s: ", Clean(spec))
		defer fmt.Fprintln(c.World.Err)
		return term.ReadPassword(int(os.Stdin.Fd()))
	}
}

// HumanSigner opens the signing key, which must belong to a human in force.
func HumanSigner(c *Console, cur workspace.Session, spec string) (*keys.Signer, policy.Identity, error) {
	signer, err := OwnSigner(c, cur, spec)
	if err != nil {
		return nil, policy.Identity{}, err
	}
	who, known := cur.Policies.Roles.ByKey(signer.Fingerprint())
	if !known || !cur.Policies.Roles.Satisfies(who, policy.Human) || who.Expired(cur.Now()) {
		_ = signer.Close() // nothing was signed with it
		return nil, who, Refused("assent keys lists the keys that count; name one of a human with --key",
			"the key %s is that of no human in %s, so the record would not count", signer.Fingerprint(), policy.RolesFile)
	}
	return signer, who, nil
}

// Nonce draws a random value that makes equal records distinct.
func Nonce(w *workspace.Workspace) (string, error) {
	var drawn [16]byte
	random := w.Random
	if random == nil {
		random = rand.Reader
	}
	if _, err := io.ReadFull(random, drawn[:]); err != nil {
		return "", fmt.Errorf("draw a nonce: %w", err)
	}
	return hex.EncodeToString(drawn[:]), nil
}
