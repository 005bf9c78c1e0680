package propose

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Undo returns the request that reverts a merged proposal: every file as before, unless it was
// changed since. The proposal's own file stays; it is a record.
func Undo(cur workspace.Session, pull forge.Pull) (Request, diag.List, error) {
	var diags diag.List
	if pull.State != forge.Merged {
		return Request{}, nil, fmt.Errorf("%s is not merged, so there is nothing to undo; `assent withdraw %s` ends it", pull.ID, names.ShellWord(pull.ID))
	}
	merge, err := cur.Repo.Commit(pull.Merge)
	if err != nil {
		return Request{}, nil, err
	}
	changes, err := attest.Governed(cur.Repo, merge.Parents[0], merge.Hash)
	if err != nil {
		return Request{}, nil, err
	}
	before, err := cur.Repo.Snapshot(merge.Parents[0])
	if err != nil {
		return Request{}, nil, err
	}
	after, err := cur.Repo.Snapshot(merge.Hash)
	if err != nil {
		return Request{}, nil, err
	}
	r := Request{Listed: &Listed{}, Proposal: proposal.Proposal{
		Kind: proposal.Undo, Goal: "undo " + pull.ID + ": " + pull.Title, Undoes: pull.ID,
		Body: "# Why\n\nTakes back " + pull.ID + " (" + pull.Title + ").\n",
	}}
	for _, c := range changes {
		if names.Area(c.Path) == names.ProposalsArea {
			continue
		}
		e, d, err := takeBack(c, before, after, cur.View)
		if err != nil {
			return Request{}, nil, err
		}
		diags.Add(d...)
		if e != nil {
			r.Edits = append(r.Edits, *e)
		}
	}
	return r, diags, nil
}

// takeBack reverses one change against the content in force.
func takeBack(c tree.Change, before, after, now tree.View) (*tree.Edit, diag.List, error) {
	var diags diag.List
	current, err := now.Lookup(c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		current = tree.Entry{}
	case err != nil:
		return nil, nil, fmt.Errorf("look for %s: %w", c.Path, err)
	}
	same := func(a, b tree.Entry) bool { return a.Hash == b.Hash && a.Mode == b.Mode }
	switch {
	case same(current, c.Old):
		return nil, nil, nil // it is as before already
	case same(current, c.New) && c.Added():
		return &tree.Edit{Path: c.Path, Remove: true}, nil, nil
	case same(current, c.New):
		data, err := before.Read(c.Path)
		return &tree.Edit{Path: c.Path, Mode: c.Old.Mode, Content: data}, nil, err
	case path.Base(c.Path) == "SOUL.md" && !c.Added() && !c.Removed() && current.Path != "":
		merged, ok, err := reverseSoul(c.Path, before, after, now)
		if err != nil || ok {
			return &tree.Edit{Path: c.Path, Content: merged}, nil, err
		}
	}
	diags.Errorf(RuleChangedSince, diag.Pos{File: c.Path}, "undo the later change first, or propose the edit by hand",
		"the file was changed again after the merge, so taking it back would lose that")
	return nil, diags, nil
}

// reverseSoul takes entries back out of a list that went on growing.
func reverseSoul(file string, before, after, now tree.View) ([]byte, bool, error) {
	var sides [3][]byte
	for i, v := range []tree.View{after, now, before} {
		data, err := v.Read(file)
		if err != nil {
			return nil, false, fmt.Errorf("read %s: %w", file, err)
		}
		sides[i] = data
	}
	merged, ok, diags := soul.MergeLearned(sides[0], sides[1], sides[2])
	return merged, ok && !diags.HasErrors(), nil
}

// Adopt returns the request that puts commits made past the gate through it: their changes in
// governed folders, as a proposal that those who wrote the commits cannot approve. The diagnostics name changes that can
// only be reverted.
func Adopt(cur workspace.Session) (Request, diag.List, error) {
	var diags diag.List
	if len(cur.Blocked) == 0 {
		return Request{}, nil, errors.New("nothing to adopt: everything on main is in force")
	}
	changes, err := attest.Governed(cur.Repo, cur.InForce, cur.Main)
	if err != nil {
		return Request{}, nil, err
	}
	tip, err := cur.Repo.Snapshot(cur.Main)
	if err != nil {
		return Request{}, nil, err
	}
	body := "# Why\n\nThese commits reached main without passing the gate:\n\n"
	for _, b := range cur.Blocked {
		body += "- " + b.Commit.Short() + " " + b.Subject + " (" + b.Author + ")\n"
	}
	r := Request{Listed: &Listed{}, Proposal: proposal.Proposal{Goal: "adopt " + cur.Blocked[0].Subject, Body: body}}
	//defence:adopted-work-has-authors
	r.Behind = writersOf(cur.Repo, cur.Blocked)
	for _, c := range changes {
		if names.Area(c.Path) == names.ProposalsArea {
			diags.Errorf(RuleWritten, diag.Pos{File: c.Path}, cur.Blocked[0].Remedy(),
				"proposals/ is written by assent alone, so this cannot be adopted")
			continue
		}
		if c.Removed() {
			r.Edits = append(r.Edits, tree.Edit{Path: c.Path, Remove: true})
			continue
		}
		data, err := tip.Read(c.Path)
		if err != nil {
			return Request{}, nil, fmt.Errorf("read %s: %w", c.Path, err)
		}
		r.Edits = append(r.Edits, tree.Edit{Path: c.Path, Mode: c.New.Mode, Content: data})
	}
	return r, diags, nil
}

// maxWriters bounds the writers of adopted commits that a proposal names.
const maxWriters = 100

// writersOf returns the authors and committers of commits on main, and of what these merged. The zero actor stands for
// those who cannot be named.
func writersOf(repo *gitstore.Repo, past []attest.Unattested) (out []forge.Actor) {
	add := func(a forge.Actor) {
		if a.Check() != nil || len(out) >= maxWriters {
			a = forge.Actor{}
		}
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	for _, b := range past {
		var before tree.Hash
		if c, err := repo.Commit(b.Commit); err == nil && len(c.Parents) > 0 {
			before = c.Parents[0]
		}
		commits, err := repo.Between(before, b.Commit)
		if err != nil {
			add(forge.Actor{})
		}
		for _, o := range commits {
			c, err := repo.Commit(o.Hash)
			if err != nil {
				add(forge.Actor{})
				continue
			}
			if paths, err := attest.OwnPaths(repo, c); err == nil && len(paths) == 0 {
				continue // it changes nothing that is adopted
			}
			add(forge.Actor{Email: c.Author.Email})
			add(forge.Actor{Email: c.Committer.Email})
		}
	}
	return out
}
