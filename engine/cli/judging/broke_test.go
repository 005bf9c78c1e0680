package judging

import (
	"errors"
	"io/fs"
	"strings"
	gotesting "testing" // the package declares testing

	"github.com/assent-dev/assent"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// cracked is a view on whose file the program breaks.
type cracked struct {
	tree.View
	file string
	none map[string][]byte
}

func (c cracked) Read(path string) ([]byte, error) {
	if path == c.file {
		c.none[path] = nil
	}
	return c.View.Read(path)
}

// Whatever file a library breaks on, the command fails with an error that names it.
func TestBrokenFileIsNamed(t *gotesting.T) {
	var edits []tree.Edit
	err := fs.WalkDir(assent.Template, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || len(edits) == 40 {
			return err
		}
		data, err := fs.ReadFile(assent.Template, path)
		edits = append(edits, tree.Edit{Path: path, Content: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	files := tree.NewMap(edits...)
	whole := validate.Begin(files, nil)
	if _, err := validated(whole); err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, e := range edits {
		in, path := whole, e.Path
		in.Head = cracked{View: files, file: path}
		_, err := validated(in)
		var failed *console.Failure
		switch {
		case err == nil: // it is not read
		case !errors.As(err, &failed) || failed.Code != console.ExitWorld || failed.Hint == "" || !strings.HasPrefix(err.Error(), path+": "):
			t.Errorf("%s: %v", path, err)
		default:
			named++
		}
	}
	if named < 10 {
		t.Errorf("it broke on %d of %d files only", named, len(edits))
	}
}
