package propose

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/capability"
	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/learn"
	"github.com/assent-dev/assent/engine/names"
	"github.com/assent-dev/assent/engine/policy"
	"github.com/assent-dev/assent/engine/proposal"
	"github.com/assent-dev/assent/engine/soul"
	"github.com/assent-dev/assent/engine/tree"
	"github.com/assent-dev/assent/engine/validate"
	"github.com/assent-dev/assent/engine/workspace"
)

// learn writes the engine's own commit: the learned lists of the SOUL.md files
// that the change concerns, kept in step with the capabilities. It is made only
// after validation passed, and it answers the same commit when nothing is to be
// done.
func (b *built) learn(w *workspace.Workspace, report validate.Report) (tree.Hash, error) {
	view, err := w.Repo.Snapshot(b.commit)
	if err != nil {
		return b.commit, err
	}
	l := lists{view: view, sources: map[string][]byte{}, day: w.Now().UTC().Format("2006-01-02")}
	for _, c := range report.Changes.Capabilities {
		if err := l.follow(c, b.proposal); err != nil {
			return b.commit, err
		}
	}
	edits := l.edits()
	if len(edits) == 0 {
		return b.commit, nil
	}
	p := b.proposal
	for _, e := range edits {
		if !slices.Contains(p.Files, e.Path) {
			p.Files = append(p.Files, e.Path)
		}
	}
	slices.Sort(p.Files)
	file, err := proposal.Format(p)
	if err != nil {
		return b.commit, err
	}
	engine := gitstore.Person{Name: "assent", Email: engineEmail, When: w.Now()}
	commit, err := commitEdits(w, b.commit, view.Tree(), engine, append(edits, tree.Edit{Path: b.file, Content: file}),
		message("Keep the learned capabilities in step", "Written by the engine after validation passed.", p.ID))
	if err == nil {
		b.proposal = p
	}
	return commit, err
}

// engineEmail is the author of the engine's own commits. It is a label: who wrote a
// commit is decided by what it changes (workspace.Examine).
const engineEmail = "engine@assent.invalid"

// lists are the SOUL.md files that the engine rewrites.
type lists struct {
	view    tree.View
	sources map[string][]byte // path → new content, only where it differs
	day     string
}

// follow brings the lists in step with one capability.
func (l *lists) follow(c policy.Capability, p proposal.Proposal) error {
	if c.Op == policy.Removed {
		return l.everywhere(c.Name, func(src []byte) ([]byte, diag.List) { return soul.RemoveLearned(src, c.Name) })
	}
	loaded, diags, err := capability.Load(l.view, c.Path)
	if err != nil || diags.HasErrors() || loaded.SpecOnly {
		return err
	}
	entry := learn.Entry(loaded, l.day)
	learner := p.For
	if learner == "" {
		learner = p.Agent
	}
	if c.Op == policy.Added {
		return l.rewrite(soulFile(learner), func(src []byte) ([]byte, diag.List) { return soul.SetLearned(src, sameDay(src, entry)) })
	}
	return l.everywhere(c.Name, func(src []byte) ([]byte, diag.List) {
		return soul.SetLearned(src, keepDate(src, entry))
	})
}

// everywhere rewrites each list that has the capability.
func (l *lists) everywhere(name string, change func([]byte) ([]byte, diag.List)) error {
	agents, err := l.view.List(string(names.SoulArea))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list souls: %w", err)
	}
	for _, a := range agents {
		file := a.Path + "/SOUL.md"
		src, err := l.read(file)
		if err != nil {
			return err
		}
		if _, has := learned(src, name); has {
			if err := l.rewrite(file, change); err != nil {
				return err
			}
		}
	}
	return nil
}

// rewrite changes one SOUL.md; an agent without one keeps none, and a list that
// cannot be edited is left as it is.
func (l *lists) rewrite(file string, change func([]byte) ([]byte, diag.List)) error {
	src, err := l.read(file)
	if err != nil || src == nil {
		return err
	}
	out, diags := change(src)
	if !diags.HasErrors() && string(out) != string(src) {
		l.sources[file] = out
	}
	return nil
}

func (l *lists) read(file string) ([]byte, error) {
	if src, ok := l.sources[file]; ok {
		return src, nil
	}
	src, err := l.view.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return src, nil
}

func (l *lists) edits() []tree.Edit {
	var out []tree.Edit
	for file, src := range l.sources {
		out = append(out, tree.Edit{Path: file, Content: src})
	}
	slices.SortFunc(out, func(a, b tree.Edit) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func learned(src []byte, name string) (soul.Entry, bool) {
	entries, _ := soul.ReadLearned(src)
	for _, e := range entries {
		if soul.SameName(e.Name, name) {
			return e, true
		}
	}
	return soul.Entry{}, false
}

// sameDay keeps the date that the engine wrote on an earlier day, so that doing it
// again changes nothing.
func sameDay(src []byte, entry soul.Entry) soul.Entry {
	old, ok := learned(src, entry.Name)
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

// keepDate keeps since when the agent knows the capability.
func keepDate(src []byte, entry soul.Entry) soul.Entry {
	if old, ok := learned(src, entry.Name); ok {
		entry.Learned, entry.Mastery = old.Learned, old.Mastery
	}
	return entry
}

func soulFile(agent string) string { return "soul/" + agent + "/SOUL.md" }
