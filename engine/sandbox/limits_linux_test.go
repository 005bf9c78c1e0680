package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/sandbox"
)

// both returns both runners, for tests of their common behaviour.
func both(t *testing.T) map[string]sandbox.Runner {
	t.Helper()
	plain, err := sandbox.NewUnprotected()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]sandbox.Runner{"box": isolating(t), "unprotected": plain}
}

func TestLimits(t *testing.T) {
	for name, r := range both(t) {
		for _, tc := range []struct {
			name, code string
			limits     sandbox.Limits
			want       sandbox.Ended
			exit       int
			signal     string
		}{
			{"exit code", "exit 7", sandbox.Limits{}, sandbox.Exited, 7, ""},
			{"a signal", "kill -SEGV $$", sandbox.Limits{}, sandbox.Killed, -1, "SIGSEGV"},
			{"forever", "while :; do :; done", sandbox.Limits{Wall: 300 * time.Millisecond}, sandbox.TimedOut, 0, ""},
			{"asleep", "sleep 60", sandbox.Limits{Wall: 300 * time.Millisecond}, sandbox.TimedOut, 0, ""},
			{"a flood", "while :; do echo flood; done", sandbox.Limits{Output: 1000}, sandbox.TooMuchOutput, 0, ""},
			{"a flood of errors", "while :; do echo flood >&2; done", sandbox.Limits{Output: 1000}, sandbox.TooMuchOutput, 0, ""},
			{"a silent flood", "exec >/dev/null; for i in 1 2 3; do echo flood; done", sandbox.Limits{Output: 10}, sandbox.Exited, 0, ""},
			{"in the background", "sleep 60 & echo done", sandbox.Limits{}, sandbox.Exited, 0, ""},
		} {
			t.Run(name+"/"+tc.name, func(t *testing.T) {
				got, err := r.Run(t.Context(), sandbox.Spec{Args: []string{"bash", "-c", tc.code}, Limits: tc.limits})
				if err != nil || got.Ended != tc.want || got.Exit != tc.exit || got.Signal != tc.signal {
					t.Fatalf("%+v, %v; want %v %d %s", got, err, tc.want, tc.exit, tc.signal)
				}
				if limit := tc.limits.Output; limit > 0 && int64(len(got.Stdout)+len(got.Stderr)) > limit {
					t.Errorf("%d bytes were kept", len(got.Stdout)+len(got.Stderr))
				}
				if got.Truncated != (tc.want == sandbox.TooMuchOutput) {
					t.Error("truncated:", got.Truncated)
				}
			})
		}
	}
}

// TestCPU: the kernel enforces CPU time, in the sandbox only.
func TestCPU(t *testing.T) {
	r, err := isolating(t).Run(t.Context(), sandbox.Spec{Args: []string{"bash", "-c", "while :; do :; done"}, Limits: sandbox.Limits{CPU: time.Second}})
	if err != nil || r.Ended != sandbox.Killed || r.Signal != "SIGKILL" {
		t.Fatal(r, err)
	}
}

func TestCancel(t *testing.T) {
	for name, r := range both(t) {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			p, err := r.Start(ctx, sandbox.Spec{Args: []string{"cat"}})
			if err != nil {
				t.Fatal(err)
			}
			echo(t, p)
			cancel()
			if got := p.Wait(); got.Ended != sandbox.Cancelled {
				t.Error(got)
			}
			if _, err := r.Run(ctx, sandbox.Spec{Args: []string{"true"}}); !errors.Is(err, context.Canceled) {
				t.Error("ran although it was cancelled:", err)
			}
		})
	}
}

// TestTalk: a server is used line by line; nothing is buffered, and it ends with its input.
func TestTalk(t *testing.T) {
	for name, r := range both(t) {
		t.Run(name, func(t *testing.T) {
			p, err := r.Start(t.Context(), sandbox.Spec{
				Args:    []string{"bash", "-c", `while read line; do echo "got $line $KEY"; done; echo bye; echo $KEY >&2`},
				Secrets: map[string]string{"KEY": "swordfish"},
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"one", "two"} {
				if _, err := io.WriteString(p.Stdin, word+"\n"); err != nil {
					t.Fatal(err)
				}
				want := "got " + word + " [redacted:KEY]\n"
				got := make([]byte, len(want))
				if _, err := io.ReadFull(p.Stdout, got); err != nil || string(got) != want {
					t.Fatalf("%q, %v", got, err)
				}
			}
			if err := p.Stdin.Close(); err != nil {
				t.Fatal(err)
			}
			got := p.Wait()
			rest, err := io.ReadAll(p.Stdout)
			if err != nil || string(rest) != "bye\n" || !got.OK() || string(got.Stderr) != "[redacted:KEY]\n" {
				t.Fatalf("%q, %v, %+v", rest, err, got)
			}
		})
	}
}

func echo(t *testing.T, p *sandbox.Process) {
	t.Helper()
	if _, err := io.WriteString(p.Stdin, "hello\n"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 6)
	if _, err := io.ReadFull(p.Stdout, got); err != nil || !bytes.Equal(got, []byte("hello\n")) {
		t.Fatalf("%q, %v", got, err)
	}
}

func TestWrongSpecs(t *testing.T) {
	files := func(names ...string) map[string]sandbox.File {
		out := map[string]sandbox.File{}
		for _, name := range names {
			out[name] = sandbox.File{}
		}
		return out
	}
	run := []string{"true"}
	deep := func(n int) (names []string) { // 400 files, in 5 folders for each of n, and one
		for i := range 400 - n {
			names = append(names, fmt.Sprintf("x%d", i))
		}
		for i := range n {
			names = append(names, fmt.Sprintf("scripts/a%d/b/c/d/e/x", i))
		}
		return names
	}
	for name, r := range both(t) {
		if got, err := r.Run(t.Context(), sandbox.Spec{Args: run, Files: files(deep(199)...)}); err != nil || !got.OK() {
			t.Errorf("%s: many folders: %+v, %v", name, got, err)
		}
		for what, spec := range map[string]sandbox.Spec{
			"nothing to run":      {},
			"NUL":                 {Args: []string{"true", "a\x00b"}},
			"outside":             {Args: run, Files: files("../x")},
			"absolute":            {Args: run, Files: files("/x")},
			"not clean":           {Args: run, Files: files("a//x")},
			"too many folders":    {Args: run, Files: files(deep(200)...)},
			"the folder":          {Args: run, Files: files(".")},
			"file and folder":     {Args: run, Files: files("a", "a/b")},
			"no name":             {Args: run, Env: map[string]string{"A=B": ""}},
			"empty name":          {Args: run, Env: map[string]string{"": ""}},
			"short secret":        {Args: run, Secrets: map[string]string{"A": "abc"}},
			"secret and not":      {Args: run, Env: map[string]string{"A": ""}, Secrets: map[string]string{"A": "abcd"}},
			"scratch that isn't":  {Args: run, Dir: sandbox.Scratch},
			"all is readable":     {Args: run, Readable: []string{"/"}},
			"relative":            {Args: run, Readable: []string{"a"}},
			"a host without port": {Args: run, Hosts: []string{"example.com"}},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				_, err := r.Run(t.Context(), spec)
				if wrong := (*sandbox.SpecError)(nil); !errors.As(err, &wrong) {
					t.Error(err)
				}
			})
		}
	}
	for what, spec := range map[string]sandbox.Spec{
		"running /code/absent": {Args: []string{"./absent"}},
		"running /code/data":   {Args: []string{"./data"}, Files: map[string]sandbox.File{"data": {Data: []byte("#!/bin/sh\n")}}},
		"bwrap: ":              {Args: run, Readable: []string{"/no/such/folder"}},
	} {
		if r, err := isolating(t).Run(t.Context(), spec); err == nil || !strings.Contains(err.Error(), what) || r.Ended != sandbox.NotRun {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
	}
	_, err := isolating(t).Run(t.Context(), sandbox.Spec{Args: []string{"no-such-program-here"}})
	if missing := (*sandbox.Missing)(nil); !errors.As(err, &missing) {
		t.Error(err)
	}
}

// TestReadableBelowTmp: a readable folder may be below /tmp, where programs keep temporary
// files; writes go elsewhere.
func TestReadableBelowTmp(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "readable")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("here"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "cat " + dir + "/a && echo mine > $TMPDIR/b && cat $TMPDIR/b && ! touch " + dir + "/c 2>/dev/null && ! touch /tmp/c 2>/dev/null"
	r, err := isolating(t).Run(t.Context(), sandbox.Spec{Args: []string{"sh", "-c", script}, Readable: []string{dir}, Write: true})
	if err != nil || !r.OK() || string(r.Stdout) != "heremine\n" {
		t.Errorf("%s %s %+v, %v", r.Stdout, r.Stderr, r, err)
	}
}
