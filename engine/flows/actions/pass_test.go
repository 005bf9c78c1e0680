package actions_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program replaces the engine: it makes an empty clone, and records its environment when it
// reconciles.
const program = `#!/bin/sh
set -e
if [ "$1" = clone ]; then
  git init -q "$3"
  exit
fi
cd "$2"
{
  echo "forge=$(git config assent.forge) merge=$(git config assent.merge || true) in-environment=$SIGNING_KEY"
  [ -z "$ASSENT_KEY" ] || { ls -l "$ASSENT_KEY" | cut -c1-10; echo "file=$ASSENT_KEY"; cat "$ASSENT_KEY"; }
  for there in github.example.org elsewhere.example.org; do
    echo "$there=$(printf 'protocol=https\nhost=%s\n\n' $there | GIT_TERMINAL_PROMPT=0 git credential fill 2>&1 | grep '^password=' || true)"
  done
} >"$SEEN"
exit "$CODE"
`

// pass runs the script of the reconcile action on an Enterprise Server, with an engine that
// exits with that code. It returns the lines that the engine recorded, and the files left
// beside the workspace.
func pass(t *testing.T, code string, env ...string) (seen []string, left []os.DirEntry) {
	t.Helper()
	dir := t.TempDir()
	temp, bin := filepath.Join(dir, "temp"), filepath.Join(dir, "bin")
	for _, d := range []string{filepath.Join(temp, "assent"), bin} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "assent"), []byte(program), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "../../../.github/actions/reconcile/pass")
	cmd.Env = append([]string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "CODE=" + code, "SEEN=" + filepath.Join(dir, "seen"),
		"RUNNER_TEMP=" + temp, "GITHUB_SERVER_URL=https://github.example.org", "GITHUB_REPOSITORY=someone/agents", "ASSENT_TOKEN=t0ken",
	}, env...)
	out, err := cmd.CombinedOutput()
	if (err == nil) != (code == "0") {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "seen"))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "t0ken") || strings.Contains(string(out), "secret") {
		t.Errorf("the log has a secret:\n%s", out)
	}
	if left, err = os.ReadDir(temp); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n"), left
}

// TestPassOnAnyServer: pages count on any GitHub server, and only its own server gets the
// token.
func TestPassOnAnyServer(t *testing.T) {
	seen, _ := pass(t, "0")
	want := "forge=github merge= in-environment=\ngithub.example.org=password=t0ken\nelsewhere.example.org="
	if got := strings.Join(seen, "\n"); got != want {
		t.Errorf("the engine saw\n%s\nwant\n%s", got, want)
	}
}

// TestPassWithKey: the key is in a file that only its user may read, outside the workspace.
// It is deleted after the pass, even after a failed one.
func TestPassWithKey(t *testing.T) {
	for _, code := range []string{"0", "4"} {
		seen, left := pass(t, code, "MERGE=service", "SIGNING_KEY=secret\nof two lines")
		if len(seen) < 5 {
			t.Fatalf("the engine saw %q", seen)
		}
		file, named := strings.CutPrefix(seen[2], "file=")
		if seen[0] != "forge=github merge=service in-environment=" || seen[1] != "-rw-------" || !named || seen[3] != "secret" || seen[4] != "of two lines" {
			t.Errorf("the engine saw %q", seen)
		}
		if strings.Contains(file, "workspace") {
			t.Errorf("the key is in the workspace: %s", file)
		}
		if _, err := os.Stat(file); !os.IsNotExist(err) || len(left) != 1 {
			t.Errorf("after the pass: %v, %v", err, left)
		}
	}
}
