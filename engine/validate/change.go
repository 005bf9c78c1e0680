package validate

import (
	"fmt"

	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/names"
	"github.com/assent-dev/assent/engine/proposal"
	"github.com/assent-dev/assent/engine/tree"
)

// historyDepth bounds how far back circular edits are looked for.
const historyDepth = 50

// checkChange refuses changes that change nothing, and edits that go back to an
// earlier text without saying so (A→B→A).
func checkChange(s *subject) error {
	if s.Worktree {
		return nil
	}
	real := 0
	for _, c := range s.changes {
		if c.Path == s.file {
			continue
		}
		real++
		if err := s.checkCircular(c); err != nil {
			return err
		}
	}
	if real == 0 {
		s.diags.Errorf(RuleEmptyChange, diag.Pos{File: s.file}, "change a file, or withdraw the proposal",
			"the proposal changes nothing: every file is as it is in force")
	}
	return nil
}

// checkCircular compares the new content with what the file was before, by blob.
func (s *subject) checkCircular(c tree.Change) error {
	if s.History == nil || c.Added() || c.Removed() || names.Area(c.Path) != names.SoulArea && names.Area(c.Path) != names.SkillsArea {
		return nil
	}
	if brought, err := s.bringsBack(); brought || err != nil {
		return err
	}
	earlier, err := s.History(c.Path)
	if err != nil {
		return fmt.Errorf("history of %s: %w", c.Path, err)
	}
	now, err := s.blobOf(c)
	if err != nil {
		return err
	}
	for i, h := range earlier {
		if i == historyDepth {
			break
		}
		//defence:no-silent-return
		if h == now && h != c.Old.Hash {
			if own, err := s.ownEntries(c); own || err != nil {
				return err
			}
			s.diags.Errorf(RuleCircular, diag.Pos{File: c.Path},
				"if the earlier text is wanted, say so: assent undo ID, or assent soul restore AGENT",
				"the edit brings back exactly the content that the file had %d changes ago", i+1)
			return nil
		}
	}
	return nil
}

// bringsBack reports whether the change says that it brings back what was there, and
// does.
func (s *subject) bringsBack() (bool, error) {
	kind, err := s.kind()
	return kind == proposal.Undo || kind == proposal.Restore, err
}

// ownEntries reports whether a change is the engine's alone: a capability that is
// proposed again after an undo brings its learned entry back, and nobody else's text.
func (s *subject) ownEntries(c tree.Change) (bool, error) {
	if agent, ok := names.AgentOf(c.Path); !ok || c.Path != soulPath(agent) {
		return false, nil
	}
	base, err := s.readBase(c)
	if err != nil {
		return false, err
	}
	head, err := s.readHead(c)
	if err != nil {
		return false, err
	}
	return s.engineOnly(c.Path, base, head)
}

func (s *subject) blobOf(c tree.Change) (tree.Hash, error) {
	if !c.New.Hash.IsZero() {
		return c.New.Hash, nil
	}
	data, err := s.readHead(c)
	return tree.BlobHash(data), err
}

// checkLimits compares numbers and sizes with policies/limits.yaml, before any
// content is read.
func checkLimits(s *subject) error {
	lim := s.Policies.Limits
	total, count := int64(0), 0
	for _, c := range s.changes {
		if c.Removed() || !c.New.Mode.IsFile() {
			continue
		}
		count++
		size, err := s.sizeOf(c)
		if err != nil {
			return err
		}
		total += size
		//defence:file-size
		if size > lim.FileBytes {
			s.diags.Errorf(RuleFileSize, diag.Pos{File: c.Path}, "make the file smaller, or keep the data elsewhere and name it",
				"the file has %d bytes, the limit is %d", size, lim.FileBytes)
		}
		if size == 0 && names.Governed(c.Path) && !isKeepFile(c.Path) {
			s.diags.Errorf(RuleEmptyFile, diag.Pos{File: c.Path}, "write something, or leave the file out", "the file is empty")
		}
	}
	//defence:file-count
	if count > lim.FilesPerProposal {
		s.diags.Errorf(RuleFileCount, diag.Pos{File: s.file}, "split the change into several proposals",
			"the change has %d files, the limit is %d", count, lim.FilesPerProposal)
	}
	//defence:proposal-bytes
	if total > lim.ProposalBytes {
		s.diags.Errorf(RuleBytes, diag.Pos{File: s.file}, "split the change into several proposals",
			"the change has %d bytes, the limit is %d", total, lim.ProposalBytes)
	}
	return nil
}

// sizeOf is how many bytes a file of the head has; a submodule, whose commit is in
// another repository, has none here.
func (s *subject) sizeOf(c tree.Change) (int64, error) {
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
