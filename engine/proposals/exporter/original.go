package exporter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// ErrNoOriginal says that the history which is here does not hold the original.
var ErrNoOriginal = errors.New("the original is not in the history that is here")

// Original copies a capability as it was before it was fitted in. Where its
// SKILL.md was rewritten, that is the content whose hash its metadata names, found
// on the branch of the proposal that brought it; where nothing was rewritten, it
// is the version that came first. One that a human stopped is refused.
func Original(ctx context.Context, cur workspace.Session, f capability.Folder) (Copy, error) {
	current, err := cur.Handout(ctx, cur.View)
	if err != nil {
		return Copy{}, err
	}
	named, err := originalOf(current, f.Path)
	if err != nil {
		return Copy{}, err
	}
	s := search{w: cur.Workspace, folder: f, named: named}
	merge, err := s.arrival(cur.InForce)
	if err != nil {
		return Copy{}, fmt.Errorf("find the merge that brought %s: %w", f.Name, err)
	}
	tips, err := s.tips(ctx, merge)
	if err != nil {
		return Copy{}, err
	}
	for _, tip := range tips {
		c, ok, err := s.onBranch(merge, tip)
		if err != nil || ok {
			return c, err
		}
	}
	if !named.IsZero() {
		return Copy{}, fmt.Errorf("%s: %w", f.Name, ErrNoOriginal)
	}
	view, err := cur.Repo.Snapshot(merge.Hash)
	if err != nil {
		return Copy{}, err
	}
	files, err := filesAt(view, f.Path)
	return Copy{Name: f.Name, Commit: merge.Hash, Files: files}, err
}

// originalOf returns the hash that a SKILL.md says its original has; zero where it
// was never rewritten.
func originalOf(view tree.View, dir string) (tree.Hash, error) {
	src, err := view.Read(dir + "/" + names.SkillFile)
	if err != nil {
		return tree.Hash{}, err
	}
	skill, _ := capability.ReadSkill(dir+"/"+names.SkillFile, src)
	h, err := tree.ParseHash(skill.Metadata[capability.OriginalKey])
	if err != nil {
		return tree.Hash{}, nil // absent, or no hash: not written by an import
	}
	return h, nil
}

// search finds the original of one capability.
type search struct {
	w      *workspace.Workspace
	folder capability.Folder
	named  tree.Hash // the SKILL.md as found; zero when it was never rewritten
}

// arrival returns the commit on the first-parent line from tip that brought the capability with
// this original.
func (s search) arrival(tip tree.Hash) (gitstore.Commit, error) {
	var arrived gitstore.Commit
	var judged tree.Hash // the SKILL.md that was read last
	err := s.w.Repo.Lineage(tip, func(c gitstore.Commit) (bool, error) {
		view, err := s.w.Repo.Snapshot(c.Tree)
		if err != nil {
			return false, err
		}
		e, err := view.Lookup(s.folder.Path + "/" + names.SkillFile)
		if gitstore.IsBadObject(err) { // such a commit was blocked
			return true, nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if e.Hash != judged && !s.named.IsZero() {
			if h, err := originalOf(view, s.folder.Path); err != nil || h != s.named {
				return false, err
			}
		}
		judged, arrived = e.Hash, c
		return true, nil
	})
	return arrived, err
}

// tips returns the heads of the proposal's branch: the merged ones, and those in its journal, the
// first push first.
func (s search) tips(ctx context.Context, merge gitstore.Commit) ([]tree.Hash, error) {
	var out []tree.Hash
	if len(merge.Parents) > 1 {
		out = append(out, merge.Parents[1:]...)
	}
	id, err := s.w.History().ProposalOf(merge)
	if err != nil || id == "" {
		return out, err
	}
	activity, err := s.w.Record.Activity(ctx, id)
	if errors.Is(err, forge.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal of %s: %w", id, err)
	}
	for _, p := range activity.Pushes {
		if !p.New.IsZero() && !slices.Contains(out, p.New) {
			out = append(out, p.New)
		}
	}
	return out, nil
}

// onBranch looks through one state of the branch, the oldest commit first.
func (s search) onBranch(merge gitstore.Commit, tip tree.Hash) (Copy, bool, error) {
	var excl tree.Hash
	if len(merge.Parents) > 0 {
		excl = merge.Parents[0]
	}
	commits, err := s.w.Repo.Between(excl, tip)
	if err != nil {
		return Copy{}, false, err
	}
	for _, c := range slices.Backward(commits) {
		view, err := s.w.Repo.Snapshot(c.Hash)
		if err != nil {
			return Copy{}, false, err
		}
		skill, err := s.skillIn(view)
		if err != nil {
			return Copy{}, false, err
		}
		if skill == "" {
			continue
		}
		files, err := filesAt(view, s.folder.Path)
		files = slices.DeleteFunc(files, func(f File) bool { return f.Path != skill && strings.EqualFold(f.Path, names.SkillFile) })
		if err != nil {
			return Copy{}, false, err
		}
		if same, err := s.approved(merge, skill, files); err != nil || !same {
			if err != nil {
				return Copy{}, false, err
			}
			continue
		}
		source, err := s.w.Repo.Commit(c.Hash)
		return Copy{Name: s.folder.Name, Commit: c.Hash, Files: files, LeftOut: s.leftOut(source)}, true, err
	}
	return Copy{}, false, nil
}

// approved reports whether the merge has the files with the same content. An import rewrites only
// its SKILL.md, and names the original's blob there; no one approved other differences on the
// branch.
func (s search) approved(merge gitstore.Commit, skill string, files []File) (bool, error) {
	view, err := s.w.Repo.Snapshot(merge.Hash)
	if err != nil {
		return false, err
	}
	for _, f := range files {
		blob := tree.BlobHash(f.Content)
		if f.Path == skill && blob == s.named {
			continue
		}
		name := f.Path
		if name == skill { // of any spelling
			name = names.SkillFile
		}
		e, err := view.Lookup(s.folder.Path + "/" + name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && e.Hash != blob {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// skillIn returns the name of the file in the capability's folder that is its
// original SKILL.md, "" when the folder has none.
func (s search) skillIn(view tree.View) (string, error) {
	entries, err := view.List(s.folder.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for _, e := range entries {
		name := e.Path[strings.LastIndexByte(e.Path, '/')+1:]
		if e.Mode.IsFile() && strings.EqualFold(name, names.SkillFile) && (s.named.IsZero() || e.Hash == s.named) {
			return name, nil
		}
	}
	return "", err
}

// leftOut reads which of the capability's files an import could not store.
func (s search) leftOut(c gitstore.Commit) []string {
	var out []string
	for _, t := range c.Trailers() {
		path, err := strconv.Unquote(t.Value)
		if t.Key != propose.LeftOutTrailer || err != nil {
			continue
		}
		if rest, ok := strings.CutPrefix(path, s.folder.Path+"/"); ok {
			out = append(out, rest)
		}
	}
	return out
}
