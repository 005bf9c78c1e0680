package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// ClosedPrefix is the prefix of the refs of folded journals.
const ClosedPrefix = "refs/assent/closed/"

// Shelf returns access to the journals of pull requests, folded or not.
func Shelf() journal.Shelf {
	return journal.Shelf{Live: PullPrefix, Lines: journal.Lines{Folded: ClosedPrefix, True: consistent}}
}

// summaryOf encodes the fields of a folded pull request that are read without its journal.
func summaryOf(p forge.Pull) (json.RawMessage, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode pull request: %w", err)
	}
	return data, nil
}

// summarized decodes a record's summary. Readers of the journal compare the two (see
// agree).
func summarized(rec journal.Record) (forge.Pull, error) {
	var p forge.Pull
	err := json.Unmarshal(rec.Summary, &p)
	switch {
	case err != nil:
		err = fmt.Errorf("its summary: %.200s", err.Error())
	case p.ID != rec.Name:
		err = fmt.Errorf("its summary is that of %.80q", p.ID)
	case !ended(p.State):
		err = fmt.Errorf("it is folded and its summary says %q", p.State)
	}
	if err != nil {
		return p, &forge.Damaged{ID: rec.Name, Where: rec.Line, Err: err}
	}
	return p, nil
}

// consistent compares a record with its journal, and with nothing else.
func consistent(rec journal.Record, events []journal.Event) error {
	return agree(rec, events, forge.Pull{})
}

// closed returns access to the journals for removing their refs: a record is true only if main
// does not say otherwise.
func (r record) closed() journal.Shelf {
	shelf := Shelf()
	shelf.True = func(rec journal.Record, events []journal.Event) error {
		now, err := r.observe(rec.Name, events)
		if err == nil && (now.unrecorded || !ended(now.pull.State)) {
			err = &forge.Damaged{ID: rec.Name, Where: rec.Line, Err: errors.New("it is folded and has not ended")}
		}
		if err != nil {
			return err
		}
		return agree(rec, events, now.pull)
	}
	return shelf
}

// agree compares the record of a journal with what the journal claims. Lists rest on records, so
// a difference is damage.
func agree(rec journal.Record, events []journal.Event, is forge.Pull) error {
	said, err := summarized(rec)
	if err != nil {
		return err
	}
	now, err := replay(rec.Name, events, func(_ string, commit tree.Hash) (bool, error) { return commit == said.Merge, nil })
	if err != nil {
		return &forge.Damaged{ID: rec.Name, Where: rec.Line, Err: err}
	}
	a, err := summaryOf(said)
	if err != nil {
		return err
	}
	b, err := summaryOf(now.pull)
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) || is.State == forge.Merged && is.Merge != said.Merge {
		return &forge.Damaged{ID: rec.Name, Where: rec.Line, Err: errors.New("its summary differs from its journal")}
	}
	return nil
}

func ended(s forge.State) bool { return s == forge.Merged || s == forge.Closed }

// Agree runs operation on a repository whose updates others accept first, and retries
// after a lost race. id names the proposal, "" for none.
type Agree func(ctx context.Context, id string, operation func(*gitstore.Repo) error) error

// Archive folds the journals of pull requests that ended.
type Archive struct {
	record record
	agree  Agree
}

// ArchiveOf returns the archive of a repository that only this clone writes.
func ArchiveOf(repo *gitstore.Repo) Archive {
	return Archive{recordOf(repo), func(_ context.Context, _ string, operation func(*gitstore.Repo) error) error { return operation(repo) }}
}

// Agreed returns the archive with its changes made through with.
func (a Archive) Agreed(with Agree) Archive { return Archive{a.record, with} }

// Fold folds the journals of at most most ended pull requests, and returns their number.
// They keep their refs until Drop. The error names unreadable journals, which stay (see
// forge.Damages). progress, unless nil, gets the numbers of refs read and of all refs.
func (a Archive) Fold(ctx context.Context, at time.Time, most int, progress func(done, total int)) (folded int, err error) {
	err = a.agree(ctx, "", func(r *gitstore.Repo) error {
		n, err := recordOf(r).fold(ctx, at, most-folded, progress)
		folded += n
		return err
	})
	return folded, err
}

func (r record) fold(ctx context.Context, at time.Time, most int, progress func(done, total int)) (int, error) {
	refs, err := r.repo.Refs(PullPrefix)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil && len(refs) == 0 {
		return 0, fmt.Errorf("list pull requests: %w", err)
	}
	var problems []error
	for _, ref := range broken {
		problems = append(problems, &forge.Damaged{ID: idOf(ref.Name), Where: ref.Name, Err: ref})
	}
	var batch []journal.Entry
	folded := 0
	for i, ref := range refs {
		if err := ctx.Err(); err != nil {
			return folded, err
		}
		if progress != nil {
			progress(i, len(refs))
		}
		e, err := r.entry(ref)
		if _, world := forge.Damages(err); world != nil {
			return folded, world
		}
		switch {
		case err != nil:
			problems = append(problems, err)
		case e.Name != "":
			batch = append(batch, e)
		}
		if len(batch) < journal.MaxFold && i < len(refs)-1 && folded+len(batch) < most {
			continue
		}
		n, err := Shelf().Fold(r.repo, at, batch)
		if err != nil {
			return folded, err
		}
		folded, batch = folded+n, nil
		if folded >= most {
			break
		}
	}
	return folded, errors.Join(problems...)
}

// entry returns the record of a pull request to fold. Its Name is empty if the pull
// request is open, if its journal does not record the end yet, or if it is folded
// already.
func (r record) entry(ref gitstore.Ref) (journal.Entry, error) {
	id := idOf(ref.Name)
	if !forge.IsID(id) || !ended(endState(r.repo, ref.Hash)) {
		return journal.Entry{}, nil
	}
	// Every merge meets folded pull requests whose refs are not dropped yet.
	if done, err := Shelf().FoldedAt(r.repo, id, ref.Hash); done || err != nil {
		return journal.Entry{}, damaged(id, ref.Name, err)
	}
	events, rec, err := Shelf().Find(r.repo, id)
	if err != nil {
		return journal.Entry{}, damaged(id, ref.Name, err)
	}
	if rec.Name != "" {
		return journal.Entry{}, nil
	}
	now, err := r.observe(id, events)
	if err != nil || now.unrecorded || !ended(now.pull.State) {
		return journal.Entry{}, err
	}
	summary, err := summaryOf(now.pull)
	return journal.Entry{Name: id, Head: events[len(events)-1].Commit, Summary: summary}, err
}

// endState returns the state that the last event of a journal names; "" if it names none
// or is unreadable.
func endState(repo *gitstore.Repo, head tree.Hash) forge.State {
	c, err := repo.Commit(head)
	if err != nil {
		return ""
	}
	return forge.State(c.Trailer(stateField))
}

// Drop removes the refs of up to most pull requests that were folded long enough ago (see
// journal.Shelf).
func (a Archive) Drop(ctx context.Context, now time.Time, most int) (out journal.Drops, err error) {
	err = a.agree(ctx, "", func(r *gitstore.Repo) error {
		out, err = recordOf(r).closed().Drop(r, now, most)
		return err
	})
	return out, err
}

// Foldable counts the pull requests that Fold would fold.
func (a Archive) Foldable(ctx context.Context) (int, error) {
	refs, err := a.record.repo.Refs(PullPrefix)
	if _, err = gitstore.BrokenRefs(err); err != nil && len(refs) == 0 {
		return 0, fmt.Errorf("list pull requests: %w", err)
	}
	n := 0
	for _, ref := range refs {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if e, err := a.record.entry(ref); err == nil && e.Name != "" {
			n++
		}
	}
	return n, nil
}

// Unite merges lines that another clone folded (see journal.Shelf).
func (a Archive) Unite(ctx context.Context, now time.Time) (united, removed []string, err error) {
	err = a.agree(ctx, "", func(r *gitstore.Repo) error {
		united, removed, err = Shelf().Unite(r, now)
		return err
	})
	return united, removed, err
}

// Standing counts the journals that still have a readable ref of their own.
func (a Archive) Standing() (int, error) {
	names, err := Shelf().Names(a.record.repo)
	return len(names), err
}
