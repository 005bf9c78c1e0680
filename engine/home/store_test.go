package home_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/home"
)

const rounds = 200

// count increments the number in a file, times times.
func count(s home.Store, times int) error {
	for range times {
		err := s.Change(context.Background(), "sub/count", 64, func(old []byte) ([]byte, error) {
			n, _ := strconv.Atoi(string(old))
			return strconv.AppendInt(nil, int64(n+1), 10), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// TestMain lets this test be the other process.
func TestMain(m *testing.M) {
	if dir := os.Getenv("HOME_TEST_DIR"); dir != "" {
		if err := count(home.At(dir), rounds); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestProcessesTakeTurns: no update of two processes is lost.
func TestProcessesTakeTurns(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOME_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	here := count(home.At(dir), rounds)
	if err := errors.Join(here, cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	if got, err := home.At(dir).Read("sub/count", 64); err != nil || string(got) != strconv.Itoa(2*rounds) {
		t.Errorf("%s updates are left of %d: %v", got, 2*rounds, err)
	}
}

// TestNoEscape: neither a planted link nor ".." leads a write, read or removal out of the
// folder.
func TestNoEscape(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
	top := t.TempDir()
	dir, outside := filepath.Join(top, "home"), filepath.Join(top, "outside")
	for _, d := range []string{dir, outside} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	victim := filepath.Join(outside, "f")
	if err := os.WriteFile(victim, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"folder": outside, "near": "../outside", "file": victim, "changed": victim, "locked.lock": victim} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	s := home.At(dir)
	change := func(name string) error {
		return s.Change(t.Context(), name, 64, func([]byte) ([]byte, error) { return []byte("ours"), nil })
	}
	for _, name := range []string{"folder/f", "near/f", "folder/new", "../outside/f", "../new", victim, ""} {
		_, read := s.Read(name, 64)
		for how, err := range map[string]error{"written": s.Write(name, []byte("ours")), "cached": s.Cache(name, nil), "changed": change(name), "read": read, "removed": s.Remove(name)} {
			if err == nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q is %s", name, how)
			}
		}
	}
	if _, err := s.Read("file", 64); err == nil {
		t.Error("a link to a file outside is read")
	}
	if err := s.Write("file", []byte("ours")); err != nil { // replaces the link
		t.Error(err)
	}
	if change("changed") == nil || change("locked") == nil {
		t.Error("a file is changed through a link to one outside")
	}
	if got, err := os.ReadFile(victim); err != nil || string(got) != "theirs" {
		t.Errorf("outside: %q %v", got, err)
	}
	if found, err := os.ReadDir(outside); err != nil || len(found) != 1 {
		t.Errorf("outside: %v %v", found, err)
	}
}

// TestStore: files are private, complete and bounded.
func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	s := home.At(dir)
	if _, err := s.Read("a/b", 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing store: %v", err)
	}
	if err := s.Write("a/b", []byte("123456789")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Read("a/b", 9); err != nil || string(got) != "123456789" {
		t.Errorf("%q %v", got, err)
	}
	if _, err := s.Read("a/b", 8); !errors.Is(err, home.ErrTooLarge) {
		t.Errorf("a large file: %v", err)
	}
	grow := func(old []byte) ([]byte, error) { return append(old, '0'), nil }
	if err := s.Change(t.Context(), "a/b", 9, grow); !errors.Is(err, home.ErrTooLarge) {
		t.Errorf("a file that grows too large: %v", err)
	}
	if _, err := s.Read("a", 9); err == nil {
		t.Error("a folder is read")
	}
	for name, want := range map[string]fs.FileMode{"": 0o700, "a": 0o700, "a/b": 0o600, "a/b.lock": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	if err := s.Cache("a/c", nil); err != nil {
		t.Error(err)
	}
	if list, err := s.List("a"); err != nil || len(list) != 3 || list[0].Name() != "b" {
		t.Errorf("%v %v", list, err)
	}
	if err := errors.Join(s.Remove("a/c"), s.Remove("a/c"), s.Writable()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
	if err := (home.Store{}).Write("x", nil); err == nil {
		t.Error("no folder is written to")
	}
}

// TestLockEnds: a wait for a lock ends with its context.
func TestLockEnds(t *testing.T) {
	s := home.At(t.TempDir())
	err := s.Change(t.Context(), "x", 9, func([]byte) ([]byte, error) {
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer stop()
		return nil, s.Change(ctx, "x", 9, func([]byte) ([]byte, error) { return nil, nil })
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is held: %v", err)
	}
}
