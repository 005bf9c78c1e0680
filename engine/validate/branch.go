package validate

import (
	"fmt"

	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/scan"
	"github.com/assent-dev/assent/engine/tree"
)

// Brought is a content that a commit of the branch brought, whatever the head made
// of it: with the merge, all commits become part of main's history.
type Brought struct {
	Commit tree.Hash
	tree.Change
	// Read returns the content of a blob.
	Read func(tree.Hash) ([]byte, error)
}

// MaxBrought bounds how many contents of a branch are looked through.
const MaxBrought = 2000

// checkBranch looks for secrets that a commit added and a later one took away.
func checkBranch(s *subject) error {
	if s.Branch == nil {
		return nil
	}
	all, err := s.Branch()
	if err != nil {
		return fmt.Errorf("look through the branch: %w", err)
	}
	known := map[string]bool{}
	for _, d := range s.diags {
		known[d.File+"\x00"+d.Evidence] = true
	}
	for i, b := range all {
		if i == MaxBrought {
			s.diags.Warnf(RuleBranchLong, diag.Pos{}, "make one commit of the branch: git rebase -i", "the branch brings more than %d contents; the rest was not searched for secrets", MaxBrought)
			break
		}
		if err := s.leaks(b, known); err != nil {
			return err
		}
	}
	return nil
}

// leaks reports what one commit brought and nobody reported before.
func (s *subject) leaks(b Brought, known map[string]bool) error {
	var before []byte
	after, err := b.Read(b.New.Hash)
	if err == nil && !b.Added() && b.Old.Mode.IsFile() {
		before, err = b.Read(b.Old.Hash)
	}
	if err != nil {
		return fmt.Errorf("read %s of commit %s: %w", b.Path, b.Commit.Short(), err)
	}
	found := scan.Leaks(b.Path, before, after)
	s.Policies.Security.Waive(found, func(string) string { return b.New.Hash.String() }, s.Today)
	for _, d := range found {
		if key := d.File + "\x00" + d.Evidence; !known[key] {
			known[key] = true
			d.Message += fmt.Sprintf(", in commit %s of the branch, which would stay in history", b.Commit.Short())
			d.Fix = "Revoke the key, and make the branch anew without that commit: git rebase -i, or withdraw and propose again."
			s.diags.Add(d)
		}
	}
	return nil
}
