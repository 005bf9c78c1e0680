package propose

import (
	"slices"

	"fmt"
	"path"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/learn"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/workspace"
)

// readAuthor finds the author of the newest commit that is not the engine's, so that a rebase
// keeps the author.
func (have *intent) readAuthor(w *workspace.Workspace, base tree.Hash) error {
	commits, err := w.Repo.Between(base, have.pull.Head)
	if err != nil {
		return fmt.Errorf("read the branch's commits: %w", err)
	}
	for _, o := range commits {
		c, err := w.Repo.Commit(o.Hash)
		if err != nil {
			return fmt.Errorf("read the branch's commits: %w", err)
		}
		have.author = c.Author
		if c.Author.Email != engineEmail {
			return nil
		}
	}
	return nil
}

// editOf turns one change of a branch into an edit; nil for a SOUL.md that differs only in the
// engine's list, which is written again.
func editOf(c tree.Change, began, head tree.View) (*tree.Edit, error) {
	if c.Removed() {
		return &tree.Edit{Path: c.Path, Remove: true}, nil
	}
	data, err := head.Read(c.Path)
	if err != nil {
		return nil, fmt.Errorf("read %s of the branch: %w", c.Path, err)
	}
	if names.Area(c.Path) == names.SoulArea && path.Base(c.Path) == "SOUL.md" && !c.Added() {
		before, err := began.Read(c.Path)
		if err != nil {
			return nil, fmt.Errorf("read %s of the base: %w", c.Path, err)
		}
		if string(learn.NewOwner(began).Without(before)) == string(learn.NewOwner(head).Without(data)) {
			return nil, nil
		}
	}
	return &tree.Edit{Path: c.Path, Mode: c.New.Mode, Content: data}, nil
}

// merged returns old with the fields that the new version sets.
func merged(old, set proposal.Proposal) proposal.Proposal {
	p := old
	if set.Goal != "" {
		p.Goal = set.Goal
	}
	if set.Kind != "" {
		p.Kind = set.Kind
	}
	if set.Body != "" {
		p.Body = set.Body
	}
	if set.Soul != nil {
		p.Soul = set.Soul
	}
	if set.Gap != nil {
		p.Gap = set.Gap
	}
	if set.For != "" {
		p.For = set.For
	}
	if set.Capability != "" {
		p.Capability = set.Capability
	}
	if len(set.Alternatives) > 0 {
		p.Alternatives = set.Alternatives
	}
	for _, d := range set.Differs {
		p.Differs = append(slices.DeleteFunc(slices.Clone(p.Differs), func(o proposal.Difference) bool { return o.From == d.From }), d)
	}
	if len(set.Plan) > 0 {
		p.Plan = set.Plan
	}
	return p
}
