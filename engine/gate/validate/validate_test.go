package validate_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/registry/index"
)

var update = flag.Bool("update", false, "rewrite the want sections")

// The fixtures are txtar files. base/PATH is the tree in force. head/PATH is the tree after the
// change; a file only in the base stays, unless the comment has "remove PATH". was/PATH is the
// tree before the merge of y-k3v9q2mt, which made the base. want has the diagnostics.
func TestFixtures(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { fixture(t, file) })
	}
}

func fixture(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	base, head, want := split(t, a)
	report := runAfter(t, before(a), base, head).Report
	var got strings.Builder
	for _, d := range report.Diagnostics {
		fmt.Fprintln(&got, d)
	}
	fmt.Fprintf(&got, "kind: %s\nrisk: %s\n", report.Kind, report.Risk.Tier)
	if *update {
		for i := range a.Files {
			if a.Files[i].Name == "want" {
				a.Files[i].Data = []byte(got.String())
			}
		}
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, got.String()); d != "" {
		t.Errorf("diagnostics (-want +got):\n%s", d)
	}
}

func split(t *testing.T, a *txtar.Archive) (base, head *tree.Map, want string) {
	var before, after []tree.Edit
	for _, f := range a.Files {
		mode := tree.Regular
		name, modeText, ok := strings.Cut(f.Name, " ")
		if ok {
			if _, err := fmt.Sscanf(modeText, "%o", &mode); err != nil {
				t.Fatalf("mode of %s: %v", f.Name, err)
			}
		}
		where, path, _ := strings.Cut(name, "/")
		switch where {
		case "base":
			before = append(before, tree.Edit{Path: path, Mode: mode, Content: f.Data})
		case "head":
			after = append(after, tree.Edit{Path: path, Mode: mode, Content: f.Data})
		case "was":
		case "want":
			want = string(f.Data)
		default:
			t.Fatalf("%s: want base/, head/ or want", f.Name)
		}
	}
	head2 := append(append([]tree.Edit{}, before...), after...)
	for line := range strings.Lines(string(a.Comment)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "remove "); ok {
			head2 = append(head2, tree.Edit{Path: path, Remove: true})
		}
	}
	return tree.NewMap(before...), tree.NewMap(head2...), want
}

// before is the tree of a fixture's was/ files.
func before(a *txtar.Archive) *tree.Map {
	var out []tree.Edit
	for _, f := range a.Files {
		if path, ok := strings.CutPrefix(f.Name, "was/"); ok {
			out = append(out, tree.Edit{Path: path, Content: f.Data})
		}
	}
	return tree.NewMap(out...)
}

func run(t testing.TB, base, head tree.View) validate.Outcome {
	return runAfter(t, tree.NewMap(), base, head)
}

func runAfter(t testing.TB, was, base, head tree.View) validate.Outcome {
	policies, diags := policy.Load(withDefaults(t, base))
	out, err := validate.Run(validate.Input{
		Base: base, Head: head, BaseName: "base", HeadName: "head", Policies: policies, PolicyDiags: diags,
		Alike: func(capability.Capability) ([]capability.Folder, error) {
			all, _, err := capability.Folders(base)
			return all, err
		},
		Merge: func(id string) (*validate.Merged, error) {
			if id != "y-k3v9q2mt" {
				return nil, nil
			}
			return &validate.Merged{Before: was, After: base}, nil
		},
		History: func(path string) ([]validate.Earlier, error) {
			var out []validate.Earlier
			for _, v := range []tree.View{base, was} {
				if src, err := v.Read(path); err == nil {
					out = append(out, earlier(src))
				}
			}
			return out, nil
		},
		Schedule: func(string) error { return nil }, Today: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC), Engine: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func earlier(src []byte) validate.Earlier {
	return validate.Earlier{Hash: tree.BlobHash(src), Read: func() ([]byte, error) { return src, nil }}
}

// withDefaults adds the shipped policies that a fixture does not write itself.
func withDefaults(t testing.TB, base tree.View) tree.View {
	var edits []tree.Edit
	for _, path := range policy.Files() {
		data, err := os.ReadFile(filepath.Join("../../..", path))
		if err != nil {
			t.Fatal(err)
		}
		if own, err := base.Read(path); err == nil {
			data = own
		}
		edits = append(edits, tree.Edit{Path: path, Content: data})
	}
	return tree.NewMap(edits...)
}

// named is a tree whose capabilities are found in an index.
type named struct {
	tree.View
	*index.Index
}

// The report is the same where an index answers for the base as where it is listed.
func TestIndexDoesNotShow(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base, head, _ := split(t, a)
		data, err := index.Build(base, tree.Hash{1}, 2)
		if err != nil {
			t.Fatal(err)
		}
		segment, err := index.OpenSegment(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		x, err := index.New(segment)
		if err != nil {
			t.Fatal(err)
		}
		listed, err := run(t, base, head).Report.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		indexed, err := run(t, named{base, x}, head).Report.Canonical()
		if d := cmp.Diff(string(listed), string(indexed)); d != "" || err != nil {
			t.Errorf("%s: %v (-listed +indexed)\n%s", file, err, d)
		}
	}
}

// The report says that the scanner ran even if other checks fail, but not if sizes or names
// stopped validation before it.
func TestScanIsSaidToHaveRun(t *testing.T) {
	skill := tree.Edit{Path: "skills/x/SKILL.md", Content: []byte("---\nname: x\ndescription: Does x. Use when x.\n---\nDo x.\n")}
	for path, ran := range map[string]bool{"skills/x/extra.md": true, "skills/x/a\x01b.md": false} {
		head := tree.NewMap(skill, tree.Edit{Path: path, Content: []byte("More.\n")})
		if r := runAfter(t, tree.NewMap(), tree.NewMap(skill), head).Report; r.Passed || r.Scan.Ran != ran {
			t.Errorf("%q: passed %t, scan ran %t, want %t: %v", path, r.Passed, r.Scan.Ran, ran, r.Diagnostics)
		}
	}
}

// Same inputs, same bytes; and the bytes read back.
func TestReportIsAValue(t *testing.T) {
	a, err := txtar.ParseFile("testdata/add-skill.txtar")
	if err != nil {
		t.Fatal(err)
	}
	base, head, _ := split(t, a)
	one, err := run(t, base, head).Report.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	two, err := run(t, base, head).Report.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	if string(one) != string(two) {
		t.Fatalf("two runs differ:\n%s", cmp.Diff(string(one), string(two)))
	}
	back, err := validate.ParseReport(one)
	if err != nil {
		t.Fatal(err)
	}
	again, err := back.Canonical()
	if err != nil || string(again) != string(one) {
		t.Fatalf("the report does not read back: %v\n%s", err, cmp.Diff(string(one), string(again)))
	}
}

// An edit that brings back an earlier blob is named, unless it is an undo or a restoration.
func TestCircularEdits(t *testing.T) {
	soul := func(vibe string) string { return "# Scout\n\n## Vibe\n\n" + vibe + "\n" }
	for _, tc := range []struct {
		kind, before string
		want         bool
	}{{"soul", "A", true}, {"undo", "A", false}, {"undo", "C", true}, {"restore", "C", false}} {
		base := tree.MapOf(map[string]string{"soul/scout/SOUL.md": soul("B")})
		file := "proposals/2026/11/21/x-k3v9q2mt.md"
		head := tree.MapOf(map[string]string{
			"soul/scout/SOUL.md": soul("A"),
			file:                 "---\nid: x-k3v9q2mt\nkind: " + tc.kind + "\nagent: scout\ngoal: g\nundoes: y\nfiles: [soul/scout/SOUL.md]\n---\n# Why\n",
		})
		policies, _ := policy.Load(base)
		merge := func(string) (*validate.Merged, error) {
			return &validate.Merged{Before: tree.MapOf(map[string]string{"soul/scout/SOUL.md": soul(tc.before)}), After: base}, nil
		}
		out, err := validate.Run(validate.Input{Base: base, Head: head, Policies: policies, Merge: merge, History: func(string) ([]validate.Earlier, error) {
			return []validate.Earlier{earlier([]byte(soul("B"))), earlier([]byte(soul("A")))}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, d := range out.Report.Diagnostics {
			found = found || d.Rule == "change-circular" && d.Severity == diag.Error
		}
		if found != tc.want {
			t.Errorf("kind %s: circular %v, want %v: %v", tc.kind, found, tc.want, out.Report.Diagnostics)
		}
	}
}
