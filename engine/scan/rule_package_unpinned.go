package scan

import "github.com/assent-dev/assent/engine/base/diag"

// packageUnpinnedRule: the newest version of a package is fetched and run.
func packageUnpinnedRule() rule {
	return rule{RuleInfo: RuleInfo{"package-unpinned", Packages, diag.Note, "whatever version of a package is newest is fetched and run",
		"What was looked at today is not what runs tomorrow; a stolen account at the registry is enough.",
		"Name the version: npx -y name@1.2.3."},
		check: unpinnedPackages}
}

// unpinnedPackages looks at configurations and programs; texts show commands to
// people, who see what they get.
func unpinnedPackages(_ *machine, d *document) []match {
	var found strongest
	for _, w := range packages(d) {
		if w.runs && !w.pinned && (!w.r.own || d.wholeProgram()) {
			found.add(w.r.acted(w.act, diag.Note, 0.5, "the newest version of "+Visible(w.name)+" is fetched and run"))
		}
	}
	return found.found
}
