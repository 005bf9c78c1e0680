package cli_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/cli"
	"github.com/assent-dev/assent/engine/cli/clitest"
	"github.com/assent-dev/assent/engine/cli/console"
)

// format0 is the workspace of testdata/format0 on the day after it was made.
type format0 struct {
	*testing.T
	ws, key string
	clock   time.Time
}

func newFormat0(t *testing.T) *format0 {
	t.Helper()
	home := t.TempDir()
	f := &format0{T: t, ws: filepath.Join(home, "ws"), key: filepath.Join(home, "key"), clock: time.Date(2025, 1, 16, 9, 0, 0, 0, time.UTC)}
	for name, value := range map[string]string{
		"HOME": home, "ASSENT_HOME": filepath.Join(home, "assent"), "ASSENT_AGENT": "", "ASSENT_KEY": f.key, "SSH_AUTH_SOCK": "",
		"GIT_CONFIG_GLOBAL": filepath.Join(home, ".gitconfig"), "GIT_CONFIG_NOSYSTEM": "1",
	} {
		t.Setenv(name, value)
	}
	f.ok(os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(clitest.GitConfig), 0o600))
	key, err := os.ReadFile(filepath.Join("testdata", "format0", "key"))
	f.ok(err)
	f.ok(os.WriteFile(f.key, key, 0o600))
	bundle, err := filepath.Abs(filepath.Join("testdata", "format0", "workspace.bundle"))
	f.ok(err)
	f.git("init", "-q", f.ws)
	f.git("-C", f.ws, "fetch", "-q", "--update-head-ok", bundle, "refs/*:refs/*")
	f.git("-C", f.ws, "reset", "-q", "--hard")
	return f
}

func (f *format0) ok(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *format0) git(args ...string) string {
	f.Helper()
	out, err := exec.CommandContext(f.Context(), "git", args...).CombinedOutput()
	if err != nil {
		f.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// run executes one command line a minute later and expects it to succeed.
func (f *format0) run(args ...string) string {
	f.Helper()
	var out, errs bytes.Buffer
	f.clock = f.clock.Add(time.Minute)
	code := cli.Run(f.Context(), append([]string{"-C", f.ws}, args...), console.World{
		In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: os.Getenv, Random: rand.Reader,
		Now: func() time.Time { return f.clock }, Width: func() int { return 80 }, Unattended: func() (bool, error) { return true, nil },
	})
	if code != 0 {
		f.Fatalf("%v: exit code %d\n%s%s", args, code, &out, &errs)
	}
	return out.String()
}

// open returns the open proposals' ids by the beginning of their names, with states.
func (f *format0) open() map[string]string {
	f.Helper()
	var got struct{ Proposals []struct{ ID, State string } }
	f.ok(json.Unmarshal([]byte(f.run("status", "--json")), &got))
	states := map[string]string{}
	for _, p := range got.Proposals {
		name, _, _ := strings.Cut(p.ID, "-")
		states[name] = p.State
	}
	return states
}

// A workspace from before formats had numbers can be read, proposed to and merged as before, is
// migrated by a proposal, and its open proposals go on after it.
func TestFormat0(t *testing.T) {
	f := newFormat0(t)
	if holds := f.run("audit", "verify"); !strings.Contains(holds, "including 2 merges") {
		t.Errorf("before: %s", holds)
	}
	if states := f.open(); len(states) != 2 || states["buzz"] != "approved" || states["drone"] != "waiting" {
		t.Errorf("open before: %v", states)
	}
	f.run("cat", "hum")

	var made struct {
		From, To int
		ID       string
		Proposal struct{ Kind, Risk, Agent, State string }
	}
	f.ok(json.Unmarshal([]byte(f.run("migrate", "--json")), &made))
	if p := made.Proposal; made.From != 0 || made.To != 1 || p.Kind != "policy" || p.Risk != "critical" || p.Agent != "ada" || p.State != "waiting" {
		t.Errorf("proposed: %+v", made)
	}
	f.run("review", made.ID, "approve")
	f.run("merge", made.ID)
	if again := f.run("migrate"); !strings.Contains(again, "has format 1, which is the newest") {
		t.Errorf("after: %s", again)
	}

	f.run("merge", "buzz") // approved before the migration
	f.run("review", "drone", "approve")
	f.run("merge", "drone")
	f.run("cat", "buzz")
	f.run("cat", "drone")
	if format := f.run("cat", "policies/workspace.yaml"); !strings.Contains(format, "\nformat: 1\n") {
		t.Errorf("a branch from before took the format back: %s", format)
	}
	if holds := f.run("audit", "verify"); !strings.Contains(holds, "including 5 merges") {
		t.Errorf("after: %s", holds)
	}
	f.git("-C", f.ws, "fsck", "--strict", "--no-dangling")
}

// Migrating is optional.
func TestFormat0Stays(t *testing.T) {
	f := newFormat0(t)
	f.run("merge", "buzz")
	f.run("audit", "verify")
	if said := f.run("doctor"); !strings.Contains(said, "assent migrate") {
		t.Errorf("doctor does not name migrate:\n%s", said)
	}
}
