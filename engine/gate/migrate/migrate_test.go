package migrate_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/migrate"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Each folder of testdata is a workspace before, original/, and as the newest format
// has it, expected/. Migrating goes there step by step and then has nothing to do.
func TestGoldens(t *testing.T) {
	cases, err := filepath.Glob("testdata/*/original")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, original := range cases {
		dir := filepath.Dir(original)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			files := read(t, original)
			migrated := raise(t, files)
			if diff := cmp.Diff(read(t, filepath.Join(dir, "expected")), migrated); diff != "" {
				t.Errorf("expected (-) and got (+)\n%s", diff)
			}
			if again := raise(t, migrated); !cmp.Equal(migrated, again) {
				t.Error("migrating the result changes it again")
			}
		})
	}
}

// raise applies steps until none is left, and expects each to give the format that it
// promises.
func raise(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	for range policy.NewestFormat + 1 {
		v := tree.MapOf(files)
		before, _ := policy.Load(v)
		step, err := migrate.Next(v, before.Format)
		if err != nil {
			t.Fatal(err)
		}
		if step == nil {
			if before.Format != policy.NewestFormat {
				t.Fatalf("no step leads on from format %d", before.Format)
			}
			return files
		}
		files = apply(files, step.Edits)
		after, diags := policy.Load(tree.MapOf(files))
		if after.Format != step.To || step.To != before.Format+1 || strings.TrimSpace(step.Why) == "" || diags.HasErrors() {
			t.Fatalf("the step from %d to %d gave %d: %v", step.From, step.To, after.Format, diags)
		}
	}
	t.Fatal("migrating comes to no end")
	return nil
}

func apply(files map[string]string, edits []tree.Edit) map[string]string {
	out := map[string]string{}
	for path, text := range files {
		out[path] = text
	}
	for _, e := range edits {
		if out[e.Path] = string(e.Content); e.Remove {
			delete(out, e.Path)
		}
	}
	return out
}

// read returns the files below a folder.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A migrated workspace has the file that a new one begins with.
func TestMigratedIsAsNew(t *testing.T) {
	shipped, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(policy.WorkspaceFile)))
	if err != nil {
		t.Fatal(err)
	}
	if got := raise(t, map[string]string{})[policy.WorkspaceFile]; got != string(shipped) {
		t.Errorf("migrate writes\n%s\na new workspace has\n%s", got, shipped)
	}
}

// A newer format is not changed.
func TestNothingForNewer(t *testing.T) {
	if step, err := migrate.Next(tree.NewMap(), policy.NewestFormat+1); step != nil || err != nil {
		t.Errorf("%v, %v", step, err)
	}
}
