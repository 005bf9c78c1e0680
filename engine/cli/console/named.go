package console

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// CapabilityNamed finds the folder of a capability in force, by its path or by any
// spelling that folds to its name: parse_csv finds parse-csv.
func CapabilityNamed(cur workspace.Session, name string) (capability.Folder, error) {
	path := strings.TrimSuffix(name, "/")
	for _, spelling := range []string{name, path[strings.LastIndexByte(path, '/')+1:]} {
		known, err := cur.View.Named(spelling)
		if err != nil {
			return capability.Folder{}, err
		}
		for _, f := range known {
			if spelling == name || f.Path == path {
				return f, nil
			}
		}
	}
	folders, err := cur.Capabilities.Folders()
	if err != nil {
		return capability.Folder{}, err
	}
	return capability.Folder{}, unknownName(name, folders)
}

func unknownName(name string, folders []capability.Folder) error {
	var known []string
	for _, f := range folders {
		known = append(known, f.Name)
	}
	hint := "assent list shows what is in force; assent why " + name + " says whether a proposal brings it"
	if near := nearest(names.Fold(name), known); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
	}
	return &Failure{Code: ExitUsage, Err: Unknown("capability", name, "in force"), Hint: hint}
}

// nearest returns up to three of the known names that differ from name by a few
// letters, or that contain it, the most similar first.
func nearest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	for _, k := range known {
		d := distance(name, k)
		if len(name) > 2 && strings.Contains(k, name) {
			d = min(d, 1)
		}
		if d <= max(1, len(name)/3) {
			found = append(found, candidate{k, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.distance - b.distance })
	var out []string
	for _, f := range found[:min(3, len(found))] {
		out = append(out, f.name)
	}
	return out
}

// distance is how many letters have to be put in, taken out or changed to turn
// one text into the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}

// Unknown says that nothing has this name.
func Unknown(what, name, where string) error {
	return fmt.Errorf("no %s is called %q %s", what, name, where)
}

// CommitOf resolves the name of a commit.
func CommitOf(w *workspace.Workspace, rev string) (tree.Hash, error) {
	h, err := w.Repo.Resolve(rev)
	if errors.Is(err, gitstore.ErrNoRef) || errors.Is(err, gitstore.ErrNoObject) {
		return h, &Failure{Code: ExitUsage, Err: fmt.Errorf("no commit is called %q here", rev), Hint: "fetch it first: git fetch origin"}
	}
	return h, err
}
