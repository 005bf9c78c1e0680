package storetest

import (
	"fmt"
	"path/filepath"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Step describes one commit of a random history. Numbers name earlier commits.
type Step struct {
	Parents []int
	// Like is the commit whose tree the step starts from: a parent for an ordinary commit, any
	// other for a revert or undo, -1 for an empty tree.
	Like int
	// Write and Remove are paths. The content of a written file is Content and the file's name.
	Write, Remove []string
	Content       string
	// Link makes the path link a submodule that names a tree, or a folder with exactly that
	// tree: "", "submodule" or "folder".
	Link    string
	Seconds int64
}

// Histories draws histories with reverts, undos, roots, merges and criss-cross merges,
// whose commits share trees and parts of trees, and whose clocks may run backwards.
func Histories() *rapid.Generator[[]Step] {
	return rapid.Custom(func(t *rapid.T) []Step {
		steps := make([]Step, rapid.IntRange(3, 16).Draw(t, "commits"))
		for i := range steps {
			steps[i] = drawStep(t, i)
		}
		return steps
	})
}

func drawStep(t *rapid.T, i int) Step {
	s := Step{Like: -1, Seconds: int64(i)}
	if rapid.IntRange(0, 9).Draw(t, "clock") == 0 {
		s.Seconds = rapid.Int64Range(-20, 20).Draw(t, "seconds")
	}
	if i > 0 && rapid.IntRange(0, 12).Draw(t, "root") > 0 {
		// Small numbers are drawn more often, so most parents are recent.
		parent := rapid.Map(rapid.IntRange(0, i-1), func(back int) int { return i - 1 - back })
		most := rapid.SampledFrom([]int{1, 1, 1, 2, 2, 3}).Draw(t, "parents")
		s.Parents = rapid.SliceOfNDistinct(parent, 1, min(most, i), rapid.ID).Draw(t, "of")
		s.Like = s.Parents[0]
		if rapid.IntRange(0, 2).Draw(t, "revert") > 0 {
			s.Like = parent.Draw(t, "like")
		}
	}
	paths := []string{"a", "d/x", "d/y", "d/e/x", "f/x", "f/y", "f/e/x"}
	if i == 0 { // content that later steps leave unchanged
		s.Write, s.Content = paths, "0"
		return s
	}
	s.Write = rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 0, 3, rapid.ID).Draw(t, "write")
	s.Remove = rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 0, 1, rapid.ID).Draw(t, "remove")
	s.Content = rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "content")
	s.Link = rapid.SampledFrom([]string{"", "", "", "submodule", "folder"}).Draw(t, "link")
	return s
}

// Build writes a history and returns its commits.
func Build(r *gitstore.Repo, steps []Step) ([]tree.Hash, error) {
	commits, roots := make([]tree.Hash, len(steps)), make([]tree.Hash, len(steps))
	for i, s := range steps {
		var base tree.Hash
		if s.Like >= 0 {
			base = roots[s.Like]
		}
		edits, err := s.edits(r, base)
		if err != nil {
			return nil, err
		}
		if roots[i], err = r.WriteTree(base, edits); err != nil {
			return nil, fmt.Errorf("commit %d: %w", i, err)
		}
		c := gitstore.Commit{Author: Person(s.Seconds), Committer: Person(s.Seconds), Message: fmt.Sprint(i), Tree: roots[i]}
		for _, p := range s.Parents {
			c.Parents = append(c.Parents, commits[p])
		}
		if commits[i], err = r.WriteCommit(c, nil); err != nil {
			return nil, err
		}
	}
	return commits, nil
}

// edits returns the edits of a step that its tree allows.
func (s Step) edits(r *gitstore.Repo, base tree.Hash) ([]tree.Edit, error) {
	have, err := r.Snapshot(base)
	if err != nil {
		return nil, err
	}
	chosen := map[string]tree.Edit{}
	for _, path := range s.Remove {
		if _, err := have.Read(path); err == nil {
			chosen[path] = tree.Edit{Path: path, Remove: true}
		}
	}
	for _, path := range s.Write {
		chosen[path] = tree.Edit{Path: path, Content: []byte(s.Content + filepath.Base(path))} // d and f may be alike
	}
	if err := s.link(r, have, chosen); err != nil {
		return nil, err
	}
	var edits []tree.Edit
	for _, e := range chosen {
		edits = append(edits, e)
	}
	return edits, nil
}

// link adds the edits of Link. It replaces a submodule, never a folder.
func (s Step) link(r *gitstore.Repo, have tree.View, chosen map[string]tree.Edit) error {
	is, err := have.Lookup("link")
	there := err == nil
	switch {
	case s.Link == "submodule" && !there:
		named, err := r.WriteTree(tree.Hash{}, Files("only", s.Content))
		if err != nil {
			return err
		}
		chosen["link"] = tree.Edit{Path: "link", Mode: tree.Submodule, Hash: named}
	case s.Link == "folder":
		if there && is.Mode == tree.Submodule {
			chosen["link"] = tree.Edit{Path: "link", Remove: true}
		}
		chosen["link/only"] = tree.Edit{Path: "link/only", Content: []byte(s.Content)}
	}
	return nil
}
