package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// known is the existing content of a workspace: in force, proposed, and names taken by earlier
// folders of the same run. Names are compared as names.Fold does.
type known struct {
	cur      workspace.Session
	history  func(path string) ([]validate.Earlier, error)
	inForce  map[string]capability.Folder
	proposed map[string][]brought
	taken    map[string]string // name → the path of the folder that took it
	groups   map[string]bool
	flat     map[string]bool
}

// brought is a capability that an open proposal brings.
type brought struct {
	id    string
	place string
	view  tree.View
}

// learnKnown observes the existing content.
func learnKnown(ctx context.Context, w *workspace.Workspace, in *propose.Intake) (*known, error) {
	cur := in.Session()
	k := newKnown(cur)
	k.history = cur.Input(cur.View, w.Now()).History
	folders, err := cur.Capabilities.Folders()
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		k.inForce[names.Fold(f.Name)] = f
		k.settle(f.Path)
	}
	for _, p := range in.Pulls() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := k.pull(w, p); err != nil {
			return nil, fmt.Errorf("look at the open proposal %s: %w", p.ID, err)
		}
	}
	return k, nil
}

func newKnown(cur workspace.Session) *known {
	return &known{
		cur: cur, inForce: map[string]capability.Folder{}, proposed: map[string][]brought{}, taken: map[string]string{},
		groups: map[string]bool{}, flat: map[string]bool{},
	}
}

// settle notes that a capability's folder is in use, as one and below a group.
func (k *known) settle(place string) {
	if f := capability.FolderOf(place); f.Group != "" {
		k.groups[names.Fold(f.Group)] = true
	} else {
		k.flat[names.Fold(f.Name)] = true
	}
}

// pull notes which SKILL.md files an open proposal adds or changes.
func (k *known) pull(w *workspace.Workspace, p forge.Pull) error {
	base, err := w.Repo.MergeBase(k.cur.Main, p.Head)
	if err != nil {
		return err
	}
	before, err := w.Repo.Snapshot(base)
	if err != nil {
		return err
	}
	after, err := w.Repo.Snapshot(p.Head)
	if err != nil {
		return err
	}
	changes, err := tree.Diff(before, after, capability.Root)
	if err != nil {
		return err
	}
	for _, c := range changes {
		place, isSkill := strings.CutSuffix(c.Path, "/"+names.SkillFile)
		if !isSkill || c.Removed() {
			continue
		}
		name := names.Fold(capability.FolderOf(place).Name)
		k.proposed[name] = append(k.proposed[name], brought{id: p.ID, place: place, view: after})
	}
	return nil
}

// place returns the folder for a capability: its present one, else one in group.
func (k *known) place(name, group string) string {
	if f, ok := k.inForce[names.Fold(name)]; ok && (group == "" || group == f.Group) {
		return f.Path
	}
	if group != "" {
		return capability.Root + "/" + group + "/" + name
	}
	return capability.Root + "/" + name
}

// holds reports whether view has all of edits, which are below place, at there.
func holds(view tree.View, there, place string, edits []tree.Edit) (bool, error) {
	for _, e := range edits {
		have, err := view.Lookup(there + strings.TrimPrefix(e.Path, place))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if have.Hash != tree.BlobHash(e.Content) || have.Mode != modeOf(e) {
			return false, nil
		}
	}
	return true, nil
}

func modeOf(e tree.Edit) tree.Mode {
	if e.Mode == 0 {
		return tree.Regular
	}
	return e.Mode
}

// outgrown reports whether all of edits were in force once, at the same place: the
// capability was imported, and improved since. Proposing it would undo that.
func (k *known) outgrown(there string, f Fitted) (bool, error) {
	for _, e := range f.Edits {
		path := there + strings.TrimPrefix(e.Path, f.Place)
		have, err := k.cur.View.Lookup(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		hash := tree.BlobHash(e.Content)
		if err == nil && have.Hash == hash {
			continue
		}
		earlier, err := k.history(path)
		if err != nil {
			return false, fmt.Errorf("look for earlier contents of %s: %w", path, err)
		}
		if !slices.ContainsFunc(earlier, func(e validate.Earlier) bool { return e.Hash == hash }) {
			return false, nil
		}
	}
	return true, nil
}
