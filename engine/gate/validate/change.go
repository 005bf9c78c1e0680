package validate

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

// checkChange refuses changes that change nothing, and edits that go back to an
// earlier text without saying so (A→B→A).
func checkChange(s *purpose) (diag.List, error) {
	var out diag.List
	if s.Worktree {
		return out, nil
	}
	real := 0
	for _, c := range s.changes {
		if c.Path == s.file {
			continue
		}
		real++
		if err := checkCircular(s, &out, c); err != nil {
			return out, err
		}
	}
	if real == 0 {
		out.Errorf(RuleEmptyChange, diag.Pos{File: s.file}, "change a file, or withdraw the proposal; what main took in and back again by hand is proposed again after that",
			"the proposal changes nothing: every file is as it is in force")
	}
	return out, nil
}

func (s *change) blobOf(c tree.Change) (tree.Hash, error) {
	if !c.New.Hash.IsZero() {
		return c.New.Hash, nil
	}
	data, err := s.readHead(c)
	return tree.BlobHash(data), err
}

// checkLimits compares numbers and sizes with policies/limits.yaml, before any
// content is read.
func checkLimits(s *change) (diag.List, error) {
	var out diag.List
	lim := s.Policies.Limits
	total := int64(0)
	for _, c := range s.changes {
		if c.Removed() || !c.New.Mode.IsFile() {
			continue
		}
		size, err := s.sizeOf(c)
		if err != nil {
			return out, err
		}
		total += size
		//defence:file-size
		if size > lim.FileBytes {
			out.Errorf(RuleFileSize, diag.Pos{File: c.Path}, "make the file smaller, or keep the data elsewhere and name it",
				"the file has %d bytes, the limit is %d", size, lim.FileBytes)
		}
		if size == 0 && names.Governed(c.Path) && !isKeepFile(c.Path) {
			out.Errorf(RuleEmptyFile, diag.Pos{File: c.Path}, "write something, or leave the file out", "the file is empty")
		}
	}
	//defence:proposal-bytes
	if total > lim.ProposalBytes {
		out.Errorf(RuleBytes, diag.Pos{File: s.file}, "split the change into several proposals",
			"the change has %d bytes, the limit is %d", total, lim.ProposalBytes)
	}
	return out, nil
}

// sizeOf is how many bytes a file of the head has; a submodule, whose commit is in
// another repository, has none here.
func (s *change) sizeOf(c tree.Change) (int64, error) {
	if c.New.Mode == tree.Submodule {
		return 0, nil
	}
	size, err := tree.Size(s.Head, c.New)
	if err != nil {
		return 0, fmt.Errorf("size of %s: %w", c.Path, err)
	}
	return size, nil
}

// isKeepFile admits the empty files that are empty on purpose.
func isKeepFile(path string) bool {
	base := path[len(parent(path)):]
	return base == "/.gitkeep" || base == "/__init__.py" || base == "/py.typed"
}
