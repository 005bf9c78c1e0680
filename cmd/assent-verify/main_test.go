package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/cmd/assent-verify/check"
)

// made makes a repository, initialised with options, whose main holds one commit with a message.
func made(t *testing.T, message string, options ...string) (dir, commit string) {
	t.Helper()
	dir = t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git(append([]string{"init", "-q", "-b", "main"}, options...)...)
	git("commit", "-q", "--allow-empty", "-m", message)
	return dir, git("rev-parse", "HEAD")
}

// aged makes a repository whose first commit has an author without an address.
func aged(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("sh", "-ec", `git init -q -b main
git mktree </dev/null >tree
printf 'tree %s\nauthor J\ncommitter J <j@example.org> 1100000000 +0000\n\nfirst\n' "$(cat tree)" |
  git hash-object -t commit -w --stdin --literally >.git/refs/heads/main
git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m Begin -m 'Assent-Genesis: yes'`)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

func TestExitCodes(t *testing.T) {
	dir, genesis := made(t, "Begin\n\nAssent-Genesis: yes")
	ordinary, _ := made(t, "ordinary")
	other, _ := made(t, "Begin\n\nAssent-Genesis: yes", "--object-format=sha256")
	shallow, _ := made(t, "Begin\n\nAssent-Genesis: yes")
	if err := os.WriteFile(filepath.Join(shallow, ".git", "shallow"), []byte(genesis+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	old := aged(t)
	for _, tc := range []struct {
		name string
		args []string
		want int
	}{
		{"a first commit from before git checked names", []string{old}, 0},
		{"all of main is in force", []string{dir}, 0},
		{"as expected", []string{"--expect", genesis + "@" + genesis, dir}, 0},
		{"another workspace than expected", []string{"--expect", strings.Repeat("0", 40) + "@" + genesis, dir}, 1},
		{"an expectation that is none", []string{"--expect", "main", dir}, 2},
		{"an accepted key that is no fingerprint", []string{"--reanchor", "ada", dir}, 2},
		{"an unknown flag", []string{"--fix"}, 2},
		{"two repositories", []string{dir, dir}, 2},
		{"help", []string{"-h"}, 0},
		{"no workspace", []string{ordinary}, 4},
		{"a shallow clone", []string{shallow}, 4},
		{"objects named by SHA-256", []string{other}, 4},
		{"no repository", []string{t.TempDir()}, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if got := run(tc.args, &out, &errs); got != tc.want {
				t.Errorf("exit code %d, want %d\n%s%s", got, tc.want, out.String(), errs.String())
			}
			if n := strings.Count(errs.String(), "Usage of"); n > 1 || n == 0 && tc.want == 2 {
				t.Errorf("the usage is printed %d times:\n%s", n, errs.String())
			}
		})
	}
	var out, errs bytes.Buffer
	var res check.Result
	if run([]string{dir}, &out, &errs); json.Unmarshal(out.Bytes(), &res) != nil || res.InForce != genesis || res.Workspace != genesis {
		t.Errorf("%s%s", out.String(), errs.String())
	}
}
