package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Repo is an opened repository. It is safe for several goroutines, and beside
// any number of other processes, Git's own included.
type Repo struct {
	*repository
	offer Offer
}

// repository is what all handles of one opened repository share.
type repository struct {
	gitDir    string // of this worktree
	commonDir string // objects, refs, configuration
	root      string // "" when bare
	config    *config
	disk      Disk

	reopen  sync.Mutex
	objects atomic.Pointer[store]
	trees   *byteCache[tree.Hash]
	pending pending
	packed  packedCache
	updates sync.Mutex // one ref transaction at a time within the process
	asked   sync.Mutex
	answers map[string]string // what git said of who the user is
}

// Open finds the repository that holds dir: dir itself or a folder above it,
// bare or with a worktree, linked worktrees and submodules included. Of the
// environment only GIT_CEILING_DIRECTORIES is heeded, which bounds how far up it
// looks. Errors say what to do: ErrNotRepository, ErrUnsupported, ErrOwner.
func Open(dir string) (*Repo, error) { return OpenOn(osDisk{}, dir) }

// OpenOn is Open for a repository that is changed through disk.
func OpenOn(disk Disk, dir string) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening repository: %w", err)
	}
	ceilings := ceilings()
	for at := abs; ; at = filepath.Dir(at) {
		gitDir, root, err := candidate(at)
		if err != nil {
			return nil, err
		}
		if gitDir != "" {
			return openOwned(disk, gitDir, root)
		}
		if above := filepath.Dir(at); at == above || slices.Contains(ceilings, above) {
			return nil, fmt.Errorf("%s is in %w", dir, ErrNotRepository)
		}
	}
}

// ceilings are the folders at which the search upwards ends, as they are written
// and with links resolved.
func ceilings() []string {
	var out []string
	for _, dir := range filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		out = append(out, filepath.Clean(dir))
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			out = append(out, real)
		}
	}
	return out
}

// openOwned opens a repository that a search found, if it is the user's own.
func openOwned(disk Disk, gitDir, root string) (*Repo, error) {
	if err := checkOwner(gitDir, root); err != nil {
		return nil, err
	}
	return openAt(disk, gitDir, root)
}

// candidate looks for a repository at exactly dir; gitDir is "" when there is none.
func candidate(dir string) (gitDir, root string, err error) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotGit)
	switch {
	case err == nil && info.IsDir() && isGitDir(dotGit):
		return dotGit, dir, nil
	case err == nil && info.Mode().IsRegular():
		target, err := readLink(dotGit, "gitdir: ")
		if err != nil {
			return "", "", err
		}
		if !isGitDir(target) {
			return "", "", fmt.Errorf("%s points to %s, which is no Git folder; run `git worktree repair` in the main worktree: %w", dotGit, target, ErrNotRepository)
		}
		return target, dir, nil
	}
	if isGitDir(dir) {
		return dir, "", nil
	}
	return "", "", nil
}

// readLink reads a one-line file that holds a path, relative to the file's folder.
func readLink(file, prefix string) (string, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("opening repository: %w", err)
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(raw), "\r\n"), prefix)
	if !ok || path == "" {
		return "", fmt.Errorf("%s does not name a Git folder: %w", file, ErrNotRepository)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), nil
}

// isGitDir applies Git's own test: HEAD, and objects and refs here or in the
// folder that commondir names.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common := dir
	if c, err := readLink(filepath.Join(dir, "commondir"), ""); err == nil {
		common = c
	}
	for _, sub := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, sub)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

func openAt(disk Disk, gitDir, root string) (*Repo, error) {
	r := &Repo{repository: &repository{disk: disk, gitDir: gitDir, commonDir: gitDir, root: root, trees: newByteCache[tree.Hash](32 << 20), answers: map[string]string{}}}
	common, err := readLink(filepath.Join(gitDir, "commondir"), "")
	switch {
	case err == nil:
		r.commonDir = common
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if r.config, err = loadConfig(r.commonDir, r.gitDir); err != nil {
		return nil, err
	}
	if err := checkFormat(r.config.local, r.commonDir); err != nil {
		return nil, err
	}
	r.findRoot()
	return r, nil
}

// findRoot settles the worktree when the Git folder itself was opened.
func (r *Repo) findRoot() {
	if wt := r.config.get("core.worktree"); wt != "" && r.gitDir == r.commonDir {
		if !filepath.IsAbs(wt) {
			wt = filepath.Join(r.gitDir, wt)
		}
		r.root = filepath.Clean(wt)
		return
	}
	if r.root != "" {
		if r.gitDir == r.commonDir && r.config.bool("core.bare", false) {
			r.root = ""
		}
		return
	}
	if r.gitDir != r.commonDir {
		if dotGit, err := readLink(filepath.Join(r.gitDir, "gitdir"), ""); err == nil {
			r.root = filepath.Dir(dotGit)
		}
		return
	}
	if filepath.Base(r.gitDir) == ".git" && !r.config.bool("core.bare", false) {
		r.root = filepath.Dir(r.gitDir)
	}
}

// checkFormat refuses what cannot be read safely, each with a way out.
func checkFormat(c *configFile, commonDir string) error {
	if v := c.get("core.repositoryformatversion"); v != "" && v != "0" && v != "1" {
		return fmt.Errorf("%s has repository format version %s, which is newer than assent knows; update assent: %w", commonDir, v, ErrUnsupported)
	}
	if f := strings.ToLower(c.get("extensions.objectformat")); f != "" && f != "sha1" {
		return fmt.Errorf("%s names its objects with %s; assent reads SHA-1 repositories only, so make one with `git init --object-format=sha1`: %w", commonDir, f, ErrUnsupported)
	}
	if f := strings.ToLower(c.get("extensions.refstorage")); f != "" && f != "files" {
		return fmt.Errorf("%s stores its refs as %s; run `git refs migrate --ref-format=files` there: %w", commonDir, f, ErrUnsupported)
	}
	if c.get("extensions.partialclone") != "" || c.anyRemoteTrue("promisor") {
		return fmt.Errorf("%s is a partial clone, in which objects may be missing; clone it again without --filter: %w", commonDir, ErrUnsupported)
	}
	known := map[string]bool{"objectformat": true, "refstorage": true, "partialclone": true, "noop": true,
		"noop-v1": true, "preciousobjects": true, "worktreeconfig": true, "relativeworktrees": true, "compatobjectformat": false}
	for _, name := range c.names("extensions") {
		if !known[strings.ToLower(name)] {
			return fmt.Errorf("%s uses the extension %q, which assent does not know; update assent: %w", commonDir, name, ErrUnsupported)
		}
	}
	return nil
}

// GitDir is the Git folder of this worktree, CommonDir the one that it shares
// with its linked worktrees: objects, refs, configuration.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is the Git folder that linked worktrees share: see GitDir.
func (r *Repo) CommonDir() string { return r.commonDir }

// Root is the folder of the worktree, "" in a bare repository.
func (r *Repo) Root() string { return r.root }

// Bare reports whether there is no worktree.
func (r *Repo) Bare() bool { return r.root == "" }
