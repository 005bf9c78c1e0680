package learn

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/soul"
)

// Step is one capability that a change adds, removes or alters.
type Step struct {
	Name, Dir      string
	Added, Removed bool
}

// StepsOf returns the steps of a change to some folders.
func StepsOf(touched []capability.Touched) (out []Step) {
	for _, f := range touched {
		out = append(out, Step{Name: f.Name, Dir: f.Dir, Added: !f.InBase, Removed: !f.InHead})
	}
	return out
}

// Lists writes the learned lists of one change. Only this code decides the form of the
// engine's entries, so that writing and checking cannot differ.
type Lists struct {
	// View is the tree with the change; capabilities are read from it.
	View  tree.View
	Steps []Step
	// Base is the tree before the change; nil if there was none.
	Base tree.View
	// Learner is the agent whose list gets the added capabilities.
	Learner string
	// Day is the date of new entries, yyyy-mm-dd: the day on which the proposal was
	// opened, so it follows from the path of the proposal's file.
	Day string
	// Soul reads a SOUL.md; nil reads View. The error is fs.ErrNotExist for a missing one.
	Soul func(file string) ([]byte, error)
	// Dated overrides Day for single entries; nil overrides none.
	Dated func(file, name string) string
	// Unready also lists capabilities that cannot be used yet, as earlier versions did.
	Unready bool
}

// Written returns the SOUL.md files that the engine changes, by path.
func (l Lists) Written() (map[string][]byte, error) {
	w := writing{Lists: l, out: map[string][]byte{}, listed: map[string]map[string]bool{}}
	for _, s := range l.Steps {
		if err := w.follow(s); err != nil {
			return nil, err
		}
		//defence:rewriting-lists-is-bounded
		if w.parsed > maxRewritten {
			return nil, nil
		}
	}
	return w.out, nil
}

type writing struct {
	Lists
	out map[string][]byte
	// listed has the names in each list that was read, as they are compared; a rewritten file is
	// read again.
	listed map[string]map[string]bool
	parsed int // bytes of the files that were rewritten
}

// maxRewritten bounds the bytes of all files that are rewritten, each as often as a step changes it:
// 100 capabilities in a list of 20 KiB. A change that needs more leaves all lists as they are.
const maxRewritten = 2 << 20

// edit changes one SOUL.md.
type edit func(file string, src []byte) ([]byte, diag.List)

// follow updates the lists for one capability.
func (w *writing) follow(s Step) error {
	if s.Removed {
		return w.everywhere(s.Name, func(_ string, src []byte) ([]byte, diag.List) { return soul.RemoveLearned(src, s.Name) })
	}
	c, diags, err := capability.Load(w.View, s.Dir)
	if err != nil || diags.HasErrors() || c.SpecOnly && w.Unready {
		return err
	}
	if c.SpecOnly { // its code was removed
		return w.everywhere(s.Name, func(_ string, src []byte) ([]byte, diag.List) { return soul.RemoveLearned(src, s.Name) })
	}
	learned := s.Added && (w.Unready || usable(c))
	if !s.Added && !w.Unready && usable(c) {
		if learned, err = w.gained(s); err != nil {
			return err
		}
	}
	if learned {
		return w.rewrite(SoulFile(w.Learner), func(file string, src []byte) ([]byte, diag.List) {
			return soul.SetLearned(src, sameDay(src, Entry(c, w.day(file, c.Name))))
		})
	}
	return w.everywhere(s.Name, func(_ string, src []byte) ([]byte, diag.List) {
		return soul.SetLearned(src, keepDate(src, Entry(c, w.Day)))
	})
}

// usable reports whether a capability can be used: agents do not learn unimplemented
// ones.
func usable(c capability.Capability) bool { return c.Status.Runs() && !c.SpecOnly }

// gained reports whether a capability without learners became usable by the change.
func (w *writing) gained(s Step) (bool, error) {
	if w.Base == nil {
		return false, nil
	}
	was, _, err := capability.Load(w.Base, s.Dir)
	if err != nil || usable(was) {
		return false, err
	}
	listed := false
	err = w.everywhere(s.Name, func(_ string, src []byte) ([]byte, diag.List) {
		listed = true
		return src, nil
	})
	return !listed, err
}

func (w *writing) day(file, name string) string {
	if w.Dated != nil {
		if day := w.Dated(file, name); day != "" {
			return day
		}
	}
	return w.Day
}

// everywhere rewrites each list that contains the capability.
func (w *writing) everywhere(name string, change edit) error {
	agents, err := w.View.List(string(names.SoulArea))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list souls: %w", err)
	}
	for _, a := range agents {
		file := a.Path + "/SOUL.md"
		has, err := w.lists(file, name)
		if err != nil {
			return err
		}
		if has {
			if err := w.rewrite(file, change); err != nil {
				return err
			}
		}
	}
	return nil
}

// rewrite changes one SOUL.md. It creates none, and leaves a list that cannot be edited
// unchanged.
// lists reports whether a file's list has an entry of that name.
func (w *writing) lists(file, name string) (bool, error) {
	names, known := w.listed[file]
	if !known {
		src, err := w.read(file)
		if err != nil {
			return false, err
		}
		entries, _ := soul.ReadLearned(src)
		names = make(map[string]bool, len(entries))
		for _, e := range entries {
			names[soul.FoldName(e.Name)] = true
		}
		w.listed[file] = names
	}
	return names[soul.FoldName(name)], nil
}

func (w *writing) rewrite(file string, change edit) error {
	src, err := w.read(file)
	if err != nil || src == nil {
		return err
	}
	w.parsed += len(src)
	out, diags := change(file, src)
	if !diags.HasErrors() && string(out) != string(src) {
		w.out[file] = out
		delete(w.listed, file)
	}
	return nil
}

func (w *writing) read(file string) ([]byte, error) {
	if src, ok := w.out[file]; ok {
		return src, nil
	}
	read := w.View.Read
	if w.Soul != nil {
		read = w.Soul
	}
	src, err := read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return src, nil
}

func entryOf(src []byte, name string) (soul.Entry, bool) {
	entries, _ := soul.ReadLearned(src)
	for _, e := range entries {
		if soul.SameName(e.Name, name) {
			return e, true
		}
	}
	return soul.Entry{}, false
}

// sameDay keeps the date that the engine wrote on an earlier day, so that repeating the
// operation changes nothing.
func sameDay(src []byte, entry soul.Entry) soul.Entry {
	old, ok := entryOf(src, entry.Name)
	if !ok || old.Learned == "" || old.Learned > entry.Learned {
		return entry
	}
	again := entry
	again.Learned = old.Learned
	if string(soul.WriteEntry(again)) == string(soul.WriteEntry(old)) {
		return again
	}
	return entry
}

// keepDate keeps the date on which the agent learned the capability.
func keepDate(src []byte, entry soul.Entry) soul.Entry {
	if old, ok := entryOf(src, entry.Name); ok {
		entry.Learned, entry.Mastery = old.Learned, old.Mastery
	}
	return entry
}

// SoulFile returns the path of an agent's SOUL.md.
func SoulFile(agent string) string { return "soul/" + agent + "/SOUL.md" }
