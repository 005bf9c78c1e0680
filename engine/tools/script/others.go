package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

// maxOthers bounds the entries outside of the governed folders that are looked at.
const maxOthers = 5 * maxFiles

// others writes the files outside of the governed folders. Anyone who can push puts them onto main, so none of
// them keeps a script from running: a file or folder that cannot be written or read, or whose name is not safe on
// every system, is left out, and so is all that follows once a bound is reached.
func (l *laying) others() error {
	entries, err := l.view.List("")
	if err != nil {
		return err
	}
	seen := 0
	visit := func(e tree.Entry) error {
		if seen++; l.full {
			return nil
		}
		err := l.other(e)
		//defence:unapproved-files-hold-up-no-script
		if err != nil {
			l.leave(e.Path, err)
			return nil
		}
		return err
	}
	for _, e := range entries {
		if names.Governed(e.Path) {
			continue
		}
		if e.Mode == tree.Dir {
			err = tree.FilesWithin(l.view, e.Path, maxOthers-seen, visit)
		} else {
			err = visit(e)
		}
		//defence:unapproved-folders-hold-up-no-script
		if err != nil {
			l.leave(e.Path, err)
			err = nil
		}
		if err != nil || l.full || seen >= maxOthers {
			return err
		}
	}
	return nil
}

// other writes one such file.
func (l *laying) other(e tree.Entry) error {
	if found := names.CheckPath(e.Path); l.wants(e) && len(found) > 0 {
		return errors.New(found[0].Message)
	}
	return l.file(e)
}

// leave notes what is left out.
func (l *laying) leave(path string, why error) {
	l.left = append(l.left, fmt.Sprintf("%.60q: %.160s", path, strings.ToValidUTF8(why.Error(), "?")))
}

// maxNamed bounds the files left out that are named.
const maxNamed = 8

// leftOut names the files that a script does not see, for the end of its error output.
func leftOut(left []string) string {
	if len(left) == 0 {
		return ""
	}
	out := fmt.Sprintf("\nassent: %d files or folders outside of the governed folders, which no one approves, were left out:\n", len(left))
	for i, one := range left {
		if i == maxNamed {
			return out + fmt.Sprintf("  and %d more\n", len(left)-i)
		}
		out += "  " + one + "\n"
	}
	return out
}
