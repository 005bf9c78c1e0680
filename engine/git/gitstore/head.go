package gitstore

import (
	"fmt"
	"path/filepath"
)

// PointUnbornHead lets HEAD name another branch while the branch that it names has
// no commit yet, as `git symbolic-ref HEAD` does. A HEAD with a commit behind it is
// an error: its user has to switch branches.
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
