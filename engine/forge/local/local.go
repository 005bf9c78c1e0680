package local

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// PullPrefix is where the journals of pull requests are.
const PullPrefix = "refs/assent/pulls/"

// Forge is the embedded forge of one repository.
type Forge struct {
	repo *gitstore.Repo
}

var _ forge.Forge = (*Forge)(nil)

// New returns the forge of repo.
func New(repo *gitstore.Repo) *Forge { return &Forge{repo: repo} }

func pullRef(id string) string       { return PullPrefix + id }
func branchRef(branch string) string { return "refs/heads/" + branch }

// Refresh implements forge.Forge: everything is read anew each time.
func (f *Forge) Refresh(context.Context) error { return nil }

// Tend implements forge.Forge: there is nothing but the record.
func (f *Forge) Tend(context.Context) error { return nil }

// Show implements forge.Forge: people read the record itself.
func (f *Forge) Show(context.Context, string, string) error { return nil }

// Get implements forge.Forge.
func (f *Forge) Get(_ context.Context, id string) (forge.Pull, error) {
	now, err := f.read(id)
	return now.pull, err
}

// Activity implements forge.Forge.
func (f *Forge) Activity(_ context.Context, id string) (forge.Activity, error) {
	now, err := f.read(id)
	return now.activity, err
}

// Read is Get and Activity of one reading.
func (f *Forge) Read(_ context.Context, id string) (forge.Pull, forge.Activity, error) {
	now, err := f.read(id)
	return now.pull, now.activity, err
}

func (f *Forge) read(id string) (observed, error) {
	if !forge.IsID(id) {
		return observed{}, fmt.Errorf("%q: %w", id, forge.ErrNotFound)
	}
	events, rec, err := Shelf().Find(f.repo, id)
	if err != nil {
		return observed{}, damaged(id, pullRef(id), err)
	}
	now, err := f.observe(id, events)
	if err == nil && rec.Name != "" {
		err = agree(rec, events)
	}
	return now, err
}

// decision is what build answers to a state: an event to append and refs to move
// with it, or nothing.
type decision struct {
	event *journal.Event
	moves journal.Moves
}

// change appends one event to a pull request; build sees its state and may
// answer nothing. What the journal missed is recorded first, so that build decides
// on what is so and on a journal that says it.
func (f *Forge) change(id string, at time.Time, build func(observed) (decision, error)) error {
	if !forge.IsID(id) {
		return fmt.Errorf("%q: %w", id, forge.ErrNotFound)
	}
	for caughtUp := false; !caughtUp; {
		err := f.appendTo(id, func(now observed) (decision, error) {
			missed, err := f.catchUp(now, at)
			if caughtUp = missed.event == nil; !caughtUp || err != nil {
				return missed, err
			}
			return build(now)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// appendTo decides on the journal as it is and appends, again if others are faster.
func (f *Forge) appendTo(id string, build func(observed) (decision, error)) error {
	_, err := Shelf().AppendWith(f.repo, id, func(history []journal.Event) (*journal.Event, journal.Moves, error) {
		now, err := f.observe(id, history)
		if err != nil {
			return nil, journal.Moves{}, err
		}
		d, err := build(now)
		return d.event, d.moves, err
	})
	return f.blame(id, err)
}

// blame finds out whether an operation failed because the journal is damaged.
func (f *Forge) blame(id string, err error) error {
	if err == nil {
		return nil
	}
	if _, again := Shelf().Read(f.repo, id); again != nil {
		return damaged(id, pullRef(id), again)
	}
	return stale(err)
}

func mustBeOpen(p forge.Pull) error {
	switch p.State {
	case forge.Open:
		return nil
	case forge.Merged:
		return fmt.Errorf("%s: %w", p.ID, forge.ErrMerged)
	}
	return fmt.Errorf("%s was %s: %w", p.ID, p.Why, forge.ErrClosed)
}

func wrap(what, id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s pull request %s: %w", what, id, err)
}

// fields makes an event's fields of pairs, leaving out what is empty.
func fields(pairs ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out[pairs[i]] = pairs[i+1]
		}
	}
	return out
}

// files makes an event's payload of one file, without it where that is empty.
func files(name string, data []byte) map[string][]byte {
	if len(data) == 0 {
		return map[string][]byte{}
	}
	return map[string][]byte{name: data}
}

func idOf(ref string) string { return strings.TrimPrefix(ref, PullPrefix) }
