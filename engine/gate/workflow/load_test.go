package workflow

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
)

var update = flag.Bool("update", false, "write what the fixtures' want sections should say")

// fiveFields replaces the shell's cron parser.
func fiveFields(s string) error {
	if n := len(strings.Fields(s)); n != 5 {
		return fmt.Errorf("%d fields instead of 5", n)
	}
	return nil
}

func TestLoadAccepts(t *testing.T) {
	fixtures(t, "ok", func(t *testing.T, ws []Workflow, ds diag.List) string {
		if len(ds) > 0 {
			t.Errorf("diagnostics: %v", ds)
		}
		var b strings.Builder
		for _, w := range ws {
			fmt.Fprintf(&b, "%s %v schedule=%q command=%q\n", w.Name, w.On.Proposal, w.On.Schedule, w.On.Command)
			for _, j := range w.Jobs {
				fmt.Fprintf(&b, "  %s uses %s needs %v\n", j.Name, j.Uses, j.Needs)
			}
		}
		return b.String()
	})
}

func TestLoadRefuses(t *testing.T) {
	fixtures(t, "err", func(t *testing.T, _ []Workflow, ds diag.List) string {
		if !ds.HasErrors() {
			t.Error("nothing was refused")
		}
		var b strings.Builder
		for _, d := range ds {
			if d.Fix == "" {
				t.Errorf("no fix: %s", d)
			}
			fmt.Fprintf(&b, "%s\n  fix: %s\n", d, d.Fix)
		}
		return b.String()
	})
}

func fixtures(t *testing.T, dir string, got func(*testing.T, []Workflow, diag.List) string) {
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures in %s: %v", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			want := &txtar.File{}
			for i, f := range archive.Files {
				if f.Name == "want" {
					want = &archive.Files[i]
				} else {
					files[f.Name] = string(f.Data)
				}
			}
			ws, ds, err := Load(tree.MapOf(files), fiveFields)
			if err != nil {
				t.Fatal(err)
			}
			have := got(t, ws, ds)
			if *update {
				want.Data = []byte(have)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(want.Data), have); diff != "" {
				t.Errorf("-want +have:\n%s", diff)
			}
		})
	}
}

// Workflows with errors are left out; the valid ones beside them are kept.
func TestLoadKeepsValidOnes(t *testing.T) {
	ws, ds, err := Load(tree.MapOf(map[string]string{
		"workflows/bad.yaml":  "name: bad\non: {command: x}\njobs: {a: {uses: nothing}}\n",
		"workflows/good.yaml": "name: good\non: {command: x}\njobs:\n  a: {uses: inbox}\n",
	}), fiveFields)
	if err != nil || ds.Count(diag.Error) != 1 {
		t.Fatalf("diagnostics %v, error %v", ds, err)
	}
	for i := range ws {
		ws[i].Digest = ""
	}
	want := []Workflow{{
		Path: "workflows/good.yaml", Name: "good", Pos: diag.Pos{File: "workflows/good.yaml", Line: 1, Column: 7},
		On: Triggers{Command: "x"}, FailFast: true,
		Jobs: []Job{{Name: "a", Uses: "inbox", Pos: diag.Pos{File: "workflows/good.yaml", Line: 4, Column: 3}}},
	}}
	if diff := cmp.Diff(want, ws); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
}

func TestLoadRefusesLinks(t *testing.T) {
	v := tree.NewMap(tree.Edit{Path: "workflows/a.yaml", Mode: tree.Symlink, Content: []byte("../x")})
	if _, ds, err := Load(v, fiveFields); err != nil || len(ds) != 1 || ds[0].Rule != RuleFile {
		t.Errorf("diagnostics %v, error %v", ds, err)
	}
}

func TestLoadBoundsWork(t *testing.T) {
	var jobs, needs strings.Builder
	for i := range maxJobs + 1 {
		fmt.Fprintf(&jobs, "  j%d: {uses: inbox}\n", i)
		fmt.Fprintf(&needs, "j%d, ", i)
	}
	_, ds, err := Load(tree.MapOf(map[string]string{
		"workflows/jobs.yaml":  "name: jobs\non: {command: x}\njobs:\n" + jobs.String(),
		"workflows/needs.yaml": "name: needs\non: {command: x}\njobs: {a: {uses: inbox, needs: [" + needs.String() + "]}}\n",
	}), fiveFields)
	if err != nil {
		t.Fatal(err)
	}
	if len(ds) != 2 || ds[0].Rule != RuleJob || ds[1].Rule != RuleNeeds {
		t.Errorf("diagnostics: %v", ds)
	}
}

type broken struct{ tree.View }

var errDisk = errors.New("disk on fire")

func (broken) List(string) ([]tree.Entry, error) { return nil, errDisk }

func TestLoadReportsTheWorld(t *testing.T) {
	if _, _, err := Load(broken{}, fiveFields); !errors.Is(err, errDisk) {
		t.Errorf("error = %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("name: a\non: {proposal.opened: true, schedule: \"* * * * *\"}\njobs: {a: {uses: merge, needs: [b]}, b: {uses: inbox}}\n"))
	f.Add([]byte("name: a\non: {command: a}\njobs: {a: {run: \"echo\\n\", runtime: node, files: [\"skills/**\"], hosts: [\"a.example:1\"], secrets: A, timeout: 1h, memory: 1GiB}}\n"))
	f.Add([]byte("name: &x a\non: {command: *x}\njobs: {a: {needs: a}}\n"))
	f.Add([]byte("on:\r\n- x\njobs: {? [a] : b, 1: 2}\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		const file = "workflows/f.yaml"
		ws, ds, err := Load(tree.NewMap(tree.Edit{Path: file, Content: src}), fiveFields)
		if err != nil {
			t.Fatal(err)
		}
		if ds.HasErrors() == (len(ws) == 1) {
			t.Errorf("%d workflows with %v", len(ws), ds)
		}
		lines := strings.Count(string(src), "\n") + 1
		for _, d := range ds {
			if d.File != file || d.Line > lines {
				t.Errorf("position outside the source: %s", d)
			}
		}
	})
}
