package doctor_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/flows/doctor"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// bench is a repository without a workspace, with a lock that was left an hour ago.
type bench struct {
	*testing.T
	doctor.Surroundings
	repo *gitstore.Repo
	lock string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	t.Setenv("ASSENT_HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	repo, err := gitstore.Init(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, repo: repo, lock: filepath.Join(repo.CommonDir(), "refs", "heads", "main.lock")}
	b.Surroundings = doctor.Surroundings{
		Now: time.Now,
		Open: func() (*workspace.Workspace, error) {
			return workspace.Of(repo, workspace.Surroundings{Now: time.Now}), nil
		},
		Getenv: func(string) string { return "" },
		Git:    func(context.Context, string, ...string) (string, error) { return "", gitrun.ErrNoGit },
		Hint:   func(error) string { return "" },
	}
	b.leave(time.Hour)
	return b
}

// leave makes the lock as old as that.
func (b *bench) leave(age time.Duration) {
	b.Helper()
	then := time.Now().Add(-age)
	if err := errors.Join(os.WriteFile(b.lock, nil, 0o600), os.Chtimes(b.lock, then, then)); err != nil {
		b.Fatal(err)
	}
}

// mend runs Mend and reports whether the lock still exists, and the finding about it.
func (b *bench) mend() (there bool, said string) {
	b.Helper()
	for _, f := range doctor.Mend(b.Context(), b.Surroundings) {
		if f.Check == "locks" {
			said += f.Message + "\n"
		}
	}
	_, err := os.Stat(b.lock)
	return err == nil, said
}

func TestLockOfTheDeadIsRemoved(t *testing.T) {
	b := newBench(t)
	if there, said := b.mend(); there || !strings.Contains(said, "remove ") {
		t.Errorf("still there: %v; %s", there, said)
	}
}

func TestYoungLockStays(t *testing.T) {
	b := newBench(t)
	b.leave(5 * time.Minute)
	if there, said := b.mend(); !there || !strings.Contains(said, "was left 5m") {
		t.Errorf("still there: %v; %s", there, said)
	}
}

// A lock file that a process has open is kept at any age.
func TestOpenLockStays(t *testing.T) {
	b := newBench(t)
	lock, err := os.Open(b.lock)
	if err != nil {
		t.Fatal(err)
	}
	b.start("cat", "", lock)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if there, said := b.mend(); !there || !strings.Contains(said, "(cat) may still need it") {
		t.Errorf("still there: %v; %s", there, said)
	}
}

// Git closes a lock's file and holds the lock.
func TestLockStaysWhileGitIsAtWork(t *testing.T) {
	b := newBench(t)
	b.start("git", b.repo.Root(), nil, "cat-file", "--batch")
	if there, said := b.mend(); !there || !strings.Contains(said, "(git) may still need it") {
		t.Errorf("still there: %v; %s", there, said)
	}
}

// start runs a program until the test ends: it reads a pipe without a writer.
func (b *bench) start(program, dir string, holds *os.File, args ...string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program, args...)
	cmd.Dir = dir
	if holds != nil {
		cmd.ExtraFiles = []*os.File{holds}
	}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = in.Close(), cmd.Wait() })
}

// Anyone who pushes chooses ref names, and so names of locks. A suggested command removes
// the lock and does nothing else.
func TestFixesHoldHostileNames(t *testing.T) {
	b := newBench(t)
	b.lock = filepath.Join(filepath.Dir(b.lock), "x';touch${IFS}pwned;'.lock")
	b.leave(5 * time.Minute)
	for _, f := range doctor.Examine(b.Context(), b.Surroundings) {
		_, command, _ := strings.Cut(f.Fix, ": ")
		if f.Check != "locks" || !strings.Contains(command, "pwned") {
			continue
		}
		dir := t.TempDir()
		sh := exec.CommandContext(t.Context(), "sh", "-c", command)
		sh.Dir = dir
		if out, err := sh.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", command, err, out)
		}
		if made, _ := os.ReadDir(dir); len(made) > 0 {
			t.Errorf("%s made %s", command, made[0].Name())
		}
	}
	if _, err := os.Lstat(b.lock); err == nil {
		t.Error("the lock is there still")
	}
}
