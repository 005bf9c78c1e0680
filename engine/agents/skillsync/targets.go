package skillsync

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/agents/install"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/workspace"
)

// Target is one synced folder, with its agent and workspace.
type Target struct {
	// Dir is the folder, absolute.
	Dir string `json:"dir"`
	// Workspace is the workspace's id, Clone the folder of the clone that supplies the
	// skills.
	Workspace string `json:"workspace"`
	Clone     string `json:"clone"`
	Agent     string `json:"agent"`
	// Budget bounds the listing, in characters; 0 is no limit.
	Budget int `json:"budget,omitempty"`
}

const (
	targetsFile = "synced.json"
	maxTargets  = 4 << 20 // bytes
)

// Targets are the folders that this user has kept.
func Targets(store home.Store) ([]Target, error) {
	data, err := store.Read(targetsFile, maxTargets)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read which folders are kept: %w", err)
	}
	return parseTargets(data)
}

func parseTargets(data []byte) (all []Target, err error) {
	if len(data) > 0 {
		if err = json.Unmarshal(data, &all); err != nil {
			err = fmt.Errorf("read which folders are kept: %w", err)
		}
	}
	return all, err
}

// Remember adds a folder to the synced ones, or replaces its entry.
func Remember(ctx context.Context, store home.Store, t Target) error {
	return change(ctx, store, t.Dir, func(rest []Target) []Target { return append(rest, t) })
}

// Forget ends the keeping of a folder.
func Forget(ctx context.Context, store home.Store, dir string) error {
	return change(ctx, store, dir, func(rest []Target) []Target { return rest })
}

func change(ctx context.Context, store home.Store, dir string, next func([]Target) []Target) error {
	return store.Change(ctx, targetsFile, maxTargets, func(old []byte) ([]byte, error) {
		all, err := parseTargets(old)
		if err != nil {
			return nil, err
		}
		all = next(slices.DeleteFunc(all, func(t Target) bool { return t.Dir == dir }))
		order.Sort(all, func(a, b Target) int { return strings.Compare(a.Dir, b.Dir) })
		return json.MarshalIndent(all, "", "  ")
	})
}

// Run compares a folder and writes it, while no other process does.
func Run(ctx context.Context, store home.Store, dir string, compare func() (Plan, error)) (p Plan, err error) {
	lock := fmt.Sprintf("synced/%x.lock", sha256.Sum256([]byte(dir)))
	err = store.Locked(ctx, lock, func() error {
		if p, err = compare(); err != nil {
			return err
		}
		return p.Write(ctx, store)
	})
	return p, err
}

// CloneOf names the clone that a session reads, as a target remembers it.
func CloneOf(cur workspace.Session) string { return cur.Repo.Top() }

// Refresh brings the folders up to date that are kept from this clone, and returns the plans that were
// carried out. A folder that fails keeps no other one from being refreshed.
func Refresh(ctx context.Context, w *workspace.Workspace, store home.Store) (done []Plan, err error) {
	all, err := Targets(store)
	for _, t := range all {
		if t.Clone != w.Repo.Top() || gone(t.Dir) {
			continue
		}
		p, failed := Run(ctx, store, t.Dir, func() (Plan, error) { return compareNow(ctx, w, store, t) })
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("sync %s: %w", t.Dir, failed))
			continue
		}
		done = append(done, p)
	}
	return done, err
}

// RealPath resolves the symbolic links in the part of an absolute path that exists.
func RealPath(dir string) (string, error) {
	rest := ""
	for at := dir; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return "", fmt.Errorf("follow %s: %w", dir, err)
		}
		if _, err := os.Lstat(at); err == nil {
			return "", fmt.Errorf("follow %s: %s is a link that leads nowhere", dir, at)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// gone reports whether a folder was removed since it was synced: its project may be gone, too.
func gone(dir string) bool {
	_, err := os.Stat(dir)
	return errors.Is(err, fs.ErrNotExist)
}

// Gone reports whether the target's folder was removed.
func (t Target) Gone() bool { return gone(t.Dir) }

// compareNow observes the state in force, under the folder's lock: an older session must not undo a newer one.
func compareNow(ctx context.Context, w *workspace.Workspace, store home.Store, t Target) (Plan, error) {
	cur, err := w.Session(ctx)
	if err != nil {
		return Plan{}, err
	}
	return Compare(ctx, cur, store, t)
}

// Kept is how a folder keeps a file.
type Kept struct {
	// Skill is the synced skill whose folder contains the file, or "".
	Skill string
	// New says that the file would begin a skill beside the synced ones.
	New bool
}

// Keeps says how a file, or what may become a folder, belongs to the folder: not at all if it is elsewhere, or begins
// no skill and sync did not write it.
func (t Target) Keeps(store home.Store, file string, folder bool) (Kept, error) {
	dir, err := RealPath(t.Dir) // a folder that is not there is kept, too: what comes into it is in use
	if err != nil {
		return Kept{}, nil //nolint:nilerr // a path that leads nowhere contains no file
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return Kept{}, nil //nolint:nilerr // it is elsewhere
	}
	entry, rest, below := strings.Cut(filepath.ToSlash(rel), "/")
	m, err := readManifest(store, t.Dir)
	if below && m.Skills[entry] != nil {
		return Kept{Skill: entry}, err
	}
	// A folder that --to names may have files of any kind, even a project; a client's has skills.
	begins := strings.EqualFold(rest, names.SkillFile) && gone(file) ||
		(below || folder) && install.ForSkills(dir) && gone(filepath.Join(dir, entry))
	return Kept{New: begins}, err
}
