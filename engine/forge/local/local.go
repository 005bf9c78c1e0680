package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/journal"
	"github.com/assent-dev/assent/engine/tree"
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

// Get implements forge.Forge.
func (f *Forge) Get(_ context.Context, id string) (forge.Pull, error) {
	state, err := f.read(id)
	return state.pull, err
}

// Activity implements forge.Forge.
func (f *Forge) Activity(_ context.Context, id string) (forge.Activity, error) {
	state, err := f.read(id)
	return state.activity, err
}

func (f *Forge) read(id string) (folded, error) {
	events, err := journal.Read(f.repo, pullRef(id))
	if err != nil {
		return folded{}, fmt.Errorf("read pull request %s: %w", id, err)
	}
	return f.settled(id, events)
}

// settled folds events and settles a merge that was announced but not recorded as
// done: it happened exactly if the base branch contains its commit.
func (f *Forge) settled(id string, events []journal.Event) (folded, error) {
	if len(events) == 0 {
		return folded{}, fmt.Errorf("%s: %w", id, forge.ErrNotFound)
	}
	state, err := fold(id, events)
	if err != nil || state.pull.State == forge.Merged {
		return state, err
	}
	tip, err := f.repo.Ref(branchRef(state.pull.Base))
	if errors.Is(err, gitstore.ErrNoRef) {
		return state, nil
	}
	if err != nil {
		return state, err
	}
	for _, m := range state.activity.Merges {
		in, err := f.repo.IsAncestor(m.Commit, tip)
		if err != nil {
			return state, err
		}
		if in {
			state.pull.State, state.pull.Merge, state.pull.Why = forge.Merged, m.Commit, ""
		}
	}
	return state, nil
}

// List implements forge.Forge.
func (f *Forge) List(ctx context.Context, filter forge.Filter) ([]forge.Pull, error) {
	refs, err := f.repo.Refs(PullPrefix)
	if err != nil {
		return nil, fmt.Errorf("list pull requests: %w", err)
	}
	var out []forge.Pull
	for _, ref := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := f.Get(ctx, strings.TrimPrefix(ref.Name, PullPrefix))
		if err != nil {
			return nil, err
		}
		if filter.State != "" && p.State != filter.State || filter.Author != "" && p.Author.String() != filter.Author {
			continue
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b forge.Pull) int { return b.Opened.Compare(a.Opened) })
	return out, nil
}

// Open implements forge.Forge. The id is claimed by creating its refs: of two
// processes that open the same one, exactly one wins.
func (f *Forge) Open(ctx context.Context, req forge.Opening) (forge.Pull, error) {
	_, err := journal.AppendWith(f.repo, pullRef(req.ID), func(history []journal.Event) (*journal.Event, []gitstore.RefUpdate, error) {
		if len(history) > 0 {
			there, err := f.settled(req.ID, history)
			if err == nil && there.activity.Pushes[0].New != req.Head {
				err = fmt.Errorf("%s: %w", req.ID, forge.ErrExists)
			}
			return nil, nil, err
		}
		ev, err := withActor(journal.Event{
			Kind: evOpened, At: req.At, Note: req.Body, Anchors: []tree.Hash{req.Head},
			Fields: map[string]string{"Title": req.Title, "Branch": req.Branch, "Base": req.Base, "Head": req.Head.String()},
		}, req.Author)
		branch := gitstore.RefUpdate{Name: branchRef(req.Branch), New: req.Head, Reflog: "assent: open " + req.ID}
		return ev, []gitstore.RefUpdate{branch}, err
	})
	if err != nil {
		return forge.Pull{}, fmt.Errorf("open pull request %s: %w", req.ID, err)
	}
	return f.Get(ctx, req.ID)
}

// change appends one event to an open pull request; build sees its state and
// may answer nil to change nothing.
func (f *Forge) change(id string, build func(folded) (*journal.Event, []gitstore.RefUpdate, error)) error {
	_, err := journal.AppendWith(f.repo, pullRef(id), func(history []journal.Event) (*journal.Event, []gitstore.RefUpdate, error) {
		state, err := f.settled(id, history)
		if err != nil {
			return nil, nil, err
		}
		return build(state)
	})
	return err
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

// Comment implements forge.Forge. Closed pull requests can be talked about too.
func (f *Forge) Comment(_ context.Context, id string, c forge.Comment) error {
	err := f.change(id, func(folded) (*journal.Event, []gitstore.RefUpdate, error) {
		ev, err := withActor(journal.Event{Kind: evComment, At: c.At, Note: c.Body, Fields: fields("Key", c.Key)}, c.By)
		return ev, nil, err
	})
	return wrap("comment on", id, err)
}

// Status implements forge.Forge. The same report for the same commits is
// recorded once.
func (f *Forge) Status(_ context.Context, id string, s forge.Status) error {
	err := f.change(id, func(state folded) (*journal.Event, []gitstore.RefUpdate, error) {
		if err := mustBeOpen(state.pull); err != nil {
			return nil, nil, err
		}
		if n := len(state.activity.Statuses); n > 0 {
			last := state.activity.Statuses[n-1]
			if last.Digest == s.Digest && last.Head == s.Head && last.Base == s.Base {
				return nil, nil, nil
			}
		}
		passed := "false"
		if s.Passed {
			passed = "true"
		}
		ev := &journal.Event{
			Kind: evReport, At: s.At, By: "assent", Note: s.Summary,
			Fields: map[string]string{"Head": s.Head.String(), "Base-Commit": s.Base.String(), "Passed": passed, "Digest": s.Digest},
			Files:  map[string][]byte{"report.json": s.Report},
		}
		return ev, nil, nil
	})
	return wrap("record the report of", id, err)
}

// Close implements forge.Forge. The branch is removed; its commits stay reachable
// from the journal.
func (f *Forge) Close(_ context.Context, id string, c forge.Closing) error {
	err := f.change(id, func(state folded) (*journal.Event, []gitstore.RefUpdate, error) {
		if state.pull.State == forge.Closed && state.pull.Why == c.Why {
			return nil, nil, nil
		}
		if err := mustBeOpen(state.pull); err != nil {
			return nil, nil, err
		}
		ev, err := withActor(journal.Event{Kind: evClosed, At: c.At, Note: c.Note, Fields: fields("Why", c.Why)}, c.By)
		return ev, f.dropBranch(state.pull), err
	})
	return wrap("close", id, err)
}

// dropBranch removes a pull request's branch if it is where the journal says.
func (f *Forge) dropBranch(p forge.Pull) []gitstore.RefUpdate {
	at, err := f.repo.Ref(branchRef(p.Branch))
	if err != nil || at != p.Head {
		return nil
	}
	return []gitstore.RefUpdate{{Name: branchRef(p.Branch), Old: p.Head}}
}

// Reopen implements forge.Forge.
func (f *Forge) Reopen(ctx context.Context, id string, by forge.Actor, at time.Time) (forge.Pull, error) {
	err := f.change(id, func(state folded) (*journal.Event, []gitstore.RefUpdate, error) {
		switch state.pull.State {
		case forge.Open:
			return nil, nil, nil
		case forge.Merged:
			return nil, nil, fmt.Errorf("%s: %w", id, forge.ErrMerged)
		}
		ev, err := withActor(journal.Event{Kind: evReopened, At: at, Anchors: []tree.Hash{state.pull.Head}}, by)
		branch, errRef := f.repo.Ref(branchRef(state.pull.Branch))
		if errRef == nil && branch == state.pull.Head {
			return ev, nil, err
		}
		return ev, []gitstore.RefUpdate{{Name: branchRef(state.pull.Branch), New: state.pull.Head, Reflog: "assent: reopen"}}, err
	})
	if err != nil {
		return forge.Pull{}, wrap("reopen", id, err)
	}
	return f.Get(ctx, id)
}

func wrap(what, id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s pull request %s: %w", what, id, err)
}

func fields(key, value string) map[string]string {
	if value == "" {
		return nil
	}
	return map[string]string{key: value}
}
