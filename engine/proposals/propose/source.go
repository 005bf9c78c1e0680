package propose

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Source is a change made with plain Git or an editor.
type Source struct {
	Edits    []tree.Edit
	Proposal proposal.Proposal
	// Branch is the full name of the branch it comes from, "" when detached.
	Branch string
	// Parent is the newest of the user's own commits; zero when there is none.
	Parent tree.Hash
	// Drop reverts files of the branch that are not part of the change: raw drafts, and files
	// outside the governed folders.
	Drop []tree.Edit
	// Outside are changed paths that assent does not govern.
	Outside []string
	// Ignored are the governed files and folders that .gitignore leaves out.
	Ignored []string
	// Diagnostics of a raw draft on the branch.
	Diagnostics diag.List

	draft string // path of the raw draft
}

// ReadDraft reads a draft, and refuses one that adds a capability whose name is taken in force.
func ReadDraft(v *workspace.View, file string, src []byte) (d proposal.Drafted, found diag.List, err error) {
	d, found = proposal.ParseDraft(file, src)
	if d.Named.File == "" {
		return d, found, nil
	}
	places, err := v.Named(d.Proposal.Capability)
	found.Add(d.Taken(places)...)
	return d, found, err
}

// ErrUnrelated says that a commit does not descend from anything on main.
var ErrUnrelated = errors.New("no history in common with main: start the branch from main")

// ErrCommitted says that files of commits cannot be proposed one by one.
var ErrCommitted = errors.New("the branch has commits, which are proposed whole")

// FromWorktree reads the change that the checked-out branch and the uncommitted edits of governed
// files make to the content in force, below the given paths or everywhere. The worktree is not
// modified. Paths select no part of commits (ErrCommitted). A file that lacks others' later
// changes is an error unless it is named; command is the way to name it, for the fix.
func FromWorktree(cur workspace.Session, only []string, command string) (Source, error) {
	head, err := cur.Repo.Head()
	if err != nil {
		return Source{}, fmt.Errorf("read HEAD: %w", err)
	}
	var s Source
	if head.Branch != attest.MainRef && !head.Commit.IsZero() {
		if s, err = FromCommit(cur, head.Commit); err != nil {
			return s, err
		}
	}
	s.Branch = head.Branch
	if cur.Repo.Bare() {
		return s, nil
	}
	if len(only) > 0 && !s.Parent.IsZero() {
		return s, fmt.Errorf("%s: %w", strings.TrimPrefix(s.Branch, "refs/heads/"), ErrCommitted)
	}
	if err := s.addWorktree(cur.Workspace, head.Commit); err != nil {
		return s, err
	}
	s.keepBelow(only)
	return s, s.refuseStale(cur, head.Commit, only, command)
}

// keepBelow drops edits of other paths; without paths, none.
func (s *Source) keepBelow(only []string) {
	s.Edits = slices.DeleteFunc(s.Edits, func(e tree.Edit) bool { return len(only) > 0 && !below(only, e.Path) })
}

// below reports whether a path is one of some, or in a folder that is.
func below(paths []string, path string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return p == path || strings.HasPrefix(path, p+"/") })
}

// addWorktree adds uncommitted edits to the changes of the branch's commits.
func (s *Source) addWorktree(w *workspace.Workspace, head tree.Hash) error {
	var areas []string
	for _, a := range names.GovernedAreas() {
		areas = append(areas, string(a))
	}
	disk, err := w.Repo.HashedWorktreeView(areas...)
	if err != nil {
		return fmt.Errorf("look at the worktree: %w", err)
	}
	s.Ignored = gitstore.Ignored(disk)
	committed, err := w.Repo.Snapshot(head)
	if err != nil {
		return err
	}
	changes, err := tree.Diff(committed, disk, areas...)
	if err != nil {
		return fmt.Errorf("compare the worktree: %w", err)
	}
	for _, c := range changes {
		e, err := editFrom(c, disk)
		if err != nil {
			return err
		}
		s.put(e)
	}
	return nil
}

func (s *Source) put(e tree.Edit) {
	for i := range s.Edits {
		if s.Edits[i].Path == e.Path {
			s.Edits[i] = e
			return
		}
	}
	s.Edits = append(s.Edits, e)
}

// FromCommit reads the changes in governed folders of the commits up to tip since they left main.
// A new file below proposals/ is read as a raw draft; without one the newest commit's message is
// the goal.
func FromCommit(cur workspace.Session, tip tree.Hash) (Source, error) {
	s := Source{Parent: tip}
	base, err := cur.Repo.MergeBase(cur.Main, tip)
	if err != nil {
		return s, err
	}
	if base.IsZero() {
		return s, fmt.Errorf("%s: %w", tip.Short(), ErrUnrelated)
	}
	if base == tip {
		return Source{}, nil
	}
	before, err := cur.Repo.Snapshot(base)
	if err != nil {
		return s, err
	}
	after, err := cur.Repo.Snapshot(tip)
	if err != nil {
		return s, err
	}
	changes, err := tree.Diff(before, after)
	if err != nil {
		return s, err
	}
	for _, c := range changes {
		if err := s.take(c, before, after); err != nil {
			return s, err
		}
	}
	if s.Proposal.Goal == "" {
		if err := s.describe(cur.Workspace, tip); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s *Source) take(c tree.Change, before, after tree.View) error {
	if !names.Governed(c.Path) {
		s.Outside = append(s.Outside, c.Path)
		back, err := editFrom(tree.Change{Path: c.Path, Old: c.New, New: c.Old}, before)
		s.Drop = append(s.Drop, back)
		return err
	}
	if names.Area(c.Path) == names.ProposalsArea && c.Added() && strings.HasSuffix(c.Path, ".md") {
		src, err := after.Read(c.Path)
		if err != nil {
			return err
		}
		d, diags := proposal.ParseDraft(c.Path, src)
		s.Diagnostics.Add(diags...)
		if s.draft != "" {
			s.Diagnostics.Errorf(RuleDrafts, diag.Pos{File: c.Path}, "keep one draft on the branch", "the branch brings a second draft beside %s", s.draft)
		}
		s.draft = c.Path
		s.Proposal = d.Proposal
		for _, e := range d.Edits {
			s.put(e)
		}
		s.Drop = append(s.Drop, tree.Edit{Path: c.Path, Remove: true})
		return nil
	}
	e, err := editOf(c, before, after)
	if e != nil {
		s.put(*e)
	}
	return err
}

// describe reads goal and reason out of the newest commit's message.
func (s *Source) describe(w *workspace.Workspace, tip tree.Hash) error {
	c, err := w.Repo.Commit(tip)
	if err != nil {
		return err
	}
	subject, rest, _ := strings.Cut(c.Message, "\n")
	s.Proposal.Goal = strings.TrimSpace(subject)
	if rest = strings.TrimSpace(rest); rest != "" && s.Proposal.Body == "" {
		s.Proposal.Body = "# Why\n\n" + rest + "\n"
	}
	return nil
}

func editFrom(c tree.Change, v tree.View) (tree.Edit, error) {
	if c.Removed() {
		return tree.Edit{Path: c.Path, Remove: true}, nil
	}
	data, err := v.Read(c.Path)
	if err != nil {
		return tree.Edit{}, fmt.Errorf("read %s: %w", c.Path, err)
	}
	return tree.Edit{Path: c.Path, Mode: c.New.Mode, Content: data}, nil
}

// Place returns the folder of a capability: its present one, else below group.
func Place(cur workspace.Session, name, group string) (string, error) {
	known, err := cur.View.Named(name)
	if err != nil {
		return "", err
	}
	for _, f := range known {
		if group == "" || f.Group == group {
			return f.Path, nil
		}
	}
	if group != "" {
		return capability.Root + "/" + group + "/" + name, nil
	}
	return capability.Root + "/" + name, nil
}

// Placed are the skills' folders that an open proposal adds or changes, by their names.
func Placed(cur workspace.Session, pull forge.Pull) (map[string]string, error) {
	base, err := cur.Repo.MergeBase(cur.Main, pull.Head)
	if err != nil {
		return nil, err
	}
	before, err := cur.Repo.Snapshot(base)
	if err != nil {
		return nil, err
	}
	after, err := cur.Repo.Snapshot(pull.Head)
	if err != nil {
		return nil, err
	}
	changes, err := tree.Diff(before, after, capability.Root)
	out := map[string]string{}
	for _, c := range changes {
		if dir, file := path.Split(c.Path); file == names.SkillFile && !c.Removed() {
			out[path.Base(dir)] = path.Clean(dir)
		}
	}
	return out, err
}

// Below puts paths that are relative to a folder into it.
func Below(dir string, edits []tree.Edit) []tree.Edit {
	out := make([]tree.Edit, len(edits))
	for i, e := range edits {
		e.Path = dir + "/" + e.Path
		out[i] = e
	}
	return out
}
