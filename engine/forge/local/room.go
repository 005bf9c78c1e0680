package local

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/journal"
)

// Anyone who can push can fill a journal. The invariant: the last part of a journal's bounds holds
// decisions only, and a stranger cannot fill it. A decision there is a review or the announcement of a
// merge that a key in the roles signed for this proposal, once. The roles are those of the first head,
// so that the same events can be read for ever. Few and small decisions after each of them need no
// signature, because proposals are closed and merged without a key, too. Any other event there is
// damage: readers keep what is below it.
const (
	maxInRoom    = forge.MaxAttestation + 256<<10 // bytes of a signed decision
	maxUnproved  = 16                             // decisions without a signature, after each signed one
	maxUnsigned  = 16 << 10                       // bytes of each
	rolesFile    = "policies/roles.yaml"
	maxRolesFile = 1 << 20
)

// replay replays the journal of a proposal and checks what is in its last part, unless main has it.
func (r record) replay(id string, events []journal.Event) (replayed, error) {
	now, err := replay(id, events, r.merged)
	if err == nil && now.pull.State != forge.Merged {
		err = r.keepsRoom(id, events)
	}
	return now, err
}

// keepsRoom returns an error for the first event that may not be in the last part of a journal.
func (r record) keepsRoom(id string, events []journal.Event) error {
	from := journal.InRoom(events)
	if from == len(events) {
		return nil
	}
	known, err := r.listed(events[0])
	if err != nil {
		return err
	}
	held, unproved := map[[sha256.Size]byte]bool{}, 0
	for i, ev := range events {
		what, key := signedBy(id, ev)
		proved := false
		if known[key] {
			digest := sha256.Sum256(what)
			proved = !held[digest] && ev.Size() <= maxInRoom
			held[digest] = true
		}
		if proved {
			unproved = 0
		}
		if i < from || proved {
			continue
		}
		//defence:a-full-journal-takes-decisions
		if unproved++; !decides(ev) || unproved > maxUnproved || ev.Size() > maxUnsigned {
			return fmt.Errorf("event %d (%s, by %.80q) is in the last %d MiB or %d events of the journal, which take decisions only: %w",
				i+1, ev.Kind, ev.By, journal.RoomBytes>>20, journal.RoomEvents, errCrowded)
		}
	}
	return nil
}

// errCrowded reports an event that leaves no room for decisions.
var errCrowded = fmt.Errorf("it is full: propose again, or assent doctor --fix --remote if others filled it: %w", journal.ErrFull)

// decides reports whether an event may be in the last part of a journal.
func decides(ev journal.Event) bool {
	switch ev.Kind {
	case evReview, evMerging, evMerged, evClosed, evReopened:
		return true
	}
	return false
}

// signedBy returns what was signed in a decision about a proposal, and the key; nothing without a signature.
func signedBy(id string, ev journal.Event) (what []byte, key review.Fingerprint) {
	var of struct {
		Proposal string `json:"proposal"`
	}
	switch ev.Kind {
	case evReview:
		rec, by, err := review.Verify(review.Signed{Record: ev.Files[recordFile], Signature: ev.Files[signatureFile]})
		if err == nil && rec.Proposal == id {
			return ev.Files[recordFile], by
		}
	case evMerging:
		data := ev.Files[attestationFile]
		by, err := review.VerifyAttestation(data, ev.Files[attestationSignatureFile])
		if err == nil && json.Unmarshal(data, &of) == nil && of.Proposal == id {
			return data, by
		}
	}
	return nil, ""
}

var (
	fingerprints = regexp.MustCompile(`SHA256:[A-Za-z0-9+/]{43}`)
	publicKeys   = regexp.MustCompile(`[a-z][a-z0-9@.-]+ [A-Za-z0-9+/=]{32,}`)
)

// listed returns the keys that the roles name at the first head of a proposal.
func (r record) listed(opened journal.Event) (map[review.Fingerprint]bool, error) {
	head, err := tree.ParseHash(opened.Fields["Head"])
	if err != nil {
		return nil, err
	}
	known := map[review.Fingerprint]bool{}
	var text []byte
	view, err := r.repo.Snapshot(head)
	if err == nil {
		var e tree.Entry
		if e, err = view.Lookup(rolesFile); err == nil {
			text, err = r.repo.BlobWithin(e.Hash, maxRolesFile)
		}
	}
	if err != nil {
		return known, nil //nolint:nilerr // then no key is listed
	}
	for _, f := range fingerprints.FindAll(text, -1) {
		known[review.Fingerprint(f)] = true
	}
	for _, k := range publicKeys.FindAll(text, -1) {
		if key, _, _, _, err := ssh.ParseAuthorizedKey(k); err == nil {
			known[review.FingerprintOf(key)] = true
		}
	}
	return known, nil
}
