package judging

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/scanner"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// under are paths as they are seen from -C.
func under(dir string, paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		if out[i] = p; dir != "." && !filepath.IsAbs(p) {
			out[i] = filepath.Join(dir, p)
		}
	}
	return out
}

// olderTree returns the version named by --base: a folder or file on the disk if there is one,
// else a revision of the repository.
func olderTree(ctx context.Context, c *console.Console, o scanOptions) (scanner.Older, error) {
	if o.base == "" {
		return nil, nil
	}
	base := under(c.Dir, []string{o.base})[0]
	if _, err := os.Stat(base); err == nil {
		if len(o.paths) != 1 {
			return nil, console.Usage("--base names a folder; compare one PATH with it at a time")
		}
		return scanner.OlderFolder(ctx, base)
	}
	w, err := c.Open()
	if errors.Is(err, gitstore.ErrNotRepository) {
		return nil, console.Usage("--base %s: no such folder, and no Git repository here that could have such a revision", o.base)
	}
	if err != nil {
		return nil, err
	}
	commit, err := console.CommitOf(w, o.base)
	if err != nil {
		return nil, err
	}
	view, err := w.Repo.Snapshot(commit)
	if err != nil {
		return nil, err
	}
	return scanner.OlderTree{View: view, DirOf: func(t *scanner.Target) (string, bool) { return pathInside(w.Repo.Root(), t.Path) }}, nil
}

// pathInside is a path of the disk as one of the repository at root.
func pathInside(root, path string) (string, bool) {
	abs, err := filepath.Abs(path)
	if err != nil || root == "" {
		return "", false
	}
	rel, err := filepath.Rel(realPath(root), realPath(abs))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	if rel == "." {
		rel = ""
	}
	return filepath.ToSlash(rel), true
}

// waivers returns the waivers in force in the workspace of -C, for files in it. If they cannot be
// read none applies, which is stricter.
func waivers(ctx context.Context, c *console.Console, paths []string) func(string) *policy.Security {
	w, err := c.Open()
	if err != nil {
		return nil
	}
	any := false
	for _, p := range under(c.Dir, paths) {
		_, in := pathInside(w.Repo.Root(), p)
		any = any || in
	}
	if !any {
		return nil
	}
	cur, err := w.Session(ctx)
	if err != nil {
		if !errors.Is(err, attest.ErrNoGenesis) && !errors.Is(err, attest.ErrNoMain) {
			c.Complain("no waiver is applied: %v", err)
		}
		return nil
	}
	return func(path string) *policy.Security {
		if _, in := pathInside(w.Repo.Root(), path); !in {
			return nil
		}
		return &cur.Policies.Security
	}
}
