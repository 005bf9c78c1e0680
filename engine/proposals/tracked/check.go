package tracked

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/upstream"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/importer"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// Options say how to check.
type Options struct {
	By     forge.Actor
	Author gitstore.Person
	// Named are the names of the capabilities to check; none means all. Sources on this machine or
	// network, and those that take a login, are read only for those.
	Named []string
	// Take settles conflicts: Ours or Theirs, hunk by hunk; "" leaves them.
	Take   string
	DryRun bool
}

// Check compares tracked capabilities with their sources, and proposes what changed there. The items
// before an error are done.
func Check(ctx context.Context, w *workspace.Workspace, o Options) ([]Item, error) {
	in, err := propose.Begin(ctx, w)
	if err != nil {
		return nil, err
	}
	all, err := List(ctx, in.Session(), in.Pulls())
	if err != nil {
		return nil, err
	}
	items := []Item{}
	var at []int // their indexes, those of one source together
	for _, i := range all {
		if len(o.Named) == 0 || slices.Contains(o.Named, i.Name) {
			at, items = append(at, len(items)), append(items, i)
		}
	}
	source := func(i int) string { return items[i].Source + "\x00" + items[i].Ref }
	order.Stable(at, func(a, b int) int { return strings.Compare(source(a), source(b)) })
	c := checker{Options: o, in: in, cur: in.Session()}
	defer c.close()
	for _, i := range at {
		if items[i], err = c.check(ctx, items[i]); err != nil {
			return items, fmt.Errorf("check %s: %w", items[i].Name, err)
		}
	}
	return items, nil
}

// checker reaches for one source at a time, for all capabilities from there.
type checker struct {
	Options
	in     *propose.Intake
	cur    workspace.Session
	source *Source
	failed error // why source could not be opened
	at     upstream.Record
}

func (c *checker) close() {
	if c.source != nil {
		_ = c.source.Close()
	}
	c.source = nil
}

func (c *checker) open(ctx context.Context, r upstream.Record) (*Source, error) {
	if c.source == nil && c.failed == nil || c.at.Source != r.Source || c.at.Ref != r.Ref {
		c.close()
		c.at = r
		c.source, c.failed = Open(ctx, r.Source, r.Ref, len(c.Named) > 0)
	}
	return c.source, c.failed
}

func (c *checker) check(ctx context.Context, i Item) (Item, error) {
	if i.State == Invalid {
		return i, nil
	}
	//defence:near-sources-are-named
	if (upstream.Near(i.Source) || upstream.ByKey(i.Source)) && len(c.Named) == 0 {
		i.State, i.Reason = Near, "its source is on this machine or network, or takes a login; name it to read it: assent upstream check "+names.ShellWord(i.Name)
		return i, nil
	}
	theirs, err := c.theirs(ctx, &i)
	if err != nil {
		if i.State = trouble(err); i.State == "" || ctx.Err() != nil {
			return i, err
		}
		switch i.Reason = err.Error(); {
		case i.State == Gone:
			i.Reason += "; " + i.stays()
		case i.State == Unreachable && len(c.Named) == 0:
			i.Reason += "; it was read without a login; with yours: assent upstream check " + names.ShellWord(i.Name)
		}
		return i, nil
	}
	if i.State != Known {
		return i, nil
	}
	m, err := c.compare(&i, theirs)
	if err != nil || i.State != Known {
		return i, err
	}
	return c.propose(ctx, i, theirs, m)
}

// theirs reads and adapts what the source has now. A state other than Known settles the item.
func (c *checker) theirs(ctx context.Context, i *Item) (importer.Fitted, error) {
	var none importer.Fitted
	src, err := c.open(ctx, i.Record)
	if err != nil {
		return none, err
	}
	i.Now = src.Record.Commit
	l := c.cur.Policies.Limits
	folders, err := src.Folders(ctx, i.Path, importer.BoundsOf(l))
	if err != nil {
		if trouble(err) == Gone {
			err, i.State, i.Reason = nil, Deleted, "the source no longer has the folder "+quoted(i.Path)+"; "+c.moved(ctx, *i)
		}
		return none, err
	}
	at := slices.IndexFunc(folders, func(f importer.Folder) bool { return f.Inside == i.Path })
	if at < 0 {
		i.State, i.Reason = Deleted, "the source no longer has a SKILL.md in "+quoted(i.Path)+"; "+c.moved(ctx, *i)
		return none, nil
	}
	f, err := importer.Prepare(folders[at], i.Name, i.Place, l)
	switch {
	case err != nil:
		return none, err
	case f.Skipped || f.Diags.HasErrors():
		i.State, i.Reason = Refused, first(f.Diags)
	case f.Name != i.Name:
		i.State, i.Reason = Refused, "the source calls it "+quoted(f.Name)+" now; import it under that name"
	}
	return f, nil
}

// moved says where else the source has the skill, and what to do.
func (c *checker) moved(ctx context.Context, i Item) string {
	l := c.cur.Policies.Limits
	all, _ := c.source.Folders(ctx, "", importer.BoundsOf(l)) // with an error, only the hint is lost
	for _, f := range all {
		if fitted, err := importer.Prepare(f, f.Name, i.Place, l); err == nil && !fitted.Skipped && fitted.Name == i.Name {
			return "it is in " + quoted(f.Inside) + " now: propose that as path in " + quoted(i.Place+"/"+upstream.File)
		}
	}
	return i.stays()
}

func (i Item) stays() string {
	return "the skill stays; to end these checks, propose it without " + quoted(i.Place+"/"+upstream.File)
}

// compare makes the three-way comparison. A state other than Known settles the item.
func (c *checker) compare(i *Item, theirs importer.Fitted) (merged, error) {
	now, err := c.cur.Repo.WriteTree(tree.Hash{}, theirs.Found)
	if err != nil {
		return merged{}, err
	}
	if now.String() == i.Tree {
		i.State = Unchanged
		return merged{}, nil
	}
	taken, err := c.taken(*i)
	if errors.Is(err, tree.ErrTooLarge) {
		i.State, i.Reason = Refused, "the files that "+upstream.File+" says were taken are larger than a skill may be; import it once more"
		return merged{}, nil
	}
	if gitstore.IsContent(err) || errors.Is(err, gitstore.ErrNoObject) {
		i.State, i.Reason = Lost, "the files that were taken are not in the history that is here; assent pull fetches it"
		return merged{}, nil
	}
	if err != nil {
		return merged{}, err
	}
	have, err := below(c.cur.View, i.Place)
	if err != nil {
		return merged{}, err
	}
	m, err := threeWay(inside(i.Place, taken.Edits), have, inside(i.Place, theirs.Edits), c.Take)
	if err != nil {
		return m, err
	}
	i.Edited, i.Conflicts = append(i.Edited, m.edited...), append(i.Conflicts, m.conflicts...)
	for _, ch := range m.changes {
		kind := "changed"
		if ch.Added() {
			kind = "added"
		} else if ch.Removed() {
			kind = "removed"
		}
		i.Files = append(i.Files, File{max(ch.Old.Path, ch.New.Path), kind})
	}
	chosen := ""
	if c.Take != "" && len(m.conflicts) > 0 {
		chosen = propose.DigestOf(m.edits)
	}
	m.finding = propose.Finding{Title: "update " + i.Name, Key: []string{"upstream", c.cur.ID(), i.Place, i.Source, i.Path, now.String() + chosen}}
	m.finding.Is = func(before, after tree.View, changes []tree.Change) (bool, error) {
		return c.asks(i.Place, taken, theirs, before, after, changes)
	}
	return m, c.history(i)
}

// taken reads the files that were taken, and adapts them as today.
func (c *checker) taken(i Item) (importer.Fitted, error) {
	h, err := tree.ParseHash(i.Tree)
	if err != nil {
		return importer.Fitted{}, err
	}
	view, err := c.cur.Repo.Snapshot(h)
	if err != nil {
		return importer.Fitted{}, err
	}
	files, err := below(view, "")
	if err != nil {
		return importer.Fitted{}, err
	}
	return importer.Fit(i.Name, files, nil, func(string) (string, error) { return i.Place, nil })
}

// maxBelow bounds the files of one skill that are read for the comparison, in bytes.
const maxBelow = 64 << 20

// below reads the files in a folder, without the record, with paths in it, or tree.ErrTooLarge.
func below(v tree.View, dir string) ([]tree.Edit, error) {
	var out []tree.Edit
	left := int64(maxBelow)
	err := tree.FilesWithin(v, dir, 10_000, func(e tree.Entry) error {
		rel := strings.TrimPrefix(strings.TrimPrefix(e.Path, dir), "/")
		if !e.Mode.IsFile() || upstream.IsFile(rel) {
			return nil
		}
		size, err := tree.Size(v, e)
		if err != nil {
			return err
		}
		left -= size
		//defence:taken-files-are-bounded
		if left < 0 {
			return fmt.Errorf("%s: %w", dir, tree.ErrTooLarge)
		}
		data, err := v.Read(e.Path)
		out = append(out, tree.Edit{Path: rel, Mode: e.Mode, Content: data})
		return err
	})
	return out, err
}

func inside(place string, edits []tree.Edit) []tree.Edit {
	out := slices.Clone(edits)
	for i := range out {
		out[i].Path = strings.TrimPrefix(out[i].Path, place+"/")
	}
	return out
}

// asks reports whether a change in a folder makes of what it held before what this check would.
func (c *checker) asks(place string, taken, theirs importer.Fitted, before, after tree.View, changes []tree.Change) (bool, error) {
	if slices.ContainsFunc(changes, func(ch tree.Change) bool { return !strings.HasPrefix(ch.Path, place+"/") }) {
		return false, nil
	}
	have, err := below(before, place)
	if err != nil {
		return false, err
	}
	got, err := below(after, place)
	if err != nil {
		return false, err
	}
	m, err := threeWay(inside(place, taken.Edits), have, inside(place, theirs.Edits), c.Take)
	if err != nil {
		return false, err
	}
	differ, err := tree.Diff(tree.NewMap(append(have, m.edits...)...), tree.NewMap(got...))
	return len(differ) == 0 && len(changes) > 0, err //nolint:wrapcheck // the caller names the proposal
}
