package scan

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
)

// A fixture is a txtar archive of files. A name that ends in .quoted holds one
// Go string literal a line, joined, for bytes that an editor would spoil; one
// that ends in .repeat says in its first line how often the rest follows; one
// that ends in .link is a symbolic link. Where names begin with base/ and head/,
// the change between the two is judged, else the files. A capability.yaml
// declares for its folder. The file "want" lists "file:line:col severity rule".
type fixture struct {
	base, head []File
	delta      bool
	opt        Options
	want       string
}

func parseFixture(t testing.TB, data []byte) fixture {
	t.Helper()
	f := fixture{opt: Options{Declared: map[string]Declared{}}}
	for _, a := range txtar.Parse(data).Files {
		if a.Name == "want" {
			f.want = string(a.Data)
			continue
		}
		file := File{Path: a.Name, Mode: tree.Regular, Content: a.Data}
		if name, ok := strings.CutSuffix(file.Path, ".link"); ok {
			file.Path, file.Mode = name, tree.Symlink
		}
		if name, ok := strings.CutSuffix(file.Path, ".quoted"); ok {
			file.Path, file.Content = name, unquote(t, a.Data)
		}
		if name, ok := strings.CutSuffix(file.Path, ".repeat"); ok {
			file.Path, file.Content = name, repeat(t, a.Data)
		}
		if name, ok := strings.CutPrefix(file.Path, "base/"); ok {
			f.delta, file.Path = true, name
			f.base = append(f.base, file)
			continue
		}
		if name, ok := strings.CutPrefix(file.Path, "head/"); ok {
			f.delta, file.Path = true, name
		}
		f.head = append(f.head, file)
		if path.Base(file.Path) == "capability.yaml" {
			f.opt.Declared[path.Dir(file.Path)] = parseDeclared(t, file.Content)
		}
	}
	return f
}

func unquote(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	for line := range strings.Lines(string(data)) {
		s, err := strconv.Unquote(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out.WriteString(s)
	}
	return out.Bytes()
}

func repeat(t testing.TB, data []byte) []byte {
	t.Helper()
	count, rest, _ := strings.Cut(string(data), "\n")
	n, err := strconv.Atoi(count)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.Repeat(rest, n))
}

func parseDeclared(t testing.TB, content []byte) Declared {
	t.Helper()
	var c struct {
		Requires    struct{ Hosts, Secrets []string }
		SideEffects []string `yaml:"side_effects"`
	}
	if err := yaml.Unmarshal(content, &c); err != nil {
		t.Fatal(err)
	}
	return Declared{Hosts: c.Requires.Hosts, Secrets: c.Requires.Secrets, SideEffects: c.SideEffects}
}

func (f fixture) judge() diag.List {
	if f.delta {
		return New(f.base, f.head, f.opt)
	}
	return Files(f.head, f.opt)
}

func lines(found diag.List) string {
	var b strings.Builder
	for _, d := range found {
		fmt.Fprintf(&b, "%s %s %s\n", d.Pos, d.Severity, d.Rule)
	}
	return b.String()
}

// TestFixtures runs testdata/<rule>/{bad,good}*.txtar: every bad fixture draws
// exactly the findings it wants, its own rule among them; no good fixture draws its own rule.
func TestFixtures(t *testing.T) {
	for _, r := range Rules() {
		for _, kind := range []string{"bad", "good"} {
			names, err := filepath.Glob(filepath.Join("testdata", r.ID, kind+"*.txtar"))
			if err != nil || len(names) == 0 {
				t.Errorf("rule %s has no %s fixture (%v)", r.ID, kind, err)
			}
			for _, name := range names {
				t.Run(filepath.ToSlash(name), func(t *testing.T) { runFixture(t, name, r.ID, kind) })
			}
		}
	}
}

func runFixture(t *testing.T, name, rule, kind string) {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f := parseFixture(t, data)
	got := f.judge()
	if diff := cmp.Diff(f.want, lines(got)); diff != "" {
		t.Errorf("findings differ (-want +got):\n%s", diff)
	}
	fired := false
	for _, d := range got {
		fired = fired || d.Rule == rule
		if len([]rune(d.Evidence)) > maxEvidence {
			t.Errorf("evidence of %s is too long", d)
		}
	}
	if fired != (kind == "bad") {
		t.Errorf("rule %s fired: %v", rule, fired)
	}
}
