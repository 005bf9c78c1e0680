package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// checkEnvironment looks for variables by which git would work on another repository.
func checkEnvironment(e *examination) {
	repo := e.w.Repo
	var set []string
	for _, name := range gitrun.Elsewhere() {
		value := e.Getenv(name)
		at, err := filepath.Abs(value)
		if value == "" || err == nil && (at == repo.GitDir() || at == repo.CommonDir() || at == repo.Root()) {
			continue // Git sets these variables for hooks
		}
		set = append(set, name)
	}
	if len(set) > 0 {
		e.warn("environment", "unset "+strings.Join(set, " "), "git obeys %s and assent does not: they may use different repositories", strings.Join(set, ", "))
		return
	}
	e.ok("environment", "selects no other repository")
}

// checkMain checks that main is not a symbolic ref.
func checkMain(e *examination) {
	refs, _ := e.w.Repo.Refs(attest.MainRef) // other checks report broken refs
	for _, ref := range refs {
		if ref.Name == attest.MainRef && ref.Symbolic != "" {
			e.fail("main", "git symbolic-ref --delete "+names.ShellWord(ref.Name)+" && git update-ref "+names.ShellWord(ref.Name)+" "+names.ForShell(ref.Symbolic),
				"%s only follows %s: nothing can be merged", ref.Name, ref.Symbolic)
		}
	}
}

// checkFolders looks for files and folders of main that collide with those of proposals on
// systems that fold case.
func checkFolders(e *examination) {
	view, err := e.w.Repo.Snapshot(e.cur.Main)
	if err != nil {
		e.broke("folders", err)
		return
	}
	top, err := view.List("")
	if err != nil {
		e.broke("folders", err)
		return
	}
	var paths []string
	for _, area := range names.GovernedAreas() {
		paths = append(paths, string(area))
	}
	for _, entry := range top {
		paths = append(paths, entry.Path)
	}
	clashes := names.Collisions(paths)
	for _, d := range clashes {
		strange := d.File
		if slices.Contains(names.GovernedAreas(), names.AreaName(strange)) {
			strange = d.Also.File
		}
		e.fail("folders", "rename "+strange+" on main: git mv, git commit", "%s: every proposal collides with it", d.Message)
	}
	if len(clashes) == 0 {
		e.ok("folders", "no path on main collides with those of proposals")
	}
}

// checkObjects looks for replaced objects and grafts, which make git show other objects
// than those stored.
func checkObjects(e *examination) {
	var by []string
	if refs, _ := e.w.Repo.Refs("refs/replace/"); len(refs) > 0 { // other checks report broken refs
		by = append(by, "refs/replace")
	}
	if info, err := os.Stat(filepath.Join(e.w.Repo.CommonDir(), "info", "grafts")); err == nil && info.Size() > 0 {
		by = append(by, "info/grafts")
	}
	if len(by) == 0 {
		e.ok("objects", "git shows the stored objects")
		return
	}
	e.warn("objects", "git --no-replace-objects log shows the stored objects; git replace -d NAME removes a replacement",
		"%s makes git log show other objects than those stored; what is in force is read from the stored ones", strings.Join(by, " and "))
}

// checkTags looks for tags with a name that means something else as well: Git takes the tag.
func checkTags(e *examination) {
	tags, _ := e.w.Repo.Refs(tagPrefix) // other checks report broken refs
	strange := 0
	for _, ref := range tags {
		name := strings.TrimPrefix(ref.Name, tagPrefix)
		_, noHash := tree.ParseHash(name)
		_, err := e.w.Repo.Resolve(name)
		if noHash == nil || errors.Is(err, gitstore.ErrAmbiguous) || name == forge.Main || strings.HasPrefix(name, forge.BranchPrefix) {
			strange++
			e.warn("tags", "ask who made it; git update-ref -d "+names.ForShell(ref.Name)+" removes it here, git push REMOTE --delete "+names.ForShell(ref.Name)+" there",
				"%s has the name of a branch or a commit: git takes the tag where a command says %s", ref.Name, name)
		}
	}
	if strange == 0 {
		e.ok("tags", "none has the name of a branch or a commit")
	}
}

const tagPrefix = "refs/tags/"

// checkContent looks for files in force whose content is missing here.
func checkContent(e *examination) {
	files, err := attest.Governed(e.w.Repo, tree.Hash{}, e.cur.InForce)
	if err != nil {
		e.broke("content", err)
		return
	}
	for _, f := range files {
		if f.New.Mode == tree.Submodule {
			continue
		}
		if _, err := e.w.Repo.BlobSize(f.New.Hash); err != nil {
			e.broke("content", fmt.Errorf("%s is in force: %w", f.Path, err))
			return
		}
	}
	e.ok("content", "%s in force, all here", plural(len(files), "file"))
}
