package console

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/archive"
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
	r, archived, err := archive.Of(cur, name)
	switch {
	case err != nil:
		return capability.Folder{}, err
	case archived:
		return capability.Folder{}, Archived(r)
	}
	return capability.Folder{}, unknownName(name, folders)
}

// Archived returns the error for the name of an archived capability.
func Archived(r archive.Record) error {
	return &Failure{
		Code: ExitUsage, Err: fmt.Errorf("%s is not in force: it was archived by %s", r.Name, r.Proposal),
		Hint: "assent show " + names.ShellWord(r.Proposal) + " says why; assent undo " + names.ShellWord(r.Proposal) + " proposes to restore it",
	}
}

func unknownName(name string, folders []capability.Folder) error {
	var known []string
	for _, f := range folders {
		known = append(known, f.Name)
	}
	hint := "assent list shows what is in force; assent why " + names.ShellWord(name) + " says whether a proposal brings it"
	if near := strictyaml.Similar(names.Fold(name), known); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
	}
	return &Failure{Code: ExitUsage, Err: Unknown("capability", name, "in force"), Hint: hint}
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
