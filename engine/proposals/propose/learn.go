package propose

import (
	"cmp"
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/learn"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// learn writes the engine's own commit: the learned lists of the SOUL.md files
// that the change concerns, kept in step with the capabilities. It is made only
// after validation passed, and it answers the same commit when nothing is to be
// done.
func (b *built) learn(w *workspace.Workspace, base tree.View, report validate.Report) (tree.Hash, error) {
	view, err := w.Repo.Snapshot(b.commit)
	if err != nil {
		return b.commit, err
	}
	written, err := b.lists(base, view, report).Written()
	if err != nil {
		return b.commit, err
	}
	edits := editsOf(written)
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
		message("Keep the learned capabilities in step", "Written by the engine after validation passed.", p.ID), nil)
	if err == nil {
		b.proposal = p
	}
	return commit, err
}

// engineEmail is the author of the engine's own commits. It is a label: workspace.Examine decides
// by a commit's changes whether the engine wrote it.
const engineEmail = "engine@assent.invalid"

// lists returns the learned lists that the proposal changes. New entries bear the day of the
// proposal's file, so that a later rebase writes the same bytes.
func (b *built) lists(base, view tree.View, report validate.Report) learn.Lists {
	out := learn.Lists{Base: base, View: view, Learner: cmp.Or(b.proposal.For, b.proposal.Agent), Day: names.ProposalDay(b.file)}
	for _, c := range report.Changes.Capabilities {
		out.Steps = append(out.Steps, learn.Step{Name: c.Name, Dir: c.Path, Added: c.Op == policy.Added, Removed: c.Op == policy.Removed})
	}
	return out
}

func editsOf(files map[string][]byte) []tree.Edit {
	var out []tree.Edit
	for _, file := range slices.Sorted(maps.Keys(files)) {
		out = append(out, tree.Edit{Path: file, Content: files[file]})
	}
	return out
}

func soulFile(agent string) string { return learn.SoulFile(agent) }
