package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// Record says which merged proposal archived a capability last.
type Record struct {
	// Name is spelled as in the proposal, Goal and Body are the proposal's.
	Name, Proposal, Goal, Body string
	// file is the path of the proposal's file in the tree, hash that of its content.
	file, hash string
}

// Records lists the archived capabilities that are not in force, the one proposed last first. Of several proposals that
// archived one name, the one merged last counts. What cannot be read is left out.
func Records(cur workspace.Session) ([]Record, error) {
	out, _, err := read(cur, remembered(cur), "")
	return out, err
}

// read lists the records of all names, or of one folded name.
func read(cur workspace.Session, m *memory, only string) (out []Record, unread []*Unread, err error) {
	view := cur.View
	defer m.save()
	var files []tree.Entry
	err = tree.Files(view, string(names.ProposalsArea), func(e tree.Entry) error {
		files = append(files, e)
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("list merged proposals: %w", err)
	}
	of := map[string][]Record{}
	var archived []string // the names of these
	inForce := map[string]bool{}
	for _, e := range slices.Backward(files) {
		file, hash := e.Path, e.Hash.String()
		if _, other := m.known[hash]; other && !e.Hash.IsZero() {
			continue
		}
		src, err := view.Read(file)
		if gitstore.IsContent(err) {
			unread = append(unread, &Unread{Record{Name: file}, err})
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read a merged proposal: %w", err)
		}
		if !bytes.Contains(src, []byte("kind: "+string(proposal.Archive))) {
			m.known[hash] = ""
			continue
		}
		p, found := proposal.Parse(file, src)
		if found.HasErrors() || p.Kind != proposal.Archive {
			continue
		}
		for _, name := range subjects(p) {
			key := names.Fold(name)
			if inForce[key] || only != "" && key != only {
				continue
			}
			if of[key] == nil {
				now, err := view.Named(name)
				if err != nil {
					return nil, nil, fmt.Errorf("look for %s: %w", name, err)
				}
				if inForce[key] = len(now) > 0; inForce[key] {
					continue
				}
				archived = append(archived, key)
			}
			of[key] = append(of[key], Record{name, p.ID, p.Goal, p.Body, file, hash})
		}
	}
	if err := mergedLast(cur, of); err != nil {
		return nil, nil, err
	}
	for _, key := range archived {
		out = append(out, of[key][0])
	}
	return out, unread, nil
}

// mergedLast keeps, of several records of a name, the one whose proposal was merged last. Ids and dates of proposals do
// not show the order of merges, so it walks main back to the first commit that lacks one of them.
func mergedLast(cur workspace.Session, of map[string][]Record) error {
	open := maps.Clone(of)
	maps.DeleteFunc(open, func(_ string, all []Record) bool { return len(all) < 2 })
	if len(open) == 0 {
		return nil
	}
	err := cur.Repo.Lineage(cur.InForce, func(c gitstore.Commit) (bool, error) {
		before, err := cur.Repo.Snapshot(c.Hash)
		if err != nil {
			return gitstore.IsContent(err), ignored(err)
		}
		for key, all := range open {
			for _, r := range all {
				_, err := before.Lookup(r.file)
				if errors.Is(err, fs.ErrNotExist) {
					of[key] = []Record{r}
					delete(open, key)
					break
				}
				if ignored(err) != nil {
					return false, err
				}
			}
		}
		return len(open) > 0, nil
	})
	return ignored(err)
}

// ignored drops the error of a damaged commit or tree: the order follows from the other commits.
func ignored(err error) error {
	if gitstore.IsContent(err) {
		return nil
	}
	return err
}

// subjects are the capabilities that a proposal archived: one by its name, several by their files.
func subjects(p proposal.Proposal) (out []string) {
	if p.Capability != "" {
		return []string{p.Capability}
	}
	for _, file := range p.Files {
		if dir, base := path.Split(file); base == capability.SkillFile {
			out = append(out, capability.FolderOf(path.Clean(dir)).Name)
		}
	}
	return out
}

// Of returns the record of a name; false if it is in force or was not archived.
func Of(cur workspace.Session, name string) (Record, bool, error) {
	all, _, err := read(cur, remembered(cur), names.Fold(name))
	if err != nil || len(all) == 0 {
		return Record{}, false, err
	}
	return all[0], true, nil
}

// Capability is an archived capability with its folder in the tree before the merge.
type Capability struct {
	capability.Folder
	Record Record
	Before tree.View
	Pull   forge.Pull
	At     time.Time
}

// Open finds an archived capability's folder; false if history has no such merge.
func (r Record) Open(ctx context.Context, cur workspace.Session) (out Capability, ok bool, err error) {
	out.Record = r
	out.Pull, err = cur.Record.Get(ctx, r.Proposal)
	var damaged *forge.Damaged
	switch {
	case errors.Is(err, forge.ErrNotFound), errors.As(err, &damaged): // doctor names it
		return out, false, nil
	case err != nil:
		return out, false, fmt.Errorf("look for the archiving of %s: %w", r.Name, err)
	case out.Pull.State != forge.Merged:
		return out, false, nil
	}
	merge, err := cur.Repo.Commit(out.Pull.Merge)
	if err != nil || len(merge.Parents) == 0 {
		return out, false, err
	}
	out.At = merge.Committer.When
	after, err := cur.Repo.Snapshot(merge.Hash)
	if err != nil {
		return out, false, err
	}
	if out.Before, err = cur.Repo.Snapshot(merge.Parents[0]); err != nil {
		return out, false, err
	}
	changes, err := tree.Diff(out.Before, after, capability.Root)
	if err != nil {
		return out, false, fmt.Errorf("compare the trees around %s: %w", r.Proposal, err)
	}
	for _, c := range changes {
		dir, file := path.Split(c.Path)
		if !c.Removed() || file != capability.SkillFile {
			continue
		}
		if f := capability.FolderOf(path.Clean(dir)); names.Fold(f.Name) == names.Fold(r.Name) {
			out.Folder = f
			return out, true, nil
		}
	}
	return out, false, nil
}

// Unread is an archived capability of which an object is damaged or missing; with a file's name for a merged proposal.
type Unread struct {
	Record
	Err error
}

// Error names the capability and the object.
func (u *Unread) Error() string {
	if u.Proposal == "" {
		return fmt.Sprintf("%s cannot be read, so what it archived is unknown: %v", u.Name, u.Err)
	}
	return fmt.Sprintf("the archived %s, which %s took away, cannot be read and is left out: %v", u.Name, u.Proposal, u.Err)
}

// Unwrap returns the failure.
func (u *Unread) Unwrap() error { return u.Err }

// All opens the records. unread are those whose folder or merge cannot be read; the others are returned.
func All(ctx context.Context, cur workspace.Session) (out []Capability, unread []*Unread, err error) {
	records, unread, err := read(cur, remembered(cur), "")
	if err != nil {
		return nil, nil, err
	}
	return open(ctx, cur, records, unread)
}

// Fitting opens the 100 records of those archived last, and of the others up to 25 that share words with a text. some is set
// if there are others.
func Fitting(ctx context.Context, cur workspace.Session, text string) (out []Capability, unread []*Unread, some bool, err error) {
	m := remembered(cur)
	records, unread, err := read(cur, m, "")
	if some = len(records) > recent; some && err == nil {
		records, err = m.fitting(ctx, cur, records, text)
		m.save()
	}
	if err != nil {
		return nil, nil, some, err
	}
	out, unread, err = open(ctx, cur, records, unread)
	return out, unread, some, err
}

func open(ctx context.Context, cur workspace.Session, records []Record, unread []*Unread) (out []Capability, _ []*Unread, err error) {
	for _, r := range records {
		c, ok, err := r.Open(ctx, cur)
		switch {
		case gitstore.IsContent(err):
			unread = append(unread, &Unread{r, err})
		case err != nil:
			return nil, nil, err
		case ok:
			out = append(out, c)
		}
	}
	return out, unread, nil
}
