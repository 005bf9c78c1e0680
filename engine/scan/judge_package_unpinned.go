package scan

import "github.com/assent-dev/assent/engine/base/diag"

// unpinnedPackages looks at configurations and programs. Texts show commands to
// people, who see which version they get.
func unpinnedPackages(_ *machine, d *document) []match {
	var found strongest
	for _, w := range packages(d) {
		if w.runs && !w.pinned && (!w.r.own || d.wholeProgram()) {
			found.add(w.r.acted(w.act, diag.Note, 0.5, "the newest version of "+Visible(w.name)+" is fetched and run"))
		}
	}
	return found.found
}
