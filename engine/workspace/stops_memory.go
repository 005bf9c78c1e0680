package workspace

import (
	"encoding/json"
	"fmt"

	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/home/keys"
)

// rememberStops adds the records that this user saw before and the repository lacks, and
// remembers those of humans that are new. A stop ends by its date or a lift, and not by
// the deletion of a ref. Failing to remember costs only the memory.
func (w *Workspace) rememberStops(cur Current, here []stop.Signed) ([]stop.Signed, error) {
	seen, err := keys.LoadStops(cur.ID())
	if err != nil {
		return nil, err
	}
	for _, s := range here {
		if _, known := seen[s.ID]; !known && w.worthRemembering(cur, s) {
			if data, err := json.Marshal(review.Signed{Record: s.Record, Signature: s.Signature}); err == nil {
				_ = keys.SaveStop(cur.ID(), s.ID, data)
			}
		}
		delete(seen, s.ID)
	}
	for id, data := range seen {
		var signed review.Signed
		if json.Unmarshal(data, &signed) != nil {
			continue
		}
		s := stop.Signed{ID: id, Record: signed.Record, Signature: signed.Signature}
		//defence:deleted-stops-still-hold
		here = append(here, s)
	}
	return here, nil
}

// worthRemembering keeps records of strangers, and what is long over, out of the memory.
func (w *Workspace) worthRemembering(cur Current, s stop.Signed) bool {
	r, by, err := stop.Open(s)
	if err != nil || r.Workspace != cur.Genesis || w.Now().Sub(r.At) > forgetStops {
		return false
	}
	id, known := cur.Policies.Roles.ByKey(by)
	return known && cur.Policies.Roles.Satisfies(id, policy.Human)
}

// RestoreStops files the remembered records whose refs are gone.
func (w *Workspace) RestoreStops(cur Current) error {
	here, _, err := w.stopRefs()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, s := range here {
		known[s.ID] = true
	}
	all, err := w.rememberStops(cur, here)
	if err != nil {
		return err
	}
	for _, s := range all {
		if known[s.ID] || !w.worthRemembering(cur, s) {
			continue
		}
		if err := w.FileStop(s); err != nil {
			return fmt.Errorf("restore the stop %s: %w", s.ID, err)
		}
	}
	return nil
}

// AdmitStop says why a record that comes from elsewhere is not taken in, or nothing.
func (w *Workspace) AdmitStop(cur Current, s stop.Signed) error {
	if !w.worthRemembering(cur, s) {
		return fmt.Errorf("stop %s: it is signed by no human of this workspace, or long over", s.ID)
	}
	return nil
}
