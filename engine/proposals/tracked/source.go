package tracked

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assent-dev/assent/engine/format/upstream"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/proposals/folder"
	"github.com/assent-dev/assent/engine/proposals/importer"
)

// Source is a place with skills, as it is now.
type Source struct {
	// Record is that of the whole source; Path and Tree are empty.
	Record upstream.Record
	drawn  *remote.Drawn
}

// errLink is returned for a folder that is a link, or is reached through one: it may lead to files
// that the source's owner cannot read.
var errLink = errors.New("it is a link, or lies behind one; import it from where it is")

// Open reaches for a source. A folder without a repository is read as it is; everything else is
// fetched into a temporary repository, with the user's logins or without. The caller must Close it.
func Open(ctx context.Context, source, ref string, login bool) (*Source, error) {
	s := &Source{Record: upstream.Record{Source: source, Ref: ref}}
	if upstream.IsFolder(source) {
		repository := isRepository(source)
		if err := direct(source, repository); err != nil {
			return nil, err
		}
		if !repository {
			if ref != "" {
				return nil, fmt.Errorf("%s is a folder without a git repository, which has no %s", source, ref)
			}
			return s, nil
		}
	}
	var err error
	b := remote.DrawBounds()
	b.NoLogin = !login
	if s.drawn, err = remote.Draw(ctx, source, ref, b); err != nil {
		return nil, fmt.Errorf("fetch the source: %w", err)
	}
	s.Record.Commit = s.drawn.Commit.String()
	return s, nil
}

// direct refuses a folder that is a link, or is reached through one, and a repository whose .git is a link or a file.
func direct(source string, repository bool) error {
	real, err := filepath.EvalSymlinks(source)
	if err != nil {
		return err
	}
	if info, err := os.Stat(real); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no folder: %w", source, fs.ErrNotExist)
	}
	elsewhere := real != filepath.Clean(source)
	if info, err := os.Lstat(filepath.Join(source, ".git")); repository && err == nil {
		elsewhere = elsewhere || !info.IsDir()
	}
	//defence:sources-are-no-links
	if elsewhere {
		return fmt.Errorf("%s: %w", source, errLink)
	}
	return nil
}

func isRepository(dir string) bool {
	for _, name := range []string{".git", "HEAD"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// Close removes what was fetched.
func (s *Source) Close() error {
	if s.drawn == nil {
		return nil
	}
	return s.drawn.Close()
}

// Folders returns the skills in and below a folder of the source, each with its record, or
// fs.ErrNotExist without that folder.
func (s *Source) Folders(ctx context.Context, dir string, b folder.Bounds) ([]importer.Folder, error) {
	var out []importer.Folder
	var err error
	if s.drawn != nil {
		view, verr := s.drawn.Repo.Snapshot(s.drawn.Commit)
		if verr != nil {
			return nil, verr
		}
		out, err = importer.InTree(view, s.Record.Source, dir, b)
	} else {
		out, err = s.onDisk(ctx, dir)
	}
	for i := range out {
		r := s.Record
		r.Path = out[i].Inside
		out[i].Track = &r
	}
	return out, err
}

func (s *Source) onDisk(ctx context.Context, dir string) ([]importer.Folder, error) {
	at := filepath.Join(s.Record.Source, filepath.FromSlash(dir))
	real, err := filepath.EvalSymlinks(at)
	if err != nil {
		return nil, err
	}
	//defence:sources-lead-nowhere-else
	if real != at {
		return nil, fmt.Errorf("%s: %w", at, errLink)
	}
	out, _, err := importer.Find(ctx, []string{at})
	for i, f := range out {
		rel, rerr := filepath.Rel(s.Record.Source, f.Path)
		if rerr != nil {
			return nil, rerr
		}
		if out[i].Inside = filepath.ToSlash(rel); rel == "." {
			out[i].Inside = ""
		}
	}
	return out, err
}

// trouble returns the state of a capability whose source cannot be read; "" for a failing
// environment.
func trouble(err error) string {
	switch {
	case errors.Is(err, remote.ErrNoRef), errors.Is(err, remote.ErrGone), errors.Is(err, fs.ErrNotExist):
		return Gone
	case errors.Is(err, context.Canceled):
		return ""
	case errors.Is(err, remote.ErrLarge), gitstore.IsContent(err):
		return Refused
	}
	return Unreachable
}
