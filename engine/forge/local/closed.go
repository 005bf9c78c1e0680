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

// ClosedPrefix is where the journals of pull requests that ended are folded.
const ClosedPrefix = "refs/assent/closed/"

// Shelf is where the journals of pull requests are, folded ones and others.
func Shelf() journal.Shelf { return journal.Shelf{Live: PullPrefix, Folded: ClosedPrefix} }

// The summary of a folded pull request is the pull request itself, as its journal
// tells it: lists need no more.

func summaryOf(p forge.Pull) (json.RawMessage, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode pull request: %w", err)
	}
	return data, nil
}

// summarized reads a record's summary. That the journal says the same is checked
// by whoever reads the journal (see agree).
func summarized(rec journal.Record) (forge.Pull, error) {
	var p forge.Pull
	err := json.Unmarshal(rec.Summary, &p)
	switch {
	case err != nil:
		err = fmt.Errorf("its summary: %w", err)
	case p.ID != rec.Name:
		err = fmt.Errorf("its summary is that of %q", p.ID)
	case !ended(p.State):
		err = fmt.Errorf("it is folded and its summary says %q", p.State)
	}
	if err != nil {
		return p, &forge.Damaged{ID: rec.Name, Where: rec.Line, Err: err}
	}
	return p, nil
}

// agree holds the record of a journal against the journal. Lists believe records,
// so that a record which says something else must not go unnoticed.
func agree(rec journal.Record, events []journal.Event) error {
	said, err := summarized(rec)
	if err != nil {
		return err
	}
	now, err := replay(rec.Name, events)
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
	if !bytes.Equal(a, b) {
		return &forge.Damaged{ID: rec.Name, Where: rec.Line, Err: errors.New("what its summary says is not what its journal says")}
	}
	return nil
}

func ended(s forge.State) bool { return s == forge.Merged || s == forge.Closed }

// Fold folds the journals of pull requests that ended, at most most of them, and
// returns how many. They keep their refs until Drop. Journals that cannot be read
// are left alone and named by the error (see forge.Damages); progress, unless nil,
// is told how many of how many refs were looked at.
func (f *Forge) Fold(ctx context.Context, at time.Time, most int, progress func(done, total int)) (int, error) {
	refs, err := f.repo.Refs(PullPrefix)
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
		e, err := f.entry(ref)
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
		n, err := Shelf().Fold(f.repo, at, batch)
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

// entry is how a pull request is folded; its Name is empty when it has not ended,
// when its journal does not know yet that it has, or when it is folded already.
func (f *Forge) entry(ref gitstore.Ref) (journal.Entry, error) {
	id := idOf(ref.Name)
	if !forge.IsID(id) || !ended(f.said(ref.Hash)) {
		return journal.Entry{}, nil
	}
	// Those that are folded and wait for their refs to go are seen at every merge.
	if done, err := Shelf().FoldedAt(f.repo, id, ref.Hash); done || err != nil {
		return journal.Entry{}, damaged(id, ref.Name, err)
	}
	events, rec, err := Shelf().Find(f.repo, id)
	if err != nil {
		return journal.Entry{}, damaged(id, ref.Name, err)
	}
	if rec.Name != "" {
		return journal.Entry{}, nil
	}
	now, err := f.observe(id, events)
	if err != nil || now.unrecorded || !ended(now.pull.State) {
		return journal.Entry{}, err
	}
	summary, err := summaryOf(now.pull)
	return journal.Entry{Name: id, Head: events[len(events)-1].Commit, Summary: summary}, err
}

// said is the state that a journal's last event says it leaves; "" when it does
// not say or cannot be read.
func (f *Forge) said(head tree.Hash) forge.State {
	c, err := f.repo.Commit(head)
	if err != nil {
		return ""
	}
	return forge.State(c.Trailer(stateField))
}

// Drop removes the refs of at most most pull requests that were folded long enough
// ago (see journal.Shelf).
func (f *Forge) Drop(_ context.Context, now time.Time, most int) (journal.Drops, error) {
	return Shelf().Drop(f.repo, now, most)
}

// Foldable is how many pull requests Fold would fold.
func (f *Forge) Foldable(ctx context.Context) (int, error) {
	refs, err := f.repo.Refs(PullPrefix)
	if _, err = gitstore.BrokenRefs(err); err != nil && len(refs) == 0 {
		return 0, fmt.Errorf("list pull requests: %w", err)
	}
	n := 0
	for _, ref := range refs {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if e, err := f.entry(ref); err == nil && e.Name != "" {
			n++
		}
	}
	return n, nil
}

// Unite takes in what another clone folded (see journal.Shelf).
func (f *Forge) Unite(_ context.Context, now time.Time) (united, removed []string, err error) {
	return Shelf().Unite(f.repo, now)
}

// Standing is how many journals have a ref of their own that can be read.
func (f *Forge) Standing() (int, error) {
	names, err := Shelf().Names(f.repo)
	return len(names), err
}

// Keeps says that the journals can be folded here, which is always so.
func (f *Forge) Keeps() bool { return true }
