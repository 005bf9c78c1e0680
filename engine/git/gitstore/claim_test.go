package gitstore

import (
	"os"
	"path/filepath"
	"testing"
	"time"
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

// abandon creates and claims a lock like a process that is then killed.
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

// TestClaimsOfAnythingElse: a forged claim removes only files that a transaction creates.
func TestClaimsOfAnythingElse(t *testing.T) {
	r := claimant(t)
	outside := filepath.Join(t.TempDir(), "theirs.lock")
	link := filepath.Join(r.commonDir, "refs", "heads", "out")
	if err := os.Symlink(filepath.Dir(outside), link); err != nil {
		t.Skipf("symbolic links are needed: %v", err)
	}
	packs := filepath.Join(r.commonDir, "objects", "pack")
	paths := []string{
		outside, filepath.Join(link, "theirs.lock"),
		filepath.Join(r.commonDir, "refs", "heads", "main"), filepath.Join(r.commonDir, "config"),
		filepath.Join(packs, "pack-1.pack"), filepath.Join(r.commonDir, tempPrefix+"elsewhere"),
		filepath.Join(r.commonDir, "refs", "heads", "unnumbered.lock"),
	}
	c := r.newClaim()
	if c == nil {
		t.Skip("this system has no advisory locks: nothing is claimed")
	}
	for _, path := range paths {
		if err := os.WriteFile(path, []byte("theirs"), 0o666); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(path) != "unnumbered.lock" {
			c.addContent(path, file, "theirs")
		}
		c.addName(path)
		file.Close()
		// Absolute names are outside the Git folder.
		if _, err := c.file.Write([]byte(`"" "" "` + filepath.ToSlash(path) + "\"\n")); err != nil {
			t.Fatal(err)
		}
	}
	c.file.Close()
	r.newClaim().release()
	for _, path := range paths {
		if !there(path) {
			t.Errorf("%s was removed", path)
		}
	}
	if there(c.path) {
		t.Error("the claim is there still")
	}
}

// TestClaimsOfACopy: claims in a copied Git folder do not remove locks of the original, whose
// processes are running.
func TestClaimsOfACopy(t *testing.T) {
	r := claimant(t)
	alive := r.newClaim()
	if alive == nil {
		t.Skip("this system has no advisory locks: nothing is claimed")
	}
	defer alive.release()
	lock, err := r.acquire(filepath.Join(r.commonDir, "refs", "heads", "main"), alive)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.release()
	unfinished := packWriter{disk: r.Locks.disk, claim: alive, base: filepath.Join(r.commonDir, "objects", "pack", "pack-1")}
	pack, err := unfinished.temp([]byte("half a pack"))
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(r.Top())); err != nil {
		t.Fatal(err)
	}
	other, err := Open(copied)
	if err != nil {
		t.Fatal(err)
	}
	other.newClaim().release()
	if !there(lock.name()) || !there(pack) {
		t.Error("a command in the copy removed what a process needs in the folder itself")
	}
	if there(filepath.Join(other.commonDir, "objects", "pack", filepath.Base(pack))) {
		t.Error("the copy keeps a pack that nobody will finish")
	}
}

// meddling removes a claim as soon as it exists, before its process can lock it.
type meddling struct {
	Disk
	times int
	clear func()
}

func (m *meddling) OpenFile(name string, flag int, perm os.FileMode) (File, error) {
	f, err := m.Disk.OpenFile(name, flag, perm)
	if m.times > 0 && filepath.Base(filepath.Dir(name)) == "claims" {
		m.times--
		m.clear()
	}
	return f, err
}

func TestClaimsAreThereWhenTheyAreHeld(t *testing.T) {
	r := claimant(t)
	other, err := Open(r.Top())
	if err != nil {
		t.Fatal(err)
	}
	r.Locks.disk = &meddling{Disk: r.Locks.disk, times: 3, clear: other.removeDeadLocks}
	c := r.newClaim()
	if c == nil {
		t.Skip("this system has no advisory locks: nothing is claimed")
	}
	defer c.release()
	if !there(c.path) {
		t.Error("somebody else has cleared the claim away that is held")
	}
}

// TestLocksOfOthersStay: a new lock of the same name stays, even if the file system reuses the
// inode number.
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

// TestLaterEmptyLocksStay: an empty lock of the same name and inode number, but another time,
// is not the claimed one.
func TestLaterEmptyLocksStay(t *testing.T) {
	r := claimant(t)
	path := filepath.Join(r.commonDir, "refs", "heads", "main")
	abandon(t, r, path)
	later := time.Now().Add(time.Second)
	if err := os.Chtimes(path+".lock", later, later); err != nil {
		t.Fatal(err)
	}
	r.newClaim().release()
	if !there(path + ".lock") {
		t.Error("git's lock was removed")
	}
}
