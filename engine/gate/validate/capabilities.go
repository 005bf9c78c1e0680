package validate

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
)

// loaded is one touched capability, read on both sides.
type loaded struct {
	capability.Touched
	base, head           capability.Capability
	baseDiags, headDiags diag.List
}

// capabilities are those of the head: the touched ones, read on both sides, and all others by name.
// Each is looked up when a check first asks for it.
type capabilities struct {
	*change
	names   capability.Namer // of the base
	loaded  []loaded         // see load
	overlay *capability.Overlay
	calling *calling // see callers
}

// load reads the touched capabilities once.
func (s *capabilities) load() ([]loaded, error) {
	if s.loaded != nil {
		return s.loaded, nil
	}
	for _, f := range s.touched {
		l := loaded{Touched: f}
		var err error
		if f.InBase {
			if l.base, l.baseDiags, err = capability.Load(s.Base, f.Dir); err != nil {
				return nil, fmt.Errorf("read %s of the base: %w", f.Dir, err)
			}
		}
		if f.InHead {
			if l.head, l.headDiags, err = capability.Load(s.Head, f.Dir); err != nil {
				return nil, fmt.Errorf("read %s of the change: %w", f.Dir, err)
			}
		}
		s.loaded = append(s.loaded, l)
	}
	return s.loaded, nil
}

// checkCapabilities judges each touched capability by itself, and against its version in
// the base.
func checkCapabilities(s *purpose) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	for _, l := range all {
		if !l.InHead {
			continue
		}
		out.Add(l.headDiags...)
		pos := diag.Pos{File: l.Dir + "/" + names.SkillFile}
		out.Add(names.CheckCapability(l.Name, pos)...)
		if l.Group != "" {
			out.Add(names.CheckGroup(l.Group, pos)...)
		}
		checkDescription(&out, l, pos)
		if !l.InBase {
			continue
		}
		found, err := s.goesBack(l, capability.CheckUpdate(l.base, l.head, true))
		if err != nil {
			return out, err
		}
		out.Add(found...)
	}
	return out, nil
}

// leastDescription is how many characters a description has at least (seed: ten).
const leastDescription = 10

// checkDescription judges new descriptions only: one that is in force already is accepted.
func checkDescription(out *diag.List, l loaded, pos diag.Pos) {
	text := strings.TrimSpace(l.head.Description)
	if text == "" || utf8.RuneCountInString(text) >= leastDescription || l.InBase && l.base.Description == l.head.Description {
		return
	}
	out.Errorf(RuleDescription, pos, "say what it does and when to use it, in one or two sentences",
		"the description of %s has %d characters, fewer than %d", l.Name, utf8.RuneCountInString(text), leastDescription)
}

// checkRegistry judges touched capabilities together with all others: their names and
// their references. It only looks up names and reads nothing else.
func checkRegistry(s *purpose) (diag.List, error) {
	var out diag.List
	if len(s.touched) == 0 {
		return out, nil
	}
	registry, err := s.registry()
	if err != nil {
		return out, err
	}
	for _, d := range registry.Diagnostics {
		if s.concerns(d) {
			out.Add(d)
		}
	}
	if err := checkTwins(s.capabilities, &out, registry); err != nil {
		return out, err
	}
	all, err := s.load()
	if err != nil {
		return out, err
	}
	brought, err := s.bringsBack()
	if err != nil {
		return out, err
	}
	for _, l := range all {
		if !l.InHead {
			continue
		}
		if err := checkReferences(&out, l, brought, registry); err != nil {
			return out, err
		}
	}
	return out, nil
}

// registry finds capabilities of the head by name. It uses the names of the base, and lists
// only touched folders again.
func (s *capabilities) registry() (*capability.Overlay, error) {
	if s.overlay == nil {
		o, err := capability.NewOverlay(s.names, s.Base, s.Head, s.changes)
		if err != nil {
			return nil, fmt.Errorf("list capabilities: %w", err)
		}
		s.overlay = o
	}
	return s.overlay, nil
}

// checkTwins reports touched capabilities that share a name with another one. For those
// that were in the base, it repeats the finding that they had there.
func checkTwins(s *capabilities, out *diag.List, registry *capability.Overlay) error {
	var found []capability.Folder
	for _, t := range s.touched {
		if !t.InHead {
			continue
		}
		same, err := registry.Named(t.Name)
		if err != nil {
			return fmt.Errorf("look for the name %s: %w", t.Name, err)
		}
		found = append(found, same...)
	}
	order.Sort(found, capability.CompareFolders)
	for _, d := range capability.CheckTwins(slices.Compact(found)) {
		//defence:one-name-one-capability
		if s.concerns(d) {
			out.Add(d)
		}
	}
	return nil
}

// concerns reports whether a finding about the whole registry is about something
// that the change touches.
func (s *change) concerns(d diag.Diagnostic) bool {
	for _, f := range s.touched {
		for _, file := range []string{d.File, d.Also.File} {
			if file == f.Dir || strings.HasPrefix(file, f.Dir+"/") {
				return true
			}
		}
	}
	for _, c := range s.changes {
		if c.Path == d.File {
			return true
		}
	}
	return false
}

// checkReferences looks up the capabilities that a record names. What was valid in main is valid when it comes
// back, moves, or is copied to another workspace: what supersedes and implements name may have been archived.
func checkReferences(out *diag.List, l loaded, brought bool, registry capability.Namer) error {
	r := l.head.Record
	var failed error
	severity, fix := diag.Error, "propose that capability first, or correct the name"
	missing := func(what string, list ...string) {
		var field []any
		for _, key := range strings.Split(what, ".") {
			field = append(field, key)
		}
		for i, name := range list {
			if name == "" {
				continue
			}
			known, err := registry.Named(name)
			if err != nil {
				failed = fmt.Errorf("look for the name %s: %w", name, err)
			}
			//defence:references-exist
			if err == nil && len(known) == 0 {
				out.Add(diag.Diagnostic{Rule: RuleReference, Severity: severity, Pos: l.head.RecordPos(append(slices.Clone(field), i)...), Fix: fix,
					Message: fmt.Sprintf("%s names %s, which is no capability of this workspace", what, name)})
			}
		}
	}
	missing("requires.capabilities", r.Requires.Capabilities...)
	missing("requires.optional", r.Requires.Optional...)
	missing("enhances", r.Enhances...)
	missing("applies_to", r.AppliesTo...)
	if brought || !l.InBase {
		severity, fix = diag.Warning, "correct the name; if what it names was archived, or is in another workspace, leave it"
	}
	if !l.InBase || r.Supersedes != l.base.Record.Supersedes {
		missing("supersedes", r.Supersedes)
	}
	if !l.InBase || r.Implements != l.base.Record.Implements {
		missing("implements", r.Implements)
	}
	return failed
}
