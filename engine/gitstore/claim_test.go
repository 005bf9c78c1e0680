package gitstore

import (
	"os"
	"path/filepath"
	"testing"
)

func claimant(t *testing.T) *Repo {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	r, err := Init(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// abandon makes and claims a lock the way that a process does which is killed then.
func abandon(t *testing.T, r *Repo, path string) {
	t.Helper()
	c := r.newClaim()
	if c == nil {
		t.Skip("this system has no advisory locks: nothing is claimed")
	}
	if _, err := r.acquire(path, c); err != nil {
		t.Fatal(err)
	}
	c.file.Close()
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestLocksOfTheDeadAreCleared(t *testing.T) {
	r := claimant(t)
	path := filepath.Join(r.commonDir, "refs", "heads", "main")
	abandon(t, r, path)
	c := r.newClaim()
	defer c.release()
	if there(path + ".lock") {
		t.Error("the lock is there still")
	}
	if left, _ := os.ReadDir(claimsDir(r.commonDir)); len(left) != 1 {
		t.Errorf("%d claims, want the new one", len(left))
	}
}

func TestLocksOfTheLivingStay(t *testing.T) {
	r := claimant(t)
	path := filepath.Join(r.commonDir, "refs", "heads", "main")
	alive := r.newClaim()
	defer alive.release()
	lock, err := r.acquire(path, alive)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.release()
	r.newClaim().release()
	if !there(path + ".lock") {
		t.Error("a lock that is held was removed")
	}
}

// Whoever made a lock of that name meanwhile keeps it, even where the file system
// gives it the number of the one before.
func TestLocksOfOthersStay(t *testing.T) {
	r := claimant(t)
	path := filepath.Join(r.commonDir, "refs", "heads", "main")
	abandon(t, r, path)
	if err := os.Remove(path + ".lock"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".lock", []byte("git's"), 0o666); err != nil {
		t.Fatal(err)
	}
	r.newClaim().release()
	if !there(path + ".lock") {
		t.Error("git's lock was removed")
	}
}
