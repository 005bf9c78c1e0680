package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tempdir"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Bounds limit what a foreign repository may cost: bytes on the disk, and time.
type Bounds struct {
	Bytes int64
	Time  time.Duration
	// NoLogin fetches what anyone may read: without the user's Git settings, credential helpers, keys and .netrc.
	NoLogin bool
}

// DrawBounds are the bounds of a source of skills.
func DrawBounds() Bounds { return Bounds{Bytes: 512 << 20, Time: 5 * time.Minute} }

// Reasons why a foreign repository was not drawn.
var (
	ErrLarge = errors.New("it has more than the 512 MiB that may be fetched; import a local clone of the part that you need")
	ErrSlow  = errors.New("fetching it took more than 5 minutes; try again, or import a local clone")
	ErrNoRef = errors.New("it has no such branch, tag or commit")
)

// Foreign is the name of the foreign repository in the drawn one.
const Foreign = "other-repository"

// Drawn is one branch of a foreign repository, in a temporary repository of its own that no
// workspace reads. The caller must Close it.
type Drawn struct {
	Repo *gitstore.Repo
	// Commit is where the ref is.
	Commit tree.Hash
	dir    string
}

// Refs lists the refs of the foreign repository as they are now. Unlike a push, it runs no program that a folder's settings name.
func (d *Drawn) Refs(ctx context.Context) (map[string]tree.Hash, error) {
	out, err := d.Repo.Git(ctx, "", "-c", "http.followRedirects=false", "ls-remote", "--refs", "--", Foreign)
	if err != nil {
		return nil, fmt.Errorf("list what is there: %w", withReason(ctx, err))
	}
	return refsOf(out)
}

// Close removes the temporary repository.
func (d *Drawn) Close() error { return os.RemoveAll(d.dir) }

// Draw fetches a ref of a foreign repository, by its address, within bounds; an empty ref is HEAD. It also fetches
// branches there that fit others, to their tracking refs of [Foreign]. Errors do not name the address, which may hold
// a login.
// Redirects are not followed, no submodule is fetched and nothing is checked out. The address must
// not start with "-".
func Draw(ctx context.Context, address, ref string, b Bounds, others ...string) (*Drawn, error) {
	dir, err := tempdir.Make("foreign")
	if err != nil {
		return nil, fmt.Errorf("make a folder to fetch into: %w", err)
	}
	d := &Drawn{dir: dir}
	if err := d.draw(ctx, address, ref, b, others); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Drawn) draw(ctx context.Context, address, ref string, b Bounds, others []string) (err error) {
	if d.Repo, err = gitstore.Init(d.dir); err != nil {
		return err
	}
	if b.NoLogin {
		//defence:unnamed-sources-get-no-login
		d.Repo.AddLogin(gitrun.NoLogin(d.dir)...)
	}
	if ref == "" {
		ref = "HEAD"
	}
	into := Tracking(Foreign, "refs/drawn")
	specs := []string{"+" + ref + ":" + into}
	for _, o := range others {
		specs = append(specs, trackingRefspec(Foreign, o))
	}
	err = d.within(ctx, b, func(ctx context.Context) error {
		if _, err := d.Repo.Git(ctx, "", "remote", "add", "--", Foreign, address); err != nil {
			return err
		}
		// A program that git started for a silent server outlives a killed git: the low speed ends it.
		_, err := d.Repo.Git(ctx, "", append([]string{"-c", "http.followRedirects=false", "-c", "fetch.unpackLimit=1", "-c", "core.bigFileThreshold=1m",
			"-c", "http.lowSpeedLimit=1000", "-c", fmt.Sprintf("http.lowSpeedTime=%d", max(1, min(60, int(b.Time.Seconds())))),
			"fetch", "--quiet", "--refmap=", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--", Foreign}, specs...)...)
		return withReason(ctx, err)
	})
	if err != nil {
		if strings.Contains(err.Error(), "couldn't find remote ref") || strings.Contains(err.Error(), "not our ref") {
			return ErrNoRef
		}
		return err
	}
	if d.Commit, err = d.Repo.Resolve(into); err != nil {
		return err
	}
	_, err = d.Repo.Passable(d.Commit) // a ref may name a tree, or a commit that cannot be read
	return err
}

// within runs do, and ends it when the folder grows or time runs beyond the bounds.
func (d *Drawn) within(ctx context.Context, b Bounds, do func(context.Context) error) error {
	inner, stop := context.WithTimeoutCause(ctx, b.Time, ErrSlow)
	defer stop()
	inner, end := context.WithCancelCause(inner)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-inner.Done():
				return
			case <-tick.C:
				if weight(d.dir) > b.Bytes {
					end(ErrLarge)
				}
			}
		}
	}()
	err := do(inner)
	cause := context.Cause(inner)
	end(nil)
	<-done
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case cause != nil:
		return cause
	case err == nil && weight(d.dir) > b.Bytes:
		return ErrLarge
	}
	return err
}

// weight is the size of the files below a folder; those that vanish meanwhile count nothing.
func weight(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// Address returns the address of a remote of this repository, by its name, or a name that is an
// address itself, relative to the process's folder. A folder in this repository's own is refused: a push would run hooks that
// programs which may only write here can have put there.
func Address(ctx context.Context, r *gitstore.Repo, name string) (string, error) {
	a, err := addressOf(ctx, r, name)
	given := errors.Is(err, ErrNoRemote)
	if given {
		a, err = address{repo: r, remote: name, url: name}, nil
	}
	if err != nil {
		return "", err
	}
	if path, is := a.folder(); is {
		if given && !strings.Contains(name, "://") && !filepath.IsAbs(name) {
			if path, err = filepath.Abs(name); err != nil {
				return "", err
			}
		}
		if _, err := os.Stat(path); given && errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("no remote is called %q, and there is no such folder; git remote -v lists the remotes", name)
		}
		if a.inside(path) {
			return "", fmt.Errorf("%s lies in this repository's own folder; move it out", path)
		}
		return path, nil
	}
	return a.url, nil
}
