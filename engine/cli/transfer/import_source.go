package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/upstream"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/proposals/importer"
	"github.com/assent-dev/assent/engine/proposals/tracked"
	"github.com/assent-dev/assent/engine/workspace"
)

// source reaches for the source if the arguments name one, and returns nil for plain folders and
// files.
func (o importOptions) source(ctx context.Context) (*tracked.Source, error) {
	named := o.track || o.ref != "" || o.inside != ""
	at := o.paths[0]
	info, err := os.Stat(at)
	if !named && (err == nil || !strings.Contains(at, ":") || len(o.paths) > 1) {
		return nil, nil
	}
	switch {
	case len(o.paths) > 1:
		return nil, console.Usage("--track, --ref and --path go with one source; name one")
	case at == "-", err == nil && !info.IsDir():
		return nil, console.Usage("%s is no source that can be reached again; name a folder or the address of a git repository", at)
	case err == nil:
		if at, err = filepath.Abs(at); err == nil {
			at, err = filepath.EvalSymlinks(at)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := upstream.CheckSource(at); err != nil {
		return nil, console.Usage("import %s: %w", console.OneLine(shown(at)), err)
	}
	if err := upstream.CheckRef(o.ref); err != nil {
		return nil, console.Usage("--ref: %w", err)
	}
	src, err := tracked.Open(ctx, at, o.ref, true)
	if errors.Is(err, remote.ErrNoRef) {
		err = fmt.Errorf("%w; check --ref", err)
	}
	return src, err
}

// shown is an address without the login that it may hold.
func shown(address string) string {
	scheme, rest, is := strings.Cut(address, "://")
	if i := strings.LastIndexByte(rest, '@'); is && i >= 0 {
		rest = rest[i+1:]
	}
	if rest, _, _ = strings.Cut(rest, "?"); is {
		return scheme + "://" + rest
	}
	return address
}

// findIn finds the skills of a source.
func (o importOptions) findIn(ctx context.Context, cur workspace.Session, from *tracked.Source) ([]importer.Folder, diag.List, error) {
	inside := strings.Trim(filepath.ToSlash(filepath.Clean(o.inside)), "/")
	if inside == "." {
		inside = ""
	}
	if inside != "" && !filepath.IsLocal(inside) {
		return nil, nil, console.Usage("--path %s is not below the source's top folder", o.inside)
	}
	folders, err := from.Folders(ctx, inside, importer.BoundsOf(cur.Policies.Limits))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, console.Usage("%s has no folder %q; name another one: --path DIR", console.OneLine(from.Record.Source), inside)
	}
	if err != nil {
		return nil, nil, err
	}
	var found diag.List
	if len(folders) == 0 {
		found.Errorf(importer.RuleNothing, diag.Pos{File: from.Record.Source}, "name the folder that holds it: --path DIR", "no folder with a %s was found", names.SkillFile)
	}
	if !o.track {
		for i := range folders {
			folders[i].Track = nil
		}
	}
	return folders, found, nil
}
