package validate

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/scan"
)

// Brought is the content of a file in one commit of the branch, even if the head does not
// have it any more: with the merge, all commits become part of main's history.
type Brought struct {
	Commit tree.Hash
	tree.Change
	// Read returns the content of a blob.
	Read func(tree.Hash) ([]byte, error)
}

// MaxBrought bounds how many contents of a branch are searched.
const MaxBrought = 2000

// checkBranch looks for secrets that a commit added and a later one took away.
func checkBranch(s *change) (diag.List, error) {
	var out diag.List
	if s.Branch == nil {
		return out, nil
	}
	all, err := s.Branch()
	if err != nil {
		return out, fmt.Errorf("look through the branch: %w", err)
	}
	known := known{}
	for i, b := range all {
		if i == MaxBrought {
			out.Warnf(RuleBranchLong, diag.Pos{}, "make one commit of the branch: git rebase -i", "the branch brings more than %d contents; the rest was not searched for secrets", MaxBrought)
			break
		}
		if err := leaks(s, &out, b, known); err != nil {
			return out, err
		}
	}
	return out, nil
}

// known are the keys of secrets that were reported, or stand at the head, by path.
type known map[string]map[string]bool

// at returns the secrets known at a path. It starts with those in the head's content, which
// other checks have reported or waived already.
func (k known) at(s *change, path string) (map[string]bool, error) {
	if k[path] != nil {
		return k[path], nil
	}
	k[path] = map[string]bool{}
	e, err := s.Head.Lookup(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !e.Mode.IsFile() {
		return k[path], nil
	}
	var src []byte
	if err == nil {
		src, err = s.Head.Read(path)
	}
	for _, l := range scan.Leaks(path, nil, src) {
		k[path][l.Key] = true
	}
	return k[path], err
}

// leaks reports the secrets in one commit that were not reported before.
func leaks(s *change, out *diag.List, b Brought, known known) error {
	var before []byte
	after, err := b.Read(b.New.Hash)
	if err == nil && !b.Added() && b.Old.Mode.IsFile() {
		before, err = b.Read(b.Old.Hash)
	}
	if err != nil {
		return fmt.Errorf("read %s of commit %s: %w", b.Path, b.Commit.Short(), err)
	}
	for _, l := range scan.Leaks(b.Path, before, after) {
		told, err := known.at(s, b.Path)
		if err != nil {
			return fmt.Errorf("read %s of the change: %w", b.Path, err)
		}
		if told[l.Key] {
			continue
		}
		found := diag.List{l.Diagnostic}
		s.Policies.Security.Waive(found, func(string) string { return b.New.Hash.String() }, s.Today)
		told[l.Key] = found[0].Severity != diag.Note // waived in this content, which says nothing of another
		d := found[0]
		d.Message += fmt.Sprintf(", in commit %s of the branch, which would stay in history", b.Commit.Short())
		d.Fix = "Revoke the key, and remove that commit from the branch: git rebase -i, or withdraw and propose again."
		out.Add(d)
	}
	return nil
}
