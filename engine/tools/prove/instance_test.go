package prove_test

import (
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/tools/prove"
)

// The tools of this repository, with which each workspace begins, hold.
func TestInstance(t *testing.T) {
	b := box(t, "python3")
	root, files := os.DirFS("../../.."), map[string]string{}
	err := fs.WalkDir(root, "skills", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	v := viewOf(files)
	var targets []prove.Target
	folders, _, err := capability.Folders(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if c, _, err := capability.Load(v, f.Path); err != nil {
			t.Fatal(err)
		} else if c.Callable() {
			targets = append(targets, prove.Target{View: v, Path: f.Path})
		}
	}
	plan, err := prove.Plan(targets)
	if err != nil || len(plan) == 0 {
		t.Fatal(len(plan), err)
	}
	proofs, err := prove.Options{Runner: b, Policies: admitting(), Now: time.Now, Workers: 2}.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range proofs {
		if !p.Held() || p.Report.Mastery != 1 || p.Report.State != suite.Passed {
			t.Errorf("%s: %s\n%v\n%v", p.Path, p.Report.Summary(), failing(p), p.Diagnostics)
		}
	}
}
