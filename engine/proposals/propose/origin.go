package propose

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

// recorded returns the record of a request's origin. Content from the inbox was made in an unknown
// session: the session of the inbox's reader says nothing about it.
func recorded(cur workspace.Session, r Request) ([]byte, error) {
	rec := provenance.Record{V: provenance.Version, Engine: version.Engine, Origin: r.Origin}
	rec.Source, rec.Tool = provenance.Line(rec.Source), provenance.Line(r.Tool)
	if rec.Way == "" {
		rec.Way = provenance.Edit
	}
	if id, ok := cur.Policies.Roles.ByName(r.By.Name); !ok || id.Kind == policy.KindAgent {
		rec.Agent = provenance.Line(r.By.Name)
	}
	if rec.Way != provenance.Inbox {
		var err error
		if rec.Session, err = Session(cur.Workspace); err != nil {
			return nil, err
		}
	}
	return rec.Encode()
}

// Session returns the identity set up on this machine: Git's user.email, and the default signing
// key. An unreadable key counts as none.
func Session(w *workspace.Workspace) (provenance.Session, error) {
	_, email := w.Repo.User()
	s := provenance.Session{Email: provenance.Line(email)}
	git := ""
	if w.Repo.Config("gpg.format") == "ssh" {
		git = w.Repo.Config("user.signingkey")
	}
	spec, err := keys.Default(git)
	if err != nil {
		return s, fmt.Errorf("find the key that would sign: %w", err)
	}
	key, err := keys.Public(spec)
	for _, none := range []error{keys.ErrMissing, keys.ErrAgent, keys.ErrNotKey, keys.ErrPassphrase} {
		if errors.Is(err, none) {
			return s, nil
		}
	}
	if err != nil {
		return s, fmt.Errorf("read the key that would sign: %w", err)
	}
	s.Key = review.FingerprintOf(key)
	return s, nil
}

// DigestOf returns the digest of a set of files, independent of their order.
func DigestOf(edits []tree.Edit) string {
	var lines []string
	for _, e := range edits {
		lines = append(lines, fmt.Sprintf("%q %t %s %s\n", e.Path, e.Remove, e.Mode, canonical.Digest(e.Content)))
	}
	slices.Sort(lines)
	return canonical.Digest([]byte(strings.Join(lines, "")))
}
