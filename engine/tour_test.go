package engine_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// typed is one command of a tour and what it is said to print.
type typed struct{ command, output string }

// tour reads the console blocks of a document's section: lines after "$ " are typed, a
// here-document belongs to its command, and the rest is output.
func tour(t *testing.T, document, section string) []typed {
	t.Helper()
	var all []typed
	here, inside, within := false, false, false
	for line := range strings.Lines(documents(t)[document]) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(text, "## "):
			here = text == "## "+section
		case !here:
		case within:
			all[len(all)-1].command += "\n" + text
			within = text != "EOF"
		case text == "```console":
			inside = true
		case text == "```":
			inside = false
		case !inside:
		case strings.HasPrefix(text, "$ "):
			all = append(all, typed{command: text[2:]})
			within = strings.HasSuffix(text, "<<'EOF'")
		default:
			all[len(all)-1].output += line
		}
	}
	return all
}

// TestTour types the README's tour and its rest into a shell and compares what is printed.
func TestTour(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tour is typed into a POSIX shell")
	}
	shell := newTourist(t)
	steps := slices.Concat(tour(t, "README.md", "A tour in five minutes"), tour(t, "docs/tour.md", "Who you are, undoing, and agents with nothing but git"))
	for _, step := range steps {
		shell.compare(step, shell.enter(step.command))
	}
	if len(steps) < 20 {
		t.Errorf("the tour has %d commands", len(steps))
	}
}

// tourist is the shell's state: where it is, what it exported, and which ids stand for
// those that the document shows.
type tourist struct {
	t         *testing.T
	home, dir string
	exported  []string
	ids       map[string]string
}

// newTourist has a home with a git identity and the program on its path.
func newTourist(t *testing.T) *tourist {
	t.Helper()
	home := t.TempDir()
	program := filepath.Join(home, "bin", "assent")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/assent").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	config := "[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	// Nobody sits at a terminal here, as whoever reads a tour does.
	own := filepath.Join(home, ".config", "assent")
	if err := errors.Join(os.MkdirAll(own, 0o700), os.WriteFile(filepath.Join(own, "config.yaml"), []byte("unattended: true\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	return &tourist{t: t, home: home, ids: map[string]string{}, dir: home}
}

// compare holds what was printed against what the document shows.
func (s *tourist) compare(step typed, got string) {
	s.t.Helper()
	if diff := cmp.Diff(strings.Split(mask(step.output, s.home), "\n"), elide(step.output, mask(got, s.home))); diff != "" {
		s.t.Fatalf("$ %s\n(-document +got):\n%s\n%s", step.command, diff, got)
	}
}

// proposalID is an id of a tour; the first group is what does not vary.
var proposalID = regexp.MustCompile(`\b((?:undo-)?reading-list-|vibe-|add-to-the-roles-(?:ada-lovelace|bob)-)[0-9a-z]{8}\b`)

func (s *tourist) enter(command string) string {
	s.t.Helper()
	if dir, ok := strings.CutPrefix(command, "cd "); ok {
		s.dir = filepath.Join(s.dir, dir)
		return ""
	}
	if variable, ok := strings.CutPrefix(command, "export "); ok {
		s.exported = append(s.exported, variable)
		return ""
	}
	command = proposalID.ReplaceAllStringFunc(command, func(id string) string { return s.ids[id[:len(id)-8]] })
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = s.dir
	cmd.Env = append([]string{
		"HOME=" + s.home, "ASSENT_HOME=" + filepath.Join(s.home, ".config", "assent"), "GIT_CONFIG_NOSYSTEM=1",
		"PATH=" + filepath.Join(s.home, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"), "LC_ALL=C", "COLUMNS=80",
	}, s.exported...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if err != nil {
		s.t.Fatalf("$ %s\n%s%v", command, out, err)
	}
	for _, m := range proposalID.FindAllStringSubmatch(string(out), -1) {
		s.ids[m[1]] = m[0]
	}
	return string(out)
}

// mask replaces what differs from run to run.
func mask(text, home string) string {
	text = strings.ReplaceAll(text, home, "~")
	for _, m := range []struct{ what, by string }{
		{`SHA256:[A-Za-z0-9+/]{43}`, "SHA256:…"},
		{`\b[0-9a-f]{40}\b|\b[0-9a-f]{10}\b|\b[0-9a-f]{7}\b`, "<commit>"},
		{proposalID.String(), "${1}<id>"},
		{`\b\d{4}([-/])\d\d[-/]\d\d\b`, "<day>"},
	} {
		text = regexp.MustCompile(m.what).ReplaceAllString(text, m.by)
	}
	return text
}

// elide shortens got where the document does: a line "…" stands for any lines, and
// a line that ends in "…" for its beginning.
func elide(shown, got string) []string {
	want, have := strings.Split(mask(shown, "~"), "\n"), strings.Split(got, "\n")
	var out []string
	for i, line := range want {
		if line == "…" {
			rest := want[i+1:]
			if len(have) < len(rest) {
				return append(out, have...)
			}
			// What follows the gap is compared from its first line on, or from the end.
			at := len(have) - len(rest)
			for j := range have {
				if len(rest) > 0 && rest[0] != "" && have[j] == rest[0] {
					at = j
					break
				}
			}
			out, have = append(out, line), have[at:]
			continue
		}
		if len(have) == 0 {
			return out
		}
		if start, cut := strings.CutSuffix(line, "…"); cut && strings.HasPrefix(have[0], start) {
			have[0] = line
		}
		out, have = append(out, have[0]), have[1:]
	}
	return append(out, have...)
}
