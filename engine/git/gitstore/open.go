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
)

// Repo is an opened repository: its parts, each with its own state. Code that needs one part
// takes that part. A Repo may be used by several goroutines, and beside other processes
// including Git.
type Repo struct {
	Place
	*Settings
	*Locks
	*Objects
	*History
	*RefStore
	*Revisions
	*Packer
	*Checkouts
	*Upkeep
}

// Open finds the repository that contains dir, in dir or a folder above it: bare or with a
// worktree, including linked worktrees and submodules. It reads only GIT_CEILING_DIRECTORIES
// from the environment, which bounds the search upwards. Its errors are ErrNotRepository,
// ErrUnsupported, ErrOwner and ErrEmbedded, with a remedy.
func Open(dir string) (*Repo, error) { return OpenOn(osDisk{}, dir) }

// OpenOn is Open with all changes through disk.
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
		if gitDir != "" && root == "" {
			if err := checkEmbedded(at, ceilings); err != nil {
				return nil, err
			}
		}
		if gitDir != "" {
			return openOwned(disk, gitDir, root)
		}
		if above := filepath.Dir(at); at == above || slices.Contains(ceilings, above) {
			return nil, fmt.Errorf("%s is in %w", dir, ErrNotRepository)
		}
	}
}

// ceilings returns the folders at which the search upwards ends, as written and with links
// resolved.
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

// openOwned opens a repository that a search found, if the user owns it.
func openOwned(disk Disk, gitDir, root string) (*Repo, error) {
	if err := checkOwner(gitDir, root); err != nil {
		return nil, err
	}
	return openAt(disk, gitDir, root)
}

// candidate looks for a repository at exactly dir; gitDir is "" if there is none.
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

// readLink reads a file whose one line is a path, relative to the file's folder.
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

// isGitDir applies Git's own test: HEAD exists, and objects and refs exist here or in the
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
	place := Place{gitDir: gitDir, commonDir: gitDir, root: root, logins: new(logins)}
	common, err := readLink(filepath.Join(gitDir, "commondir"), "")
	switch {
	case err == nil:
		place.commonDir = common
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	config, err := loadConfig(place.commonDir, place.gitDir)
	if err != nil {
		return nil, err
	}
	if err := checkFormat(config.local, place.commonDir); err != nil {
		return nil, err
	}
	place.findRoot(config)
	return assemble(place, disk, config), nil
}

// assemble creates the parts of a repository, each from the parts that it needs.
func assemble(place Place, disk Disk, config *config) *Repo {
	settings := &Settings{place: place, config: config, answers: map[string]string{}}
	locks := &Locks{place: place, disk: disk}
	objects := newObjects(place, disk, locks)
	history := &History{objects: objects}
	refs := &RefStore{place: place, disk: disk, settings: settings, locks: locks, objects: objects, packed: &packedCache{}, updates: &sync.Mutex{}}
	return &Repo{
		Place: place, Settings: settings, Locks: locks, Objects: objects, History: history, RefStore: refs,
		Revisions: &Revisions{objects: objects, refs: refs},
		Packer:    &Packer{place: place, objects: objects},
		Checkouts: &Checkouts{place: place, disk: disk, settings: settings, objects: objects, history: history, refs: refs},
		Upkeep:    &Upkeep{place: place, refs: refs},
	}
}

// checkFormat refuses repository formats that cannot be read safely, with a remedy for each.
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
