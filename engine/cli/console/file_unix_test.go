//go:build unix

package console_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assent-dev/assent/engine/cli/console"
)

// A pipe without a writer or reader, one whose writer is silent, and a silent standard input end with
// the program. Endless files are read up to the bound.
func TestNamedFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, quiet := filepath.Join(dir, "pipe"), filepath.Join(dir, "quiet")
	for _, name := range []string{pipe, quiet} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Skipf("no pipes here: %v", err)
		}
	}
	writer, err := os.OpenFile(quiet, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	silent, stop := io.Pipe()
	defer stop.Close()
	c := console.New(console.World{In: silent, Out: io.Discard, Err: io.Discard})
	for _, name := range []string{pipe, quiet, "-"} {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		if _, err := console.ReadFile(ctx, c, name, 10); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	unread := filepath.Join(dir, "unread") // the abandoned read above still opens the first one
	if err := syscall.Mkfifo(unread, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if err := console.WriteFile(ctx, unread, []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("written: %v", err)
	}
	if _, err := console.ReadFile(t.Context(), c, "/dev/zero", 1<<20); !errors.Is(err, console.ErrTooLarge) {
		t.Errorf("/dev/zero: %v", err)
	}
	if _, err := console.ReadFile(t.Context(), c, dir, 10); err == nil {
		t.Error("a folder was read")
	}
	late := filepath.Join(dir, "late")
	if err := syscall.Mkfifo(late, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() { _ = os.WriteFile(late, []byte("ten bytes."), 0o600) }()
	if data, err := console.ReadFile(t.Context(), c, late, 10); err != nil || string(data) != "ten bytes." {
		t.Errorf("a pipe with a writer: %q, %v", data, err)
	}
}

// Commands read what the user names by Open and ReadFile. Those here look first whether it is a regular
// file, or read none of the user's.
func TestOneWayToReadFiles(t *testing.T) {
	looked := map[string]bool{"console/file.go": true, "demo/stage.go": true, "demo/visitor.go": true, "inforce/checkpoint.go": true, "runs/task_done.go": true}
	files, err := filepath.Glob("../*/*.go")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		rel := strings.TrimPrefix(filepath.ToSlash(name), "../")
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(rel, "clitest/") || looked[rel] {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{"os.Open(", "os.OpenFile(", "os.ReadFile(", "os.WriteFile(", "World.In)"} {
			if strings.Contains(string(text), call) {
				t.Errorf("%s calls %s: use console.Open, ReadFile or WriteFile", rel, call)
			}
		}
	}
}
