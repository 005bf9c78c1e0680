package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/workspace"
)

// runAgainst compares the capability that a proposal brings with one in force that it
// is much like.
func runAgainst(ctx context.Context, c *console, id, name string, stat bool) error {
	cur, pull, err := c.shown(ctx, id)
	if err != nil {
		return err
	}
	known, err := cur.View.Named(name)
	if err != nil {
		return err
	}
	if len(known) == 0 {
		return usage("%q is no capability in force: assent find %s", name, name)
	}
	ex, err := cur.Examine(ctx, pull.ID)
	if err != nil {
		return err
	}
	brought, err := likeOf(ex, known[0])
	if err != nil {
		return err
	}
	after, err := cur.Repo.Snapshot(pull.Head)
	if err != nil {
		return err
	}
	out := diffJSON{ID: pull.ID, Base: cur.View.Tree(), Result: after.Tree(), Conflicts: []string{}, Files: []fileDiff{}}
	if out.Files, err = folderDifference(cur.View, known[0].Path, after, brought); err != nil {
		return err
	}
	if stat {
		for i := range out.Files {
			out.Files[i].Hunks = []string{}
		}
	}
	if c.json {
		return c.emit(out)
	}
	c.printf("%s in force, beside %s of %s\n", c.style.bold(oneLine(known[0].Path)), c.style.bold(oneLine(brought)), oneLine(pull.ID))
	c.files(out.Files, stat)
	return nil
}

// likeOf is the folder of a proposal's capability that is meant by comparing it with
// one in force: the one that a finding compares with it, else the only one.
func likeOf(ex workspace.Examined, with capability.Folder) (string, error) {
	for _, d := range ex.Report.Diagnostics {
		if d.Also.File == with.Path+"/"+names.SkillFile {
			return strings.TrimSuffix(d.File, "/"+names.SkillFile), nil
		}
	}
	all := ex.Report.Changes.Capabilities
	if len(all) != 1 {
		return "", usage("%s brings %s, and none was found to be like %s: git diff compares any two folders",
			ex.Case.Pull.ID, plural(len(all), "capability"), with.Name)
	}
	return all[0].Path, nil
}

// folderDifference compares two folders file by file; paths are those inside.
func folderDifference(before tree.View, old string, after tree.View, now string) ([]fileDiff, error) {
	changes := map[string]tree.Change{}
	err := tree.Files(before, old, func(e tree.Entry) error {
		inside := strings.TrimPrefix(e.Path, old+"/")
		changes[inside] = tree.Change{Path: inside, Old: e}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = tree.Files(after, now, func(e tree.Entry) error {
		inside := strings.TrimPrefix(e.Path, now+"/")
		ch := changes[inside]
		ch.Path, ch.New = inside, e
		changes[inside] = ch
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := []fileDiff{}
	for _, inside := range slices.Sorted(maps.Keys(changes)) {
		ch := changes[inside]
		if ch.Old.Hash == ch.New.Hash && ch.Old.Mode == ch.New.Mode {
			continue
		}
		f, err := differenceOf(before, after, ch)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}
