package capability

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Imported is the result of importing a foreign skill folder. All paths are relative to
// the capability's folder.
type Imported struct {
	// Name is the capability's name: the declared one if it is valid, else the folder's,
	// else one derived from either.
	Name string
	// Original is the SKILL.md as found, under its original name.
	Original tree.Edit
	// Edits are the files to store; content files are byte-identical.
	Edits []tree.Edit
	// Changes has a sentence for each change and omission.
	Changes []string
	// Skipped reports that nothing can be imported; Diags has the reasons.
	Skipped bool
	// Diags has the reasons for skipping (errors) and for omitting files (warnings), at
	// paths in the found folder.
	Diags diag.List
}

// Import converts a foreign skill folder into a capability. folderName is the folder's
// name; paths of files are relative to it. SKILL.md is rewritten only as the strict
// format requires: unknown keys move under metadata as strings, text of the wrong type or
// length is corrected, and the name is made valid. Metadata then gets "assent-original",
// the blob hash of the file as found. A file without faults stays unchanged, so importing
// the result again changes nothing.
func Import(folderName string, files []tree.Edit) Imported {
	im := importer{folder: folderName}
	at := findSkill(files)
	if at < 0 {
		im.skip(diag.Pos{File: folderName}, "only folders with a SKILL.md can be imported", "the folder has no SKILL.md")
		return im.Imported
	}
	im.Original = files[at]
	im.skill(files[at])
	if im.Skipped {
		return im.Imported
	}
	for i, f := range files {
		if i != at && !f.Remove {
			im.file(f)
		}
	}
	im.collisions()
	order.Sort(im.Edits, func(a, b tree.Edit) int { return strings.Compare(a.Path, b.Path) })
	return im.Imported
}

// findSkill returns the index of the folder's SKILL.md: the exact spelling, else the
// first in another case, else -1.
func findSkill(files []tree.Edit) int {
	other := -1
	for i, f := range files {
		switch {
		case f.Remove:
		case f.Path == SkillFile:
			return i
		case other < 0 && names.Fold(f.Path) == names.Fold(SkillFile):
			other = i
		}
	}
	return other
}

type importer struct {
	Imported
	folder string
}

func (im *importer) changed(format string, args ...any) {
	im.Changes = append(im.Changes, fmt.Sprintf(format, args...))
}

func (im *importer) skip(pos diag.Pos, fix, format string, args ...any) {
	im.Skipped = true
	im.Edits, im.Changes = nil, nil
	im.Diags.Errorf(RuleImportSkill, pos, fix, format, args...)
}

// skipWith skips the folder because of the diagnostics found.
func (im *importer) skipWith(found diag.List) {
	im.Skipped = true
	im.Edits, im.Changes = nil, nil
	im.Diags.Add(found...)
}

func (im *importer) file(f tree.Edit) {
	if why := im.refused(f); len(why) > 0 {
		im.leaveOut(f.Path, why)
		return
	}
	if f.Mode == tree.Executable && !names.MayExecute(tree.Join(im.Name, f.Path)) {
		im.changed("%s is no longer executable: only files below %s/ are", f.Path, ScriptsDir)
		f.Mode = tree.Regular
	}
	im.Edits = append(im.Edits, f)
}

// refused returns the reasons why the gate would refuse f at its destination.
func (im *importer) refused(f tree.Edit) diag.List {
	out := names.CheckPath(tree.Join(tree.Join(Root, im.Name), f.Path))
	if f.Mode != 0 && f.Mode != tree.Executable {
		out.Add(names.CheckModes(tree.Entry{Path: f.Path, Mode: f.Mode})...)
	}
	if names.Fold(f.Path) == names.Fold(SkillFile) {
		out.Errorf(names.RuleCollision, diag.Pos{}, "", "the folder has a %s already", SkillFile)
	}
	return out
}

func (im *importer) leaveOut(path string, why diag.List) {
	d := why[0]
	im.Diags.Add(diag.Diagnostic{
		Rule: RuleImportFile, Severity: diag.Warning, Pos: diag.Pos{File: path}, Fix: d.Fix,
		Message: fmt.Sprintf("left out: %s [%s]", d.Message, d.Rule),
	})
	im.changed("left out %q: %s", clip(path), d.Message)
}

// collisions omits the later of two files whose names collide.
func (im *importer) collisions() {
	for {
		paths := make([]string, len(im.Edits))
		for i, e := range im.Edits {
			paths[i] = e.Path
		}
		found := names.Collisions(paths)
		if len(found) == 0 {
			return
		}
		at := slices.IndexFunc(im.Edits, func(e tree.Edit) bool { return e.Path == found[0].File })
		if at < 0 { // accepted paths are printed unchanged
			return
		}
		im.leaveOut(im.Edits[at].Path, found[:1])
		im.Edits = slices.Delete(im.Edits, at, at+1)
	}
}
