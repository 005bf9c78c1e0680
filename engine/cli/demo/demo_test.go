package demo

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// program finds a program that a test needs, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// deaf hears nothing.
type deaf struct{}

func (deaf) Scene(string, string) {}
func (deaf) Note(string)          {}
func (deaf) Command(string)       {}
func (deaf) Result(Result)        {}

func TestQuoteIsReadBackByTheShell(t *testing.T) {
	sh := program(t, "sh")
	for _, args := range [][]string{
		{"a", "b c", ""}, {"it's", `say "x"`}, {"$HOME", "`id`", `\`, "!"}, {"two\nlines", "*", "~", "#", "a;b", "é|&", "$(id)"},
	} {
		cmd := exec.Command(sh, "-c", `printf '%s\0' `+Quote(args...))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if diff := cmp.Diff(args, got); diff != "" {
			t.Errorf("%s\n%s", cmd, diff)
		}
	}
}

func TestHereDocumentsAreReadBackByTheShell(t *testing.T) {
	sh := program(t, "sh")
	for _, text := range []string{"a\n", "$HOME `id` \\ 'x'\n", "EOF\n", "x\nEOF\nEOF1\ny\n", "\n", "\ttab\n  EOF\n"} {
		dir := t.TempDir()
		cmd := exec.Command(sh, "-c", hereDocument("> f", text))
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		got, err := os.ReadFile(filepath.Join(dir, "f"))
		if err != nil || string(got) != text {
			t.Errorf("got %q (%v), want %q", got, err, text)
		}
	}
}

func TestCommentWraps(t *testing.T) {
	got := Comment("one two  three four\nfive "+strings.Repeat("x", 20), 12)
	want := []string{"# one two", "# three four", "# five", "# " + strings.Repeat("x", 20)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEnvironmentIsTheDemosOwn(t *testing.T) {
	got := surroundings([]string{"PATH=/bin", "GIT_DIR=/x", "ASSENT_AGENT=smith", "GIT_CONFIG_COUNT=1", "HOME=/home/ada"}, "/d")
	want := []string{
		"PATH=/bin", "HOME=/home/ada", "DEMO=/d", "ASSENT_HOME=/d/home", "GIT_CONFIG_GLOBAL=/d/home/gitconfig",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPreambleSetsUpTheSameEnvironment(t *testing.T) {
	sh := program(t, "sh")
	program(t, "grep")
	dir := filepath.Join(t.TempDir(), "it's a folder")
	cmd := exec.Command(sh, "-c", strings.Join(append(preamble(dir), "env | grep -E '^(DEMO|GIT_|ASSENT_)'", "pwd"), "\n"))
	cmd.Env = append(os.Environ(), "GIT_DIR=/nowhere", "ASSENT_AGENT=smith", "GIT_CONFIG_PARAMETERS='a.b'='c'")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	got := map[string]bool{}
	for _, l := range lines {
		got[l] = true
	}
	want := map[string]bool{dir: true}
	for _, kv := range surroundings(nil, dir) {
		want[kv] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFoldersThatCannotBeUsed(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{"not empty": full, "a file": filepath.Join(full, "mine"), "below a file": filepath.Join(full, "mine", "x")}
	if runtime.GOOS != "windows" && os.Geteuid() != 0 {
		closed := filepath.Join(t.TempDir(), "closed")
		if err := os.Mkdir(closed, 0o500); err != nil {
			t.Fatal(err)
		}
		cases["unwritable"] = filepath.Join(closed, "x")
	}
	for name, dir := range cases {
		_, err := freshFolder(dir)
		var bad *BadInput
		if !errors.As(err, &bad) || bad.Hint == "" {
			t.Errorf("%s: got %v, want bad input with a hint", name, err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(full, "mine")); err != nil || string(data) != "x" {
		t.Error("a file of the visitor's was touched")
	}
	if dir, err := freshFolder(t.TempDir()); err != nil || !filepath.IsAbs(dir) {
		t.Errorf("an empty folder will do: %q, %v", dir, err)
	}
}

func TestStopsAtTheFirstUnexpectedExitCode(t *testing.T) {
	git := program(t, "git")
	dir := filepath.Join(t.TempDir(), "demo")
	d, err := Start(Options{Dir: dir, Program: git, Env: os.Environ()}) // git knows no init --agent
	if err != nil {
		t.Fatal(err)
	}
	results, err := d.Play(context.Background(), deaf{})
	var failed *Unexpected
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, want an unexpected exit code", err)
	}
	last := results[len(results)-1]
	if failed.Command != "assent init agents --agent scout --agent smith" || last.Command != failed.Command || last.Exit == 0 {
		t.Errorf("stopped at %q with exit code %d: %v", last.Command, last.Exit, failed)
	}
	if failed.Dir != d.Dir() {
		t.Errorf("kept %s, want %s", failed.Dir, d.Dir())
	}
	if _, err := os.Stat(filepath.Join(dir, "home", "gitconfig")); err != nil {
		t.Error("the folder must be kept:", err)
	}
}

func TestExpectations(t *testing.T) {
	r := Result{Exit: 3, Stdout: "refused\n", Stderr: "SKILL.md:8: error\n"}
	for _, c := range []struct {
		line line
		want string
	}{
		{run("x").exit(3), ""},
		{run("x").exit(0, 3).showing("SKILL.md:8:").hiding("merged"), ""},
		{run("x"), "expected exit code 0, got 3"},
		{run("x").exit(0, 1), "expected exit code 0 or 1, got 3"},
		{run("x").exit(3).showing("SKILL.md:9:"), `expected the output to have "SKILL.md:9:" in it`},
		{run("x").exit(3).hiding("error"), `expected the output not to have "error" in it`},
	} {
		if got := c.line.broken(r); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestProposalsAreNamedByTheirBeginning(t *testing.T) {
	s := &stage{ids: map[string]string{"good": "tidy-00000000", "bad": "slugify-00000001", "undo": "undo-tidy-00000002"}}
	for arg, want := range map[string]string{"@good": "tidy", "@bad": "slugify", "@undo": "undo-tidy", "@other": "@other", "approve": "approve"} {
		if actual, word := s.refer(arg); actual != want || word != want {
			t.Errorf("%s: got %s, typed %s, want %s", arg, actual, word, want)
		}
	}
	s.ids["more"] = "tidy-more-00000003"
	actual, word := s.refer("@good")
	if want := `"$(git branch --format='%(refname:short)' --list 'proposal/tidy-????????')"`; actual != "tidy-00000000" || word != want {
		t.Errorf("a beginning that two share: got %s, typed %s", actual, word)
	}
	id, ok := firstID("a note: x\ntidy-0abc1234  add tidy\nother-0abc1235\n")
	if !ok || id != "tidy-0abc1234" {
		t.Errorf("got %q, %v", id, ok)
	}
}
