package validate

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
)

// historyDepth bounds how far back circular edits are looked for.
const historyDepth = 50

// Earlier is a version that a file had before the base.
type Earlier struct {
	Hash tree.Hash
	Read func() ([]byte, error)
	// Replaced names the proposal whose merge replaced it, "" if none is known. May be nil.
	Replaced func() string
}

// checkCircular refuses an edit that silently restores an earlier text (A→B→A). It compares
// Markdown section by section, since merges in between may have changed others, and any
// other file as a whole.
func checkCircular(s *purpose, out *diag.List, c tree.Change) error {
	if s.History == nil || c.Added() || c.Removed() || names.Area(c.Path) != names.SoulArea && names.Area(c.Path) != names.SkillsArea {
		return nil
	}
	if brought, err := s.bringsBack(); brought || err != nil {
		return err
	}
	back, err := s.broughtBack(c)
	//defence:no-silent-return
	if err == nil && back.versions > 0 {
		err = sayBack(s, out, c, back)
	}
	return err
}

// sayBack reports a restored text, unless the engine restored it. If the edit also changes
// other text, the finding is a warning for a person to judge.
func sayBack(s *purpose, out *diag.List, c tree.Change, back back) error {
	if own, err := s.ownEntries(c); own || err != nil {
		return err
	}
	shown, err := s.addsCase(c.Path)
	if err != nil {
		return err
	}
	d := diag.Diagnostic{
		Rule: RuleCircular, Severity: diag.Error, Pos: diag.Pos{File: c.Path, Line: back.line},
		Fix:     wayBack(s.change, c.Path, back) + "; for a repair, add a test case that fails without it",
		Message: fmt.Sprintf("the edit brings back %s %s", back.what, ago(back.versions)),
	}
	if shown || !back.alone {
		d.Severity = diag.Warning
	}
	out.Add(d)
	return nil
}

// wayBack says how the earlier text is proposed openly. This proposal ends first: it would
// be the same change.
func wayBack(s *change, file string, back back) string {
	way := "if the earlier text is wanted: "
	if s.proposal != nil {
		way += "assent withdraw " + names.ShellWord(s.proposal.ID) + "; then "
	}
	agent, ok := names.AgentOf(file)
	switch {
	case back.replaced != "":
		return way + "assent undo " + back.replaced
	case ok && file == soulPath(agent):
		return way + "assent soul history " + agent + ", and assent soul restore " + names.ShellWord(agent) + " --to VERSION"
	}
	return way + "assent log " + file + ", and assent undo ID for each merge since then, the newest first"
}

func ago(changes int) string {
	if changes == 1 {
		return "before its last change"
	}
	return fmt.Sprintf("%d changes ago", changes)
}

// back describes the earlier text that an edit restores.
type back struct {
	versions int // how many changes ago the text was there; 0 if the edit restores nothing
	what     string
	line     int
	// alone is false where the edit changes something else in the file, too.
	alone bool
	// replaced is the one merge since then, by its proposal, if it is known.
	replaced string
}

// since names the merge that replaced a version, if it was the last change.
func (e Earlier) since(versions int) string {
	if versions != 1 || e.Replaced == nil {
		return ""
	}
	return e.Replaced()
}

// broughtBack finds the earlier text that an edit restores.
func (s *purpose) broughtBack(c tree.Change) (back, error) {
	earlier, err := s.History(c.Path)
	if err != nil {
		return back{}, fmt.Errorf("history of %s: %w", c.Path, err)
	}
	now, err := s.blobOf(c)
	if err != nil {
		return back{}, err
	}
	earlier = slices.DeleteFunc(earlier[:min(len(earlier), historyDepth)], func(e Earlier) bool { return e.Hash == c.Old.Hash })
	for i, e := range earlier {
		if e.Hash == now {
			return back{versions: i + 1, what: "exactly the content that the file had", alone: true, replaced: e.since(i + 1)}, nil
		}
	}
	if len(earlier) == 0 || path.Ext(c.Path) != ".md" {
		return back{}, nil
	}
	was, err := s.readBase(c)
	if err != nil {
		return back{}, err
	}
	is, err := s.readHead(c)
	if err != nil {
		return back{}, err
	}
	return sectionsBack(was, is, earlier)
}

// sectionsBack compares the sections that an edit changes with their earlier versions. The
// engine's own entries, the version and the order of sections count as no change.
func sectionsBack(was, is []byte, earlier []Earlier) (back, error) {
	before, after := circularParts(was), circularParts(is)
	var changed []string
	for _, name := range after.order {
		if p := after.part[name]; before.part[name].text != p.text && strings.Contains(p.text, "\n") {
			changed = append(changed, name)
		}
	}
	out, found := back{}, 0
	for i, e := range earlier {
		if found == len(changed) {
			break
		}
		src, err := e.Read()
		if err != nil {
			return back{}, err
		}
		old := circularParts(src)
		for _, name := range changed {
			if p := after.part[name]; p.text == "" || old.part[name].text != p.text {
				continue
			}
			if found++; out.versions == 0 {
				out = back{versions: i + 1, what: fmt.Sprintf("the section %q as it was", name), line: after.part[name].line, replaced: e.since(i + 1)}
			}
			p := after.part[name]
			p.text = "" // found; the nearest version counts
			after.part[name] = p
		}
	}
	out.alone = found == len(changed)
	return out, nil
}

// versionLine matches the version, which goes up with every change.
var versionLine = regexp.MustCompile(`(?m)^\s*version:.*\n`)

func circularParts(src []byte) parts {
	p := partsOf(src)
	p.order = slices.DeleteFunc(p.order, isLearned)
	first := p.part[beginning]
	first.text = versionLine.ReplaceAllString(first.text, "")
	p.part[beginning] = first
	return p
}

// addsCase reports whether the change adds a test case to the capability that holds a
// file. Whether the case fails on the code in force is checked where the tests run.
func (s *capabilities) addsCase(file string) (bool, error) {
	all, err := s.load()
	if err != nil {
		return false, err
	}
	for _, l := range all {
		if l.InBase && l.InHead && strings.HasPrefix(file, l.Dir+"/") {
			return slices.ContainsFunc(l.head.Suite.Cases, func(c capability.Case) bool {
				return !c.Existing && !slices.ContainsFunc(l.base.Suite.Cases, func(was capability.Case) bool { return was.Name == c.Name })
			}), nil
		}
	}
	return false, nil
}

// bringsBack reports whether the change declares that it restores earlier content, and
// does.
func (s *purpose) bringsBack() (bool, error) {
	kind, err := s.kind()
	return kind == proposal.Undo || kind == proposal.Restore, err
}

// ownEntries reports whether a change of a SOUL.md is the engine's alone: a capability that
// is proposed again after an undo restores its learned entry and no other text.
func (s *purpose) ownEntries(c tree.Change) (bool, error) {
	if agent, ok := names.AgentOf(c.Path); !ok || c.Path != soulPath(agent) {
		return false, nil
	}
	base, err := s.readBase(c)
	if err != nil {
		return false, err
	}
	head, err := s.readHead(c)
	if err != nil {
		return false, err
	}
	return s.engineOnly(c.Path, base, head)
}
