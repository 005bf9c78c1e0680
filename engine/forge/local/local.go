package local

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// PullPrefix begins the refs of the journals of pull requests.
const PullPrefix = "refs/assent/pulls/"

// Forge is the embedded forge of one repository.
type Forge struct {
	forge.Unserved
	record
}

var _ forge.Forge = (*Forge)(nil)

// New returns the forge of repo.
func New(repo *gitstore.Repo) *Forge { return &Forge{record: recordOf(repo)} }

// Archive returns the folded journals and those to fold.
func (f *Forge) Archive() Archive { return ArchiveOf(f.repo) }

// Closely implements forge.Forge: the record is always read completely.
func (f *Forge) Closely() forge.Forge { return f }

// Glancing implements forge.Forge: no service can fail.
func (f *Forge) Glancing(func(error)) forge.Forge { return f }

func pullRef(id string) string       { return PullPrefix + id }
func branchRef(branch string) string { return "refs/heads/" + branch }

// record is the journals of pull requests in one repository, with their branches.
type record struct {
	repo  *gitstore.Repo
	mains *mainlines
}

func recordOf(repo *gitstore.Repo) record { return record{repo, new(mainlines)} }

// Get implements forge.Forge.
func (r record) Get(_ context.Context, id string) (forge.Pull, error) {
	now, err := r.read(id, reviewsOnly)
	return now.pull, err
}

// Reviewed returns what Get does, with the pushes and reviews of Activity, without Behind and
// Provenance. It reads no other record.
func (r record) Reviewed(_ context.Context, id string) (forge.Pull, forge.Activity, error) {
	now, err := r.read(id, reviewsOnly)
	return now.pull, now.activity, err
}

// Activity implements forge.Forge.
func (r record) Activity(_ context.Context, id string) (forge.Activity, error) {
	now, err := r.read(id, nil)
	return now.activity, err
}

// Read returns the results of Get and Activity from a single reading.
func (r record) Read(_ context.Context, id string) (forge.Pull, forge.Activity, error) {
	now, err := r.read(id, nil)
	return now.pull, now.activity, err
}

func (r record) read(id string, only journal.Files) (observed, error) {
	if !forge.IsID(id) {
		return observed{}, fmt.Errorf("%q: %w", id, forge.ErrNotFound)
	}
	shelf := Shelf()
	shelf.Only = only
	events, folded, err := shelf.Find(r.repo, id)
	if err != nil {
		return observed{}, damaged(id, pullRef(id), err)
	}
	now, err := r.observe(id, events)
	if err == nil && folded.Name != "" {
		err = agree(folded, events, now.pull)
	}
	return now, err
}

// decision is an event to append and the refs to move with it; the zero value does nothing.
type decision struct {
	event *journal.Event
	moves journal.Moves
}

// request makes a change if the request passed its check. Errors name what was being done.
func (r record) request(doing, id string, at time.Time, checked error, build func(observed) (decision, error)) error {
	if checked != nil {
		return wrap(doing, id, checked)
	}
	return wrap(doing, id, r.change(id, at, build))
}

// change appends at most one event to a pull request; build decides it from the current
// state. Facts that the journal lacks are recorded first, so that build sees a journal that
// agrees with the branches.
func (r record) change(id string, at time.Time, build func(observed) (decision, error)) error {
	if !forge.IsID(id) {
		return fmt.Errorf("%q: %w", id, forge.ErrNotFound)
	}
	for caughtUp := false; !caughtUp; {
		err := r.appendTo(id, func(now observed) (decision, error) {
			missed, err := r.catchUp(now, at)
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

// appendTo lets build decide on the journal, and appends. It repeats both after a lost race.
func (r record) appendTo(id string, build func(observed) (decision, error)) error {
	_, err := Shelf().AppendWith(r.repo, id, func(history []journal.Event) (*journal.Event, journal.Moves, error) {
		now, err := r.observe(id, history)
		if err != nil {
			return nil, journal.Moves{}, err
		}
		d, err := build(now)
		if err == nil && d.event != nil {
			err = r.keepsRoom(id, append(slices.Clip(history), *d.event))
		}
		return d.event, d.moves, err
	})
	return r.blame(id, err)
}

// blame reports a damaged journal as the cause of a failure, if it is.
func (r record) blame(id string, err error) error {
	if err == nil {
		return nil
	}
	if _, again := Shelf().Read(r.repo, id); again != nil {
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

// fields makes an event's fields from pairs of name and value; empty values are left out.
func fields(pairs ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out[pairs[i]] = pairs[i+1]
		}
	}
	return out
}

// files makes an event's payload from one file; an empty file is left out.
func files(name string, data []byte) map[string][]byte {
	if len(data) == 0 {
		return map[string][]byte{}
	}
	return map[string][]byte{name: data}
}

func idOf(ref string) string { return strings.TrimPrefix(ref, PullPrefix) }
