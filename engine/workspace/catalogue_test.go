package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/registry/index"
)

// answers returns the workspace's answers about its capabilities, from a new session.
func (d *world) answers() string {
	d.Helper()
	cur, err := d.Workspace.Session(d.Context())
	d.OK(err)
	named, err := cur.View.Named("Reef_Knot")
	d.OK(err)
	// Names are asked first and once more after an index was built for the rest.
	all, err := cur.Capabilities.Entries(func(index.Entry) bool { return true })
	d.OK(err)
	again, err := cur.View.Named("Reef_Knot")
	d.OK(err)
	if diff := cmp.Diff(named, again); diff != "" {
		d.Errorf("asked twice\n%s", diff)
	}
	found, err := cur.Capabilities.Find(index.Query{Words: "knot rope", Limit: 10})
	d.OK(err)
	related, err := cur.Capabilities.Related(index.Implements, "bowline")
	d.OK(err)
	return fmt.Sprint(named, all, found, related)
}

func (d *world) indexes() []string {
	d.Helper()
	files, err := filepath.Glob(filepath.Join(os.Getenv("ASSENT_HOME"), "index", "*", "*.idx"))
	d.OK(err)
	return files
}

// Delete, cut or alter the index: the answers stay the same.
func TestIndexIsACache(t *testing.T) {
	d := newWorld(t)
	d.merged(skill("bowline")...)
	d.answers()
	d.merged(skill("reef-knot")...) // on top of the index of before
	want := d.answers()
	if len(d.indexes()) == 0 {
		t.Fatal("nothing was kept")
	}
	whole := map[string][]byte{}
	for _, file := range d.indexes() {
		data, err := os.ReadFile(file)
		d.OK(err)
		whole[file] = data
	}
	for name, harm := range map[string]func(file string, data []byte) error{
		"removed": func(file string, _ []byte) error { return os.Remove(file) },
		"emptied": func(file string, _ []byte) error { return os.Truncate(file, 0) },
		"cut":     func(file string, data []byte) error { return os.Truncate(file, int64(len(data)/2)) },
		"header": func(file string, data []byte) error {
			data[30] ^= 1
			return os.WriteFile(file, data, 0o600)
		},
		"an entry": func(file string, data []byte) error {
			data[300] ^= 1
			return os.WriteFile(file, data, 0o600)
		},
		"another's": func(file string, _ []byte) error {
			data, err := index.Build(d.current().View, [20]byte{1}, 1)
			if err != nil {
				return err
			}
			return os.WriteFile(file, data, 0o600)
		},
	} {
		for file, data := range whole {
			for other, data := range whole {
				d.OK(os.WriteFile(other, data, 0o600))
			}
			d.OK(harm(file, slices.Clone(data)))
			if got := d.answers(); got != want {
				t.Errorf("%s: other answers\n%s", name, cmp.Diff(want, got))
			}
		}
	}
}

// Where nothing can be kept, everything works and leaves nothing behind.
func TestReadOnlyHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders cannot be made read-only there")
	}
	d := newWorld(t)
	d.merged(skill("reef-knot")...)
	want := d.answers()
	home := os.Getenv("ASSENT_HOME")
	d.OK(os.RemoveAll(filepath.Join(home, "index")))
	d.OK(os.WriteFile(filepath.Join(home, "index"), nil, 0o400)) // even root cannot create a folder there
	if got := d.answers(); got != want {
		t.Error(cmp.Diff(want, got))
	}
}
