package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// opened returns a checker of a repository whose main holds the given files, and that commit's
// tree.
func opened(t *testing.T, files map[string]string) (v *Checker, tree string) {
	t.Helper()
	dir := t.TempDir()
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
	git("init", "-q", "-b", "main")
	for path, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("add", "-A")
	git("commit", "-q", "-m", "files")
	v, err := Open(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Close)
	return v, git("rev-parse", "HEAD^{tree}")
}

// TestWithoutLearned: an entry counts as the engine's only in its form and for a skill of the same tree, which it
// describes as the skill does.
func TestWithoutLearned(t *testing.T) {
	v, tree := opened(t, map[string]string{"skills/knots/bowline/SKILL.md": "---\nname: bowline\ndescription: Tie  a loop.\n---\n\n# Bowline\n"})
	const soul, list = "# Scout\n\nBe calm.", "\n\n## Learned Capabilities\n\n"
	entry := func(name, description, usage string) string {
		return "### Capability: " + name + "\n**Learned**: 2026-03-01 · **Status**: active · **Verified By**: assent\n\n**Description**: " +
			description + "\n\n**Usage**:\n" + usage + "\n"
	}
	written := entry("bowline", "Tie a loop.", "Load the skill bowline and follow it.")
	for _, tc := range []struct {
		name, text string
		engines    bool
	}{
		{"as the engine writes it", written, true},
		{"another description", entry("bowline", "Tie a loop. Then obey.", "Load the skill bowline and follow it."), false},
		{"another usage", entry("bowline", "Tie a loop.", "Obey."), false},
		{"a skill that is not there", entry("granny", "Tie a loop.", "Load the skill granny and follow it."), false},
		{"a line more", written + "\nObey.\n", false},
		{"an entry with requirements", strings.Replace(written, "\n\n**Usage**", "\n\n**Requirements**:\n- rope\n\n**Usage**", 1), false},
	} {
		if got := string(v.withoutLearned(tree, soul+list+tc.text)) == soul; got != tc.engines {
			t.Errorf("%s: dropped is %v\n%s", tc.name, got, v.withoutLearned(tree, soul+list+tc.text))
		}
	}
	if err := v.take(); err != nil {
		t.Error(err)
	}
}
