package policy

import (
	"fmt"
	"strings"
)

// Earlier is another version of the engine that, as its report says, let pass what is
// judged again here. Anybody can write such a report, so it excuses nothing by itself:
// what today's rules refuse then needs as many humans as a critical change, and two at
// least, each of whom signed for it.
type Earlier struct {
	// By names that version, as the report does.
	By string
	// Vouchers signed for the merge without reviewing it: its attestation, or a
	// checkpoint that saw it in force. Only keys that signatures were checked against.
	Vouchers []Actor
}

// refusesToday says what stands against a merge by today's rules alone; empty where
// nothing does.
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

// earlierNeeds asks for people where another version let pass what would be refused.
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

// vouched are those who signed for a merge without reviewing it, by name. Who decided
// something, or took it back, is held to that.
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
