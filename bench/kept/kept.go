package kept

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assent-dev/assent"
	"github.com/assent-dev/assent/bench/generate"
)

// Spec says what a workspace holds.
type Spec struct {
	// Capabilities in force from the beginning.
	Capabilities int
	// Merged proposals, each adding one capability more.
	Merged int
	// Closed proposals, with journals of Events events.
	Closed, Events int
}

func (s Spec) String() string {
	return fmt.Sprintf("%d-capabilities-%d-merged-%d-closed-%d-events", s.Capabilities, s.Merged, s.Closed, s.Events)
}

// Seed of all texts.
const seed = 1

// Options of the generator that made the workspace.
func (s Spec) Options() generate.Options { return generate.Options{N: s.Capabilities, Seed: seed} }

// Next is the number of the first capability that is not in force.
func (s Spec) Next() int { return s.Capabilities + s.Merged }

// Store is the folder with all of them. Log is told what takes long.
type Store struct {
	Dir string
	Log io.Writer
}

// Get returns a workspace that must not be changed, and makes it if it is not
// there. It uses and sets ASSENT_HOME for that.
func (s Store) Get(ctx context.Context, spec Spec) (Workspace, error) {
	key, err := digest()
	if err != nil {
		return Workspace{}, err
	}
	dir := filepath.Join(s.Dir, key, spec.String())
	if _, err := os.Stat(dir); err == nil {
		return within(spec, dir), nil
	}
	fmt.Fprintf(s.Log, "generating %v\n", spec)
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return Workspace{}, err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), "making-")
	if err != nil {
		return Workspace{}, err
	}
	defer os.RemoveAll(temp)
	if err := fill(ctx, within(spec, temp)); err != nil {
		return Workspace{}, fmt.Errorf("generating %v: %w", spec, err)
	}
	if err := os.Rename(temp, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return Workspace{}, err
	}
	return within(spec, dir), nil
}

func within(spec Spec, dir string) Workspace {
	return Workspace{Spec: spec, Repo: filepath.Join(dir, "repo"), Home: filepath.Join(dir, "home")}
}

// digest names everything outside of a Spec that a workspace depends on.
func digest() (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, generate.Version)
	err := fs.WalkDir(assent.Template, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(assent.Template, path)
		fmt.Fprintf(sum, "%s %x\n", path, sha256.Sum256(data))
		return err
	})
	return fmt.Sprintf("%x", sum.Sum(nil)[:6]), err
}

// fill makes a workspace in an empty folder, packed as git gc would leave it.
func fill(ctx context.Context, w Workspace) error {
	if err := w.Enter(); err != nil {
		return err
	}
	o := w.Options()
	made, err := o.Workspace(ctx, w.Repo, w.Home)
	if err != nil {
		return err
	}
	if err := made.Merge(ctx, o, w.Merged); err != nil {
		return err
	}
	o.N = w.Next()
	if err := made.Close(ctx, o, w.Closed, w.Events); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"config", "user.name", generate.Human}, {"config", "user.email", generate.Human + "@example.org"}, {"config", "gc.auto", "0"},
		{"repack", "-adq"}, {"prune-packed", "-q"}, {"pack-refs", "--all"},
	} {
		if _, err := w.Git(ctx, "", args...); err != nil {
			return err
		}
	}
	return nil
}
