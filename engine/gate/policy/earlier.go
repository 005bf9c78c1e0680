package policy

import (
	"fmt"
	"strings"
)

// Earlier is set if a report claims that another version of the engine allowed the merge that
// is judged again, and the caller believes it. Anyone can write such a report, so it excuses little:
// never a required check, and what validation or the scanner refuses needs as many humans as a
// critical change, and at least two, each of whom signed for the merge.
type Earlier struct {
	// By names that version, as the report does.
	By string
	// Vouchers signed for the merge without reviewing it: its attestation, or a
	// checkpoint that saw it in force. Only keys that signatures were checked against.
	Vouchers []Actor
}

// refusesToday returns the reasons why today's rules refuse the merge, or an empty string if
// they do not.
func (f Facts) refusesToday() string {
	var out []string
	if n := f.Validation.Errors; n > 0 {
		out = append(out, "validation finds "+counted(n, "error"))
	}
	if n := f.Scan.Errors; n > 0 {
		out = append(out, "the scanner blocks "+counted(n, "finding"))
	}
	if !f.Scan.Ran {
		out = append(out, "the scanner cannot look at it")
	}
	return strings.Join(out, ", ")
}

// earlierNeeds requires humans if another version allowed a merge that would be refused today.
func (c inquiry) earlierNeeds(out *needs) {
	if c.f.Earlier == nil {
		return
	}
	//defence:other-versions-need-people
	if refuses := c.f.refusesToday(); refuses != "" {
		why := fmt.Sprintf("%s let it pass, and by today's rules %s", c.f.Earlier.By, refuses)
		out.add(why, Requirement{Role: Human, Count: 2})
		out.add(why, c.tierRequirements(Critical)...)
	}
}

// vouched returns the names of those who signed for a merge without reviewing it. A later
// decision of theirs, or its withdrawal, counts instead.
func vouched(r reviews, decided opinions) map[string]bool {
	if r.f.Earlier == nil {
		return nil
	}
	out, revoked := map[string]bool{}, r.revoked()
	for _, a := range r.f.Earlier.Vouchers {
		id, known := r.roles.Proven(a)
		_, spoke := decided.latest[id.Name]
		_, back := revoked[id.Name]
		if known && !spoke && !back {
			out[id.Name] = true
		}
	}
	return out
}
