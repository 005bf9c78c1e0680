package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// skillsPackage is the installer that many agents' users have; pinned, because it
// is code of others that the test runs.
const skillsPackage = "skills@1.5.18"

// Other people's installer finds every capability of a workspace, in groups too,
// and installs the bytes that are in force.
func TestSkillsInstallerAcceptsTheWorkspace(t *testing.T) {
	if os.Getenv("ASSENT_TEST_NPX") == "" {
		t.Skip("set ASSENT_TEST_NPX=1 to run " + skillsPackage + " from npm")
	}
	npx, err := exec.LookPath("npx")
	if err != nil {
		t.Skip("npx is not installed; it comes with Node.js")
	}
	cache := os.Getenv("NPM_CONFIG_CACHE")
	if cache == "" {
		if home, err := os.UserHomeDir(); err == nil {
			cache = filepath.Join(home, ".npm")
		}
	}
	u := newUser(t)
	src := t.TempDir()
	for _, path := range []string{"ada/bowline", "ada/clove-hitch", "ben/sheet-bend", "loose"} {
		u.write(filepath.Join(src, path, "SKILL.md"), skillText(filepath.Base(path)))
	}
	u.merge(u.imports(0, "--batch", src)[0].ID)

	project := t.TempDir()
	cmd := exec.CommandContext(t.Context(), npx, "-y", skillsPackage, "add", u.ws, "--agent", "claude-code", "codex", "--skill", "*", "-y", "--copy")
	cmd.Dir = project
	cmd.Env = append(os.Environ(), "DISABLE_TELEMETRY=1", "NPM_CONFIG_CACHE="+cache, "NO_COLOR=1", "CI=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	_, out, _ := u.run("list", "--json")
	var list []struct{ Name, Path string }
	u.fail(json.Unmarshal([]byte(out), &list))
	if !strings.Contains(out, "skills/ada/bowline") || !strings.Contains(out, "skills/loose") {
		t.Fatalf("the workspace lacks the imported skills:\n%s", out)
	}
	for _, client := range []string{".claude", ".agents"} {
		installed, err := filepath.Glob(filepath.Join(project, client, "skills", "*", "SKILL.md"))
		if err != nil || len(installed) != len(list) {
			t.Errorf("%s: %d skills of %d were installed (%v)", client, len(installed), len(list), err)
		}
		for _, c := range list {
			got, err := os.ReadFile(filepath.Join(project, client, "skills", c.Name, "SKILL.md"))
			if _, want, _ := u.run("cat", c.Name); err != nil || string(got) != want {
				t.Errorf("%s: %s differs from the skill in force (%v)", client, c.Path, err)
			}
		}
	}
}
