package cli_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/cli"
	"github.com/assent-dev/assent/engine/cli/clitest"
	"github.com/assent-dev/assent/engine/cli/console"
)

// user runs the program inside the test, in a home and a workspace of their own.
type user struct {
	*testing.T
	ws string
	in string // standard input
	// ahead is how far the clock of the program is ahead.
	ahead time.Duration
}

func newUser(t *testing.T) user {
	t.Helper()
	home := t.TempDir()
	config := filepath.Join(home, ".gitconfig")
	if err := os.WriteFile(config, []byte(clitest.GitConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "ASSENT_HOME": filepath.Join(home, "assent"), "ASSENT_AGENT": "", "ASSENT_KEY": "", "SSH_AUTH_SOCK": "",
		"GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_NOSYSTEM": "1",
	} {
		t.Setenv(name, value)
	}
	u := user{T: t, ws: filepath.Join(t.TempDir(), "ws")}
	if code, _, err := u.run("init", u.ws); code != 0 {
		t.Fatalf("init: %d: %s", code, err)
	}
	return u
}

// run executes one command line in the workspace.
func (u user) run(args ...string) (code int, stdout, stderr string) {
	u.Helper()
	var errs bytes.Buffer
	code, stdout = u.with(u.Context(), &errs, args...)
	return code, stdout, errs.String()
}

func (u user) with(ctx context.Context, errs io.Writer, args ...string) (code int, stdout string) {
	var out bytes.Buffer
	if args[0] != "init" {
		args = append([]string{"-C", u.ws}, args...)
	}
	code = cli.Run(ctx, args, console.World{
		In: strings.NewReader(u.in), Out: &out, Err: errs, Getenv: os.Getenv, Random: rand.Reader,
		Now:   func() time.Time { return time.Now().Add(u.ahead) },
		Width: func() int { return 80 }, Unattended: func() (bool, error) { return true, nil },
	})
	return code, out.String()
}

// imported is an element of the JSON of import.
type imported struct {
	Path, Name, Place, ID, State, Reason string
	Changes                              []string
	Skipped                              bool
	Diagnostics                          []struct {
		File, Rule, Message, Fix string
		Line                     int
	}
}

func (u user) imports(want int, args ...string) []imported {
	u.Helper()
	code, out, errs := u.run(append([]string{"import", "--json"}, args...)...)
	if code != want {
		u.Fatalf("import %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, want, out, errs)
	}
	var all []imported
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		u.Fatalf("%v\n%s", err, out)
	}
	return all
}

// written lists the refs, in which any change to the repository shows.
func (u user) written() string {
	u.Helper()
	out, err := exec.CommandContext(u.Context(), "git", "-C", u.ws, "for-each-ref").Output()
	if err != nil {
		u.Fatal(err)
	}
	return string(out)
}

// write makes a file of a source tree, and the folders above it.
func (u user) write(path string, content []byte) {
	u.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		u.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		u.Fatal(err)
	}
}

func skillText(name string) []byte {
	return fmt.Appendf(nil, "---\nname: %s\ndescription: Ties a %s. Use when a %s is to be tied.\n---\n\n# %s\n\nFollow the picture.\n", name, name, name, name)
}

// merge has an open proposal approved and merged.
func (u user) merge(id string) {
	u.Helper()
	for _, args := range [][]string{{"review", id, "approve", "--reason", "fine"}, {"merge", id}} {
		if code, out, errs := u.run(args...); code != 0 {
			u.Fatalf("%s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errs)
		}
	}
}

// canceller interrupts a run at its first report of progress.
type canceller struct{ cancel context.CancelFunc }

func (c canceller) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("/")) {
		c.cancel()
	}
	return len(p), nil
}

func TestImportGoesOnAfterAnInterruption(t *testing.T) {
	u := newUser(t)
	src := t.TempDir()
	const folders = 14
	for i := range folders {
		name := fmt.Sprintf("knot-%d", i)
		u.write(filepath.Join(src, name, "SKILL.md"), skillText(name))
	}
	ctx, cancel := context.WithCancel(t.Context())
	code, out := u.with(ctx, canceller{cancel}, "import", src)
	if code != 4 || !strings.Contains(out, "10 imported") {
		t.Fatalf("interrupted: exit code %d\n%s", code, out)
	}
	states := map[string]int{}
	for _, i := range u.imports(0, src) {
		states[i.State]++
	}
	if states["proposed"] != 10 || states["waiting"] != folders-10 {
		t.Errorf("the second run: %v", states)
	}
	if n := strings.Count(u.written(), "refs/heads/proposal/"); n != folders {
		t.Errorf("%d proposals for %d folders", n, folders)
	}
}

func TestImportLimitIsForAgents(t *testing.T) {
	u := newUser(t)
	src := t.TempDir()
	const folders, limit = 4, 2
	for i := range folders {
		name := fmt.Sprintf("knot-%d", i)
		u.write(filepath.Join(src, name, "SKILL.md"), skillText(name))
	}
	u.allow(limit)
	for _, dryRun := range []string{"--dry-run", "--dry-run=false"} {
		reasons := map[string]int{}
		for _, i := range u.imports(1, src, "--agent", "scout", dryRun) {
			reasons[i.Reason]++
		}
		if reasons[""] != limit || reasons["limit-open"] != folders-limit {
			t.Errorf("%s: %v", dryRun, reasons)
		}
	}
	if _, out, _ := u.run("import", src, "--agent", "scout"); !strings.Contains(out, "left: 2 folders") {
		t.Errorf("nothing about the folders left:\n%s", out)
	}
	for _, i := range u.imports(0, src) { // Ada's limit is Ada's patience
		if i.Skipped {
			t.Errorf("%s: %s", i.Name, i.Reason)
		}
	}
}

// allow has the number of open proposals of an agent changed.
func (u user) allow(limit int) {
	u.Helper()
	_, text, _ := u.run("cat", "policies/limits.yaml")
	key := regexp.MustCompile(`(open_proposals_per_agent:) \d+`)
	if !key.MatchString(text) {
		u.Fatalf("no limit to change:\n%s", text)
	}
	dir := u.TempDir()
	u.write(filepath.Join(dir, "policies", "limits.yaml"), key.ReplaceAll([]byte(text), fmt.Appendf(nil, "${1} %d", limit)))
	code, out, errs := u.run("propose", dir, "--agent", "smith", "--json")
	var opened struct{ ID string }
	if err := json.Unmarshal([]byte(out), &opened); err != nil || code != 0 {
		u.Fatalf("propose: %d, %v\n%s", code, err, errs)
	}
	u.merge(opened.ID)
}

func TestImportBatchesFitTheLimits(t *testing.T) {
	u := newUser(t)
	src := t.TempDir()
	// Three groups with 240 files each; a proposal may have 500, its own included.
	for _, name := range []string{"a/bowline", "b/hitch", "c/bend"} {
		u.write(filepath.Join(src, name, "SKILL.md"), skillText(filepath.Base(name)))
		for i := range 239 {
			u.write(filepath.Join(src, name, "references", fmt.Sprintf("step-%d.md", i)), []byte("Pull.\n"))
		}
	}
	u.write(filepath.Join(src, "c", "empty", "SKILL.md"), nil)
	_, out, _ := u.run("import", "--batch", "--dry-run", src)
	if !strings.Contains(out, "3 to import (0 changed to fit) in 2 proposals") || !strings.Contains(out, "so there are 2") {
		t.Errorf("dry run:\n%s", out)
	}
	by := map[string]string{}
	for _, i := range u.imports(1, "--batch", src) {
		by[i.Name] = i.ID
		if i.ID != "" && i.State != "waiting" {
			t.Errorf("%s is %s: %v", i.Name, i.State, i.Diagnostics)
		}
	}
	if by["bowline"] == "" || by["bowline"] != by["hitch"] || by["bend"] == "" || by["bend"] == by["hitch"] || by["empty"] != "" {
		t.Errorf("proposals: %v", by)
	}
}
