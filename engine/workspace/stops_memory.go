package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/home/keys"
)

// rememberStops appends the records that this user saw before and that the repository lacks or
// has altered, and remembers new ones of humans. Only its date or a lift ends a stop; a
// change of its ref does not. An error of saving is ignored.
func rememberStops(s Session, here []stop.Signed) ([]stop.Signed, error) {
	seen, err := keys.LoadStops(s.ID())
	if err != nil {
		return nil, err
	}
	present := map[string]stop.Signed{}
	for _, one := range here {
		present[one.ID] = one
		if _, known := seen[one.ID]; !known && worthRemembering(s, one) {
			if data, err := json.Marshal(review.Signed{Record: one.Record, Signature: one.Signature}); err == nil {
				_ = keys.SaveStop(s.ID(), one.ID, data)
			}
		}
	}
	for id, data := range seen {
		var signed review.Signed
		if json.Unmarshal(data, &signed) != nil {
			continue
		}
		one := stop.Signed{ID: id, Record: signed.Record, Signature: signed.Signature}
		if ref, is := present[id]; !is || !sameStop(ref, one) {
			//defence:deleted-stops-still-hold
			here = append(here, one)
		}
	}
	return here, nil
}

// sameStop reports whether two records and their signatures are equal.
func sameStop(a, b stop.Signed) bool {
	return bytes.Equal(a.Record, b.Record) && bytes.Equal(a.Signature, b.Signature)
}

// worthRemembering keeps unlisted signers' records and expired ones out of the memory.
func worthRemembering(s Session, one stop.Signed) bool {
	r, by, err := stop.Open(one)
	if err != nil || r.Workspace != s.Genesis || s.Now().Sub(r.At) > forgetStops {
		return false
	}
	id, known := s.Policies.Roles.ByKey(by)
	return known && s.Policies.Roles.Satisfies(id, policy.Human)
}

// RestoreStops files the remembered records whose refs are gone or differ. Each error names one
// record; the others are restored.
func RestoreStops(s Session) []error {
	here, _, err := s.StopRecords().list(stopCase(context.Background(), s)) // asks for no proposals
	if err != nil {
		return []error{err}
	}
	all, err := rememberStops(s, here)
	if err != nil {
		return []error{err}
	}
	var failed []error
	for _, one := range all[len(here):] {
		if !worthRemembering(s, one) {
			continue
		}
		if err := s.StopRecords().File(one); err != nil {
			failed = append(failed, fmt.Errorf("restore the stop %s: %w", one.ID, err))
		}
	}
	return failed
}

// AdmitStop says why a record that comes from elsewhere is not taken in, or nothing.
func AdmitStop(s Session, one stop.Signed) error {
	if !worthRemembering(s, one) {
		return fmt.Errorf("stop %s: it is signed by no human of this workspace, or long over", one.ID)
	}
	return nil
}
