package gitstore

import (
	"fmt"
	"path/filepath"
)

// PointUnbornHead lets HEAD name another branch while the branch that it names has
// no commit yet, as `git symbolic-ref HEAD` does. A HEAD with a commit behind it is
// an error: whoever has it checked out must switch themself.
func (r *Repo) PointUnbornHead(branch string) error {
	if err := CheckRefName(branch); err != nil {
		return err
	}
	claim := r.newClaim()
	defer claim.release()
	lock, err := r.acquire(filepath.Join(r.gitDir, "HEAD"), claim)
	if err != nil {
		return fmt.Errorf("pointing HEAD to %s: %w", branch, err)
	}
	defer lock.release()
	head, err := r.Head()
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
	return r.disk.SyncDir(r.gitDir)
}
