package propose

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// ErrNothing says that an update or rebase would change nothing.
var ErrNothing = errors.New("nothing to do: the proposal is like this already")

// Update puts new content on an open proposal: the request's edits on top of the proposal's, and
// the fields that the request sets. Kept edits of the proposal must not overwrite later changes of
// main. The error is *NotYours for other agents.
func Update(ctx context.Context, w *workspace.Workspace, id string, r Request) (Outcome, error) {
	cur, err := w.Session(ctx)
	if err != nil {
		return Outcome{}, err
	}
	pull, err := cur.Forge.Get(ctx, id)
	if err == nil && pull.State == forge.Open {
		err = MayUpdate(cur, pull, r.By)
	}
	if err != nil {
		return Outcome{}, err
	}
	return replace(ctx, w, id, r, func(cur workspace.Session, have intent) (Request, diag.List, error) {
		next := Request{Proposal: merged(have.proposal, r.Proposal), By: r.By, Author: r.Author, DryRun: r.DryRun}
		next.Edits = slices.Clone(r.Edits)
		kept := slices.DeleteFunc(slices.Clone(have.edits), func(e tree.Edit) bool {
			return slices.ContainsFunc(r.Edits, func(o tree.Edit) bool { return o.Path == e.Path }) ||
				r.Proposal.Soul != nil && e.Path == soulFile(r.Proposal.Soul.Agent) // the new section edit replaces the file
		})
		for _, gone := range r.Delete {
			var diags diag.List
			if kept, diags = have.without(cur, &next, kept, gone); diags.HasErrors() {
				return next, diags, nil
			}
		}
		if !r.Upon.IsZero() && r.Upon != have.pull.Head {
			return next, nil, &forge.ErrStale{Ref: "refs/heads/" + have.pull.Branch, Want: r.Upon, Got: have.pull.Head}
		}
		if !r.Upon.IsZero() { // the edits apply to the proposal's files, not to those in force
			next.Edits, kept = nil, append(kept, next.Edits...)
		}
		diags, err := have.keep(cur, &next, kept)
		return next, diags, err
	})
}

// without removes a file or folder from the proposal, and from the content in force.
func (have intent) without(cur workspace.Session, next *Request, kept []tree.Edit, gone string) ([]tree.Edit, diag.List) {
	var diags diag.List
	below := func(p string) bool { return p == gone || strings.HasPrefix(p, gone+"/") }
	left := slices.DeleteFunc(slices.Clone(kept), func(e tree.Edit) bool { return below(e.Path) })
	found := len(left) < len(kept)
	next.Edits = slices.DeleteFunc(next.Edits, func(e tree.Edit) bool { return below(e.Path) })
	drop := func(e tree.Entry) error {
		found = true
		next.Edits = append(next.Edits, tree.Edit{Path: e.Path, Remove: true})
		return nil
	}
	e, err := cur.View.Lookup(gone)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err == nil && e.Mode == tree.Dir:
		err = tree.Files(cur.View, gone, drop)
	case err == nil:
		err = drop(e)
	}
	if err != nil {
		diags.Errorf(RuleConflict, diag.Pos{File: gone}, "", "%v", err)
	} else if !found {
		diags.Errorf(RuleConflict, diag.Pos{File: gone}, "assent show "+names.ShellWord(have.pull.ID)+" lists its files", "neither the proposal nor the commit in force has it")
	}
	return left, diags
}

// Rebase applies a proposal again to the commit in force: its section edit and its additions to
// the roles are made again, its other files are kept. A file that main also changed since is not
// overwritten; it is named.
func Rebase(ctx context.Context, w *workspace.Workspace, id string, by Request) (Outcome, error) {
	return replace(ctx, w, id, by, func(cur workspace.Session, have intent) (Request, diag.List, error) {
		next := Request{Proposal: have.proposal, By: by.By, Author: have.author, DryRun: by.DryRun}
		diags, err := have.keep(cur, &next, have.edits)
		return next, diags, err
	})
}

// keep carries edits over to a request that is built on the commit in force. The result of a
// section edit is not carried: the edit is made again.
func (have intent) keep(cur workspace.Session, next *Request, edits []tree.Edit) (diag.List, error) {
	var diags diag.List
	if s := have.proposal.Soul; s != nil && s == next.Proposal.Soul {
		again := proposal.SoulEdit{Agent: s.Agent, Section: s.Section, Mode: s.Mode, Content: have.proposal.SoulContent()}
		next.Proposal.Soul = &again
		if again.Content != "" {
			edits = slices.DeleteFunc(slices.Clone(edits), func(e tree.Edit) bool { return e.Path == soulFile(s.Agent) })
			diags.Add(have.overwritten(cur, again)...)
		}
	}
	for _, e := range edits {
		changed, err := changedSince(have.began, cur.View, e.Path)
		if err != nil {
			return diags, err
		}
		if changed && e.Path == policy.RolesFile {
			if text, ok := have.rolesAgain(cur.View, e); ok {
				e.Content, changed = text, false
			}
		}
		if changed && !have.same(cur.View, e) {
			diags.Errorf(RuleConflict, diag.Pos{File: e.Path}, workspace.ByHand(have.pull.ID),
				"main changed the file since the proposal was made, and so does the proposal")
		}
		next.Edits = append(next.Edits, e)
	}
	return diags, nil
}

// rolesAgain repeats additions to the roles on the roles in force now.
func (have intent) rolesAgain(now tree.View, e tree.Edit) ([]byte, bool) {
	before, err := have.began.Read(e.Path)
	if err != nil || e.Remove {
		return nil, false
	}
	there, err := now.Read(e.Path)
	if err != nil {
		return nil, false
	}
	return policy.AddRolesAgain(before, e.Content, there)
}

// overwritten warns of a replacement that reverts main's later change of the same section.
func (have intent) overwritten(cur workspace.Session, s proposal.SoulEdit) diag.List {
	var diags diag.List
	if s.Mode != markup.Replace {
		return nil
	}
	before, after := sectionOf(have.began, s), sectionOf(cur.View, s)
	if before != after {
		diags.Warnf(RuleOverwrites, diag.Pos{File: soulFile(s.Agent)}, "compare: assent diff "+names.ShellWord(have.pull.ID)+"; to keep main's text: assent update "+names.ShellWord(have.pull.ID)+" -f FILE",
			"main changed section %q since the proposal was made; replacing it takes that back", s.Section)
	}
	return diags
}

// sectionOf is the text of a section as a view has it; empty without one.
func sectionOf(v tree.View, s proposal.SoulEdit) string {
	src, err := v.Read(soulFile(s.Agent))
	if err != nil {
		return ""
	}
	sections, _ := markup.Sections(src)
	for _, sec := range sections {
		if sec.Slug == markup.Slug(s.Section) {
			return string(sec.Body.Of(src))
		}
	}
	return ""
}
