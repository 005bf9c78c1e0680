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

// A claim is a file like any other. What no transaction makes stays, wherever it is
// and however exactly it is named.
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
			c.content(path, file, "theirs")
		}
		c.name(path)
		file.Close()
		// Absolute names are no names in the Git folder, either.
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

// A copy of a Git folder brings the claims of processes along that are at work in
// the folder itself.
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

// meddling lets somebody else clear up as soon as a claim is there, before its
// maker can hold it.
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
	r.Locks.disk = &meddling{Disk: r.Locks.disk, times: 3, clear: other.clearLeftBehind}
	c := r.newClaim()
	if c == nil {
		t.Skip("this system has no advisory locks: nothing is claimed")
	}
	defer c.release()
	if !there(c.path) {
		t.Error("somebody else has cleared the claim away that is held")
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

// An empty lock of the same name and number is not the one that was claimed when it
// was made at another time.
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
