package scanner

import (
	"path"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/scan"
)

// doubled finds repeated keys in a front matter or a record: one reader takes the first and
// another the last, so an agent may get other content than was scanned. Other faults of the form
// are left to the importer.
func doubled(files []scan.File) diag.List {
	var found diag.List
	for _, f := range files {
		var ds diag.List
		switch name := path.Base(f.Path); {
		case !f.Mode.IsFile() || f.Size > 0:
			continue
		case name == names.SkillFile:
			_, ds = capability.ReadSkill(f.Path, f.Content)
		case name == capability.RecordFile:
			_, ds = capability.ParseRecord(f.Path, f.Content)
		}
		for _, d := range ds {
			if d.Rule == strictyaml.RuleDuplicate {
				d.Severity, d.Why = diag.Warning, "Readers of YAML differ in which of the two they take."
				found.Add(d)
			}
		}
	}
	return found
}
