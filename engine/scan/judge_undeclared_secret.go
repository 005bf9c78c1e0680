package scan

import (
	"slices"
)

// judgeUndeclaredSecret drops declared secrets.
func judgeUndeclaredSecret(d *document, m *match) bool {
	return d.declared != nil && !slices.Contains(d.declared.Secrets, m.group(d, 1)) && !d.inComment(m.start)
}
