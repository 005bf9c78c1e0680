package gitstore

import (
	"fmt"
	"path/filepath"
)

// PointUnbornHead makes HEAD name another branch, as `git symbolic-ref HEAD` does, while the
// current branch has no commit. If HEAD has a commit, it returns an error: the user has to
// switch branches.
func (s *RefStore) PointUnbornHead(branch string) error {
	if err := CheckRefName(branch); err != nil {
		return err
	}
	claim := s.locks.newClaim()
	defer claim.release()
	lock, err := s.locks.acquire(filepath.Join(s.place.gitDir, "HEAD"), claim)
	if err != nil {
		return fmt.Errorf("pointing HEAD to %s: %w", branch, err)
	}
	defer lock.release()
	head, err := s.Head()
	if err != nil {
		return err
	}
	if head.Detached || !head.Commit.IsZero() {
		return fmt.Errorf("HEAD is at %s %s and not unborn", head.Branch, head.Commit.Short())
	}
	if err := lock.write("ref: " + branch + "\n"); err != nil {
		return fmt.Errorf("pointing HEAD to %s: %w", branch, err)
	}
	if err := lock.commit(); err != nil {
		return fmt.Errorf("pointing HEAD to %s: %w", branch, err)
	}
	return s.disk.SyncDir(s.place.gitDir)
}
