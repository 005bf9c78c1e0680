package scan

import "github.com/assent-dev/assent/engine/base/diag"

// undeclaredHosts looks at programs only: a text may name any host.
func undeclaredHosts(_ *machine, d *document) []match {
	if d.declared == nil || !d.wholeProgram() {
		return nil
	}
	var found []match
	for _, h := range hosts(d) {
		if !d.declared.admits(h.name) && !d.inComment(h.start) {
			found = append(found, match{start: h.start, end: h.end, severity: diag.Warning, confidence: 0.9,
				message: "the code speaks to " + Visible(h.name) + ", which the capability does not declare"})
		}
	}
	return found
}
