package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Reanchor is a commit that continues, under a new key, a workspace whose humans lost every key.
// Nothing in the repository can prove it right, so it is in force only for users who accepted it
// by name (docs/adr/0034).
type Reanchor struct {
	Commit tree.Hash `json:"commit"`
	// Key signed it, and is the only human key after it; By is its owner.
	Key    review.Fingerprint `json:"key"`
	By     string             `json:"by"`
	Reason string             `json:"reason"`
	At     time.Time          `json:"at"`
}

// ReanchorOf reads a commit on top of the one in force as a re-anchor; is is false for any
// other commit. A re-anchor names the workspace, changes no governed file but roles.yaml,
// leaves its signer as the only human with a key, and revokes the others' keys.
func (w *Workspace) ReanchorOf(before attest.Standing, c gitstore.Commit) (r Reanchor, is bool, err error) {
	//defence:re-anchors-name-the-workspace
	if c.Trailer(attest.ReanchorTrailer) != before.Genesis.String() {
		return r, false, nil
	}
	if len(c.Parents) != 1 || c.Signature == "" {
		return r, false, nil
	}
	r = Reanchor{Commit: c.Hash, Reason: c.Trailer(attest.ReasonTrailer), At: c.Committer.When}
	if r.Key, err = review.VerifyCommit(c.Payload(), []byte(c.Signature)); err != nil {
		return r, false, nil //nolint:nilerr // a commit that is not signed right is like any other
	}
	changes, err := attest.Governed(w.Repo, before.InForce, c.Hash)
	if gitstore.IsUnfit(err) {
		return r, false, nil
	}
	//defence:re-anchors-change-keys-only
	if err != nil || len(changes) != 1 || changes[0].Path != policy.RolesFile {
		return r, false, err
	}
	view, err := w.Repo.Snapshot(c.Hash)
	if err != nil {
		return r, false, err
	}
	policies, diags := w.PoliciesAt(view)
	if slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && d.Pos.File == policy.RolesFile }) {
		return r, false, nil
	}
	id, known := policies.Roles.ByKey(r.Key)
	//defence:re-anchors-revoke-the-old-keys
	if !known || soleKey(policies.Roles) != r.Key {
		return r, false, nil
	}
	kept, err := revokesOld(w, before, policies.Roles, r.Key)
	//defence:re-anchors-keep-revocations
	if err != nil || !kept {
		return r, false, err
	}
	r.By = id.Name
	return r, true, nil
}

// revokesOld reports whether the roles of a re-anchor revoke each other key that a human had before,
// and keep each revocation, under the owner's name. A key that is only taken off the list could be
// listed again, and the audit would doubt nothing that it approved. The new key must not be revoked.
func revokesOld(w *Workspace, before attest.Standing, next policy.Roles, key review.Fingerprint) (bool, error) {
	cur, err := w.At(before)
	if err != nil {
		return false, err
	}
	last, err := FindLastRoles(cur)
	if errors.Is(err, ErrNoRoles) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for _, id := range last.Roles.All() {
		for _, rev := range id.Revoked {
			if rev.Key == key || !next.Revokes(id, rev.Key) {
				return false, nil
			}
		}
		if !slices.Contains(last.Roles.Humans(), id.Name) {
			continue
		}
		for _, k := range id.Keys {
			if k != key && !next.Revokes(id, k) {
				return false, nil
			}
		}
	}
	return true, nil
}

// soleKey returns the only key of any human; empty if there is not exactly one.
func soleKey(roles policy.Roles) review.Fingerprint {
	var all []review.Fingerprint
	for _, name := range roles.Humans() {
		id, _ := roles.ByName(name)
		all = append(all, id.Keys...)
	}
	if len(all) != 1 {
		return ""
	}
	return all[0]
}

// acceptedReanchor judges a re-anchor only by this user's acceptance.
func acceptedReanchor(before attest.Standing, r Reanchor) error {
	accepted, err := keys.Accepted(before.Genesis.String(), r.Commit)
	if err != nil {
		return err
	}
	//defence:re-anchors-are-accepted-by-name
	if !accepted {
		return &attest.Refusal{
			Reason:   fmt.Sprintf("it re-anchors the workspace: every key of a human is revoked, and %s, of %s, is the only one. This was not accepted on this machine. Reason given: %s", r.Key, r.By, r.Reason),
			Reanchor: string(r.Key),
			Restore: "ask " + r.By + " and the others, outside the repository, whether this key is right. If it is: assent keys reanchor --accept " + names.ShellWord(string(r.Key)) +
				"; if it is not, this is an attack: git revert " + names.ShellWord(r.Commit.String()),
		}
	}
	return nil
}

// LastRoles is the newest roles.yaml on main, in force or earlier, that names a human.
type LastRoles struct {
	// Commit holds it: the one in force, unless its file cannot be read.
	Commit tree.Hash
	Text   []byte
	Roles  policy.Roles
}

// ErrNoRoles means that no commit of main has a roles.yaml that names a human and that this
// version can read.
var ErrNoRoles = errors.New("no commit of main has a " + policy.RolesFile + " that can be read and names a human")

// FindLastRoles returns the newest such roles.yaml, or ErrNoRoles.
func FindLastRoles(s Session) (LastRoles, error) {
	var out LastRoles
	err := s.Repo.Lineage(s.InForce, func(c gitstore.Commit) (bool, error) {
		view, err := s.Repo.Snapshot(c.Tree)
		if err != nil {
			return false, err
		}
		src, err := view.Read(policy.RolesFile)
		if policies, _ := s.PoliciesAt(view); err == nil && len(policies.Roles.Humans()) > 0 {
			out.Commit, out.Text, out.Roles = c.Hash, src, policies.Roles
			return false, nil
		}
		return c.Hash != s.Genesis, nil
	})
	if err == nil && out.Commit.IsZero() {
		err = ErrNoRoles
	}
	return out, err
}

// Reanchored makes the roles.yaml of a re-anchor: a human has one key, and every other key
// of a human is revoked.
func (l LastRoles) Reanchored(name string, key ssh.PublicKey, reason string, now time.Time) ([]byte, error) {
	src, own := l.Text, review.FingerprintOf(key)
	var err error
	humans := append([]string{name}, l.Roles.Humans()...)
	slices.Sort(humans)
	for _, human := range slices.Compact(humans) {
		id, _ := l.Roles.ByName(human)
		change := policy.RolesChange{Name: human}
		if human == name && !slices.Contains(id.Keys, own) {
			change.Keys = []string{strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))}
		}
		for _, k := range id.Keys {
			if k == own {
				continue
			}
			change.Revoke = append(change.Revoke, policy.Revocation{Key: k, From: now.UTC().Truncate(time.Second), Reason: reason})
		}
		if len(change.Keys)+len(change.Revoke) == 0 {
			continue
		}
		if src, err = policy.EditRoles(src, change); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// MakeReanchor writes the commit and moves main to it. Making it accepts it for this user.
func MakeReanchor(s Session, roles []byte, reason string, signer ssh.Signer, author gitstore.Person) (tree.Hash, error) {
	main, err := s.Repo.Commit(s.Main)
	if err != nil {
		return tree.Hash{}, err
	}
	top, err := s.Repo.WriteTree(main.Tree, []tree.Edit{{Path: policy.RolesFile, Content: roles}})
	if err != nil {
		return tree.Hash{}, fmt.Errorf("write the tree of the re-anchor: %w", err)
	}
	c := gitstore.Commit{Tree: top, Parents: []tree.Hash{s.Main}, Author: author, Committer: author, Message: "Re-anchor the workspace under a new key\n\n" +
		"Every key of a human is revoked. The key that signed this commit is the only one.\n" +
		"Nothing in the repository proves that this is right: people must confirm it outside.\n\n" +
		attest.ReasonTrailer + ": " + reason + "\n" + attest.ReanchorTrailer + ": " + s.Genesis.String() + "\n"}
	commit, err := s.Repo.WriteCommit(c, func(payload []byte) (string, error) {
		armored, err := review.SignCommit(payload, signer)
		return string(armored), err
	})
	if err != nil {
		return commit, fmt.Errorf("write the re-anchor: %w", err)
	}
	if err := keys.Accept(s.ID(), commit); err != nil {
		return commit, err
	}
	return commit, s.Repo.Update(gitstore.RefUpdate{Name: attest.MainRef, Old: s.Main, New: commit, Reflog: "assent: re-anchor"})
}
