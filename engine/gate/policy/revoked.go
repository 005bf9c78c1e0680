package policy

import (
	"errors"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/plaintext"
	"github.com/assent-dev/assent/engine/format/review"
)

// MaxRevocationReason bounds the reason of a revocation, in bytes.
const MaxRevocationReason = 500

// Revocation takes a key out of use for good.
//
// A revoked key proves nothing from the moment its entry is in force, whatever date a
// signature bears: the holder of a stolen key writes any date. Merges that were in force
// before are judged by the roles before them, so they stay. From only says since when
// earlier approvals by the key are in doubt (assent keys audit).
type Revocation struct {
	Key    review.Fingerprint `json:"key"`
	From   time.Time          `json:"from"`
	Reason string             `json:"reason"`
}

// RevokedKey returns the identity that a revoked key belonged to, and the revocation.
func (r Roles) RevokedKey(key review.Fingerprint) (Identity, Revocation, bool) {
	id, known := r.ByName(r.revoked[key])
	if !known {
		return Identity{}, Revocation{}, false
	}
	for _, rev := range id.Revoked {
		if rev.Key == key {
			return id, rev, true
		}
	}
	return Identity{}, Revocation{}, false
}

// Revokes reports whether r revokes a key under the name of its owner.
func (r Roles) Revokes(owner Identity, key review.Fingerprint) bool {
	id, _, revoked := r.RevokedKey(key)
	return revoked && id.Name == owner.Name
}

// Refusal says why signatures by the key count for nothing.
func (r Revocation) Refusal(name string) string {
	return "the key " + string(r.Key) + " of " + name + " is revoked from " + r.From.UTC().Format(time.RFC3339) + ": " + r.Reason
}

// Bereft returns the people of r who hold keys and no account, if the text of the next
// roles.yaml revokes all their keys.
func (r Roles) Bereft(next []byte) []string {
	_, after, ds := readRaw(next)
	if ds.HasErrors() {
		return nil
	}
	var out []string
	for _, id := range r.All() {
		lost := len(id.Keys) > 0 && len(id.Logins) == 0 && id.Kind == KindHuman
		for _, key := range id.Keys {
			lost = lost && after.revoked[key] == id.Name
		}
		if lost {
			out = append(out, id.Name)
		}
	}
	return out
}

type rawRevocation struct {
	Key    string `yaml:"key"`
	From   string `yaml:"from"`
	Reason string `yaml:"reason"`
}

// revocations reads the revoked keys of an identity. Each key stays taken, so that no one
// can list it again, and identities that wrote or pushed with it stay excluded.
func (r *rolesReader) revocations(section, name string, raw []rawRevocation) (out []Revocation) {
	for i, entry := range raw {
		rev, ok := r.revocation(section, name, i, entry)
		if ok && claim(r, r.doc.ValuePos(section, name, "revoked", i, "key"), r.claimed, rev.Key, name, "key") {
			//defence:revoked-keys-prove-nothing
			r.out.revoked[rev.Key] = name
			out = append(out, rev)
		}
	}
	return out
}

func (r *rolesReader) revocation(section, name string, i int, raw rawRevocation) (rev Revocation, ok bool) {
	pos := func(field string) diag.Pos { return r.doc.ValuePos(section, name, "revoked", i, field) }
	key, ok := r.key(pos("key"), raw.Key)
	from, err := ParseInstant(raw.From)
	if err != nil {
		r.ds.Errorf(RuleRevoked, pos("from"), `write it as "2026-11-01T00:00:00Z"`, "%q is no instant in UTC and whole seconds", raw.From)
		ok = false
	}
	if why := badRevocationReason(raw.Reason); why != "" {
		r.ds.Errorf(RuleRevoked, pos("reason"), "say in one line why the key is revoked", "the reason %s", why)
		ok = false
	}
	return Revocation{Key: key, From: from, Reason: raw.Reason}, ok
}

// ParseInstant reads an instant as roles.yaml writes it: UTC, whole seconds.
func ParseInstant(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err == nil && at.UTC().Format("2006-01-02T15:04:05Z") != text {
		err = errors.New("want UTC and whole seconds")
	}
	return at.UTC(), err
}

func badRevocationReason(s string) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "is missing"
	case len(s) > MaxRevocationReason:
		return "is longer than 500 bytes"
	}
	if _, found := plaintext.Control(s); found {
		return "holds a line break or a control character"
	}
	return ""
}
