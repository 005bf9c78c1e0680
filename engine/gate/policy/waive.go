package policy

import (
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
)

// Waive turns the findings that a waiver admits into notes that say so. A waiver
// admits the findings of one rule in one content until its day; one that ended, or
// that was given for another content, changes nothing, and the finding says that
// it is there. blobOf is the Git name of a finding's file, "" where it has none.
func (s Security) Waive(found diag.List, blobOf func(file string) string, today time.Time) {
	for i, d := range found {
		if d.Severity != diag.Note {
			s.waive(&found[i], blobOf(d.File), today)
		}
	}
}

const dayFormat = "2006-01-02"

func (s Security) waive(d *diag.Diagnostic, blob string, today time.Time) {
	said := ""
	for _, w := range s.Waivers {
		switch {
		case w.Rule != d.Rule:
		case blob == "" || w.Blob != blob:
			if said == "" {
				said = fmt.Sprintf(" (the waiver of this rule is for the content %.10s; this one is %.10s)", w.Blob, blob)
			}
		case !today.Before(w.Expires):
			said = fmt.Sprintf(" (waived until %s, which is over)", w.Expires.Format(dayFormat))
		default:
			d.Severity = diag.Note
			d.Message += fmt.Sprintf(" (waived until %s: %s)", w.Expires.Format(dayFormat), w.Reason)
			return
		}
	}
	d.Message += said
}
