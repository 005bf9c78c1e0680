package script

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Secrets are given only with the tree in force, and hosts only if the policy admits them, whatever the
// workflow's file requests.
func TestSecretsApart(t *testing.T) {
	box := func(context.Context) (sandbox.Runner, error) {
		return nil, &sandbox.Refusal{Why: "none", Fix: "make one"}
	}
	c := Call{Script: workflow.Script{Runtime: "bash", Text: "true", Secrets: []string{"TOKEN"}}}
	far := Call{Script: workflow.Script{Runtime: "bash", Text: "true", Hosts: []string{"api.example.org:443"}}}
	_, err := Prepare(t.Context(), far, box, nil)
	if refused := new(Refused); !errors.As(err, &refused) {
		t.Errorf("a host that no policy admits: %v", err)
	}
	_, err = Prepare(t.Context(), c, box, nil)
	if refused := new(Refused); !errors.As(err, &refused) {
		t.Errorf("beside a proposal: %v", err)
	}
	c.InForce = true
	_, err = Prepare(t.Context(), c, box, nil)
	if unable := new(Unable); !errors.As(err, &unable) {
		t.Errorf("beside what is in force: %v", err)
	}
}

// Only matching files are written, no one else can enter, and nothing stays.
func TestLay(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	v := tree.NewMap(
		tree.Edit{Path: "skills/a/SKILL.md", Content: []byte("a")},
		tree.Edit{Path: "skills/a/scripts/run.sh", Mode: tree.Executable, Content: []byte("true")},
		tree.Edit{Path: "skills/a/link", Mode: tree.Symlink, Content: []byte("/etc/passwd")},
		tree.Edit{Path: "policies/roles.yaml", Content: []byte("x")},
	)
	for _, c := range []struct {
		patterns []string
		want     string
	}{
		{nil, "policies/roles.yaml -r--r--r--, skills/a/SKILL.md -r--r--r--, skills/a/scripts/run.sh -r-xr-xr-x"},
		{[]string{"skills/**/*.sh", "soul/**"}, "skills/a/scripts/run.sh -r-xr-xr-x"},
	} {
		dir, _, remove, err := lay(v, c.patterns, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				info, _ := e.Info()
				rest, _ := filepath.Rel(dir, p)
				got = append(got, filepath.ToSlash(rest)+" "+info.Mode().String())
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%v: %s, want %s", c.patterns, s, c.want)
		}
		if info, err := os.Stat(filepath.Dir(dir)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("others can enter: %v, %v", info.Mode(), err)
		}
		remove()
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s stays", dir)
		}
	}
}

// A tree beyond the bounds is refused, and a partial copy is removed.
func TestLayBounds(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	_, _, remove, err := lay(tree.NewMap(tree.Edit{Path: "skills/large", Content: make([]byte, maxBytes+1)}), nil, nil)
	remove()
	if refused := new(Refused); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(temp); len(left) != 0 {
		t.Errorf("%d folders stay", len(left))
	}
}

// The end of the output is kept as text, within its bound and a record's.
func TestEnd(t *testing.T) {
	for _, said := range []string{"", "a", strings.Repeat("é", run.MaxOutput), strings.Repeat("\xff\x01", run.MaxOutput), "x" + strings.Repeat("\u20ac", run.MaxOutput/3+1)} {
		text, missing := end([]byte(said))
		if len(text) > run.MaxOutput || missing < 0 || len(said) > run.MaxOutput && missing == 0 || !strings.HasSuffix(strings.ToValidUTF8(said, "�"), text) {
			t.Errorf("%d bytes: %d kept, %d missing", len(said), len(text), missing)
		}
		r := run.Record{V: run.Version, Kind: run.Done, Job: "a", Attempt: 1, Output: &run.Output{Stdout: text, Stderr: text}}
		if _, err := r.Encode(); err != nil {
			t.Error(err)
		}
	}
}
