package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeCatcher only mentions a catcher that a text names without an address.
func judgeCatcher(d *document, m *match) bool {
	if d.placeOf(m.start)&prose != 0 && !strings.ContainsAny(strings.TrimRight(d.text[m.start:m.end], ".,;:/"), "/:") {
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}
