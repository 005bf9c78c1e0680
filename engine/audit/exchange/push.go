package exchange

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
)

// maxAttempts bounds the lost races before a push gives up.
const maxAttempts = 16

// ErrOutrun reports that others moved the pushed refs in every attempt.
var ErrOutrun = errors.New("others were faster")

// Options select what to push.
type Options struct {
	Remote string
	// IDs are the proposals; empty means everything that the remote lacks.
	IDs    []string
	DryRun bool
	// Say receives progress messages; it may be nil.
	Say func(string)
}

// Pushed is the result of a push.
type Pushed struct {
	Remote string
	// Moves are the remote's refs that moved, or would in a dry run.
	Moves []remote.Move
	// Held are the parts that were not published, with reasons.
	Held []Held
	// Words is the remote's message for people; it is untrusted.
	Words string
	// Pulled are the pulls that were necessary because others were faster.
	Pulled []Pulled
}

// Held is something that was not published.
type Held struct {
	// What is main or the id of a proposal.
	What string
	Why  string
}

// Push publishes what the remote lacks: proposals with their journals, folded journals,
// and main if it is a fast-forward. Everything moves atomically. If others were faster,
// Push pulls, replays the local changes and tries again, a bounded number of times
// (ErrOutrun).
func Push(ctx context.Context, w *workspace.Workspace, o Options) (Pushed, error) {
	out := Pushed{Remote: o.Remote}
	if err := keepTrials(ctx, w, o); err != nil {
		return out, err
	}
	var diverged error
	var untaken []string
	for attempt := 0; ; attempt++ {
		p := pushing{w: w, o: o, diverged: diverged, untaken: untaken}
		receipt, err := remote.Push(ctx, w.Repo, o.Remote, remote.PushOptions{Say: o.Say},
			func(there map[string]tree.Hash) ([]remote.Move, error) { return p.decide(ctx, there) })
		out.Moves, out.Held, out.Words = p.moves, p.held, receipt.Words
		faster := lost(err)
		switch {
		case err != nil && faster == nil:
			return out, err
		case o.DryRun, err == nil && len(p.behind) == 0:
			if !o.DryRun {
				remote.Track(w.Repo, o.Remote, receipt.Moved...)
				p.tidy(ctx)
			}
			return out, nil
		case attempt == maxAttempts:
			return out, p.outrun(ctx, faster)
		}
		if err := hub.Pause(ctx, attempt+1); err != nil {
			return out, err
		}
		pulled, err := Pull(ctx, w, o.Remote, false)
		switch {
		case errors.Is(err, ErrDiverged) && diverged == nil:
			diverged = err
		case err != nil:
			return out, err
		default:
			out.Pulled, untaken = append(out.Pulled, pulled), pulled.Untaken
		}
	}
}

// lost returns err if another clone won the race, nil for any other error.
func lost(err error) error {
	var stale *gitstore.ErrStale
	var declined *remote.ErrDeclined
	if errors.As(err, &stale) || errors.As(err, &declined) && declined.Busy() {
		return err
	}
	return nil
}

// outrun adds the winner of the last race, if a journal names it.
func (p *pushing) outrun(ctx context.Context, cause error) error {
	err := fmt.Errorf("push to %s: %w %d times", p.o.Remote, ErrOutrun, maxAttempts+1)
	if cause != nil {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	var stale *gitstore.ErrStale
	if !errors.As(cause, &stale) || remote.Fetch(ctx, p.w.Repo, p.o.Remote) != nil {
		return err
	}
	last, lerr := p.w.Repo.Commit(stale.Got)
	if events, rerr := journal.ReadAt(p.w.Repo, stale.Got); rerr == nil && len(events) > 0 {
		e := events[len(events)-1]
		return fmt.Errorf("%w; last by %s (%s)", err, e.By, e.Kind)
	}
	if lerr != nil {
		return err
	}
	return fmt.Errorf("%w; last by %s (%s)", err, last.Author.Name, last.Subject())
}

// tidy deletes the remote's branches of ended proposals. A failure leaves only clutter,
// so errors are ignored.
func (p *pushing) tidy(ctx context.Context) {
	if len(p.ended) == 0 {
		return
	}
	_, _ = remote.Push(ctx, p.w.Repo, p.o.Remote, remote.PushOptions{}, func(there map[string]tree.Hash) ([]remote.Move, error) {
		var moves []remote.Move
		for _, m := range p.ended {
			if there[m.Ref] == m.Old {
				moves = append(moves, m)
			}
		}
		return moves, nil
	})
}
