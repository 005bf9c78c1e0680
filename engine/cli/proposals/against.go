package proposals

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/workspace"
)

// runAgainst compares the capability that a proposal brings with one in force that it
// is much like.
func runAgainst(ctx context.Context, c *console.Console, id, name string, stat bool) error {
	cur, pull, err := c.Shown(ctx, id)
	if err != nil {
		return err
	}
	known, err := cur.View.Named(name)
	if err != nil {
		return err
	}
	if len(known) == 0 {
		return console.Usage("%q is no capability in force: assent find %s", name, names.ShellWord(name))
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
	out := diffJSON{ID: pull.ID, Base: cur.View.Tree(), Result: after.Tree(), Conflicts: []string{}, Files: []output.FileDiff{}}
	if out.Files, err = folderDifference(cur.View, known[0].Path, after, brought); err != nil {
		return err
	}
	if stat {
		for i := range out.Files {
			out.Files[i].Hunks = []string{}
		}
	}
	if c.JSON {
		return c.Emit(out)
	}
	c.Printf("%s in force, beside %s of %s\n", c.Style.Bold(console.OneLine(known[0].Path)), c.Style.Bold(console.OneLine(brought)), console.OneLine(pull.ID))
	output.PrintFiles(c, out.Files, stat)
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
		return "", console.Usage("%s brings %s, and none was found to be like %s: git diff compares any two folders",
			ex.Case.Pull.ID, console.Plural(len(all), "capability"), with.Name)
	}
	return all[0].Path, nil
}

// folderDifference compares two folders file by file; paths are those inside.
func folderDifference(before tree.View, old string, after tree.View, now string) ([]output.FileDiff, error) {
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
	out := []output.FileDiff{}
	for _, inside := range slices.Sorted(maps.Keys(changes)) {
		ch := changes[inside]
		if ch.Old.Hash == ch.New.Hash && ch.Old.Mode == ch.New.Mode {
			continue
		}
		f, err := output.DifferenceOf(before, after, ch)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}
