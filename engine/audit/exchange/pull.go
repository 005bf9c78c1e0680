package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// ErrDiverged reports that the local and the remote main have diverged: merges happened on
// both sides.
var ErrDiverged = errors.New("the local main and the remote main have diverged")

// ErrMovedBack reports that the remote's main does not descend from its last known tip.
var ErrMovedBack = errors.New("the remote main was rolled back or rewritten")

// Pulled is the result of a pull.
type Pulled struct {
	Remote string
	// Main is the move of main; New equals Old if it did not move. Ahead reports that the
	// local main has commits that the remote lacks. Held is the reason why main did not
	// move although the remote's did: the state in force there cannot be determined.
	Main  gitstore.RefUpdate
	Ahead bool
	Held  error
	// Proposals are those that changed here, or failed to.
	Proposals []Proposal
	// Runs are those that changed here, or failed to.
	Runs []Run
	// Lines are the folded journals that were fast-forwarded. Beside are diverged ones,
	// kept beside ours under another name.
	Lines, Beside []string
	// Stops are the ids of imported stop records.
	Stops []string
	// Trials are the writers whose journals of trials were updated.
	Trials []string
	// Problems are records of the remote that are invalid or cannot be imported. Untaken
	// are their refs there.
	Problems []error
	Untaken  []string
	// Worktree is the result for checkouts; WorktreeErr the reason why one could not
	// follow.
	Worktree    gitstore.Refresh
	WorktreeErr error
}

// Proposal is the effect of a pull on one proposal.
type Proposal struct {
	ID string
	local.Joined
}

// Run is the effect of a pull on one run of a workflow.
type Run struct {
	ID string
	runlog.Joined
}

// Pull fetches from a remote and updates main, the journals and the branches of
// proposals. A main that cannot be fast-forwarded stops everything before any ref moves:
// ErrDiverged, ErrMovedBack, or attest.ErrRollback.
//
// Journals and branches move before main, so that main never shows a merge without its
// evidence. The next pull completes an interrupted one.
//
// The invariant: main moves only to a commit that was judged here with the imported
// evidence and whose walk ends without an error. Otherwise it stays, Held has the reason,
// and everything else continues. Files outside the governed folders decide nothing, so they
// hold nothing up: a checkout that cannot follow them stays, and WorktreeErr has the reason.
func Pull(ctx context.Context, w *workspace.Workspace, from string, dryRun bool) (Pulled, error) {
	p := pulling{w: w, forge: w.Record, dryRun: dryRun, out: Pulled{Remote: from}, parts: openParts(w.Repo.CommonDir(), from)}
	var partly *remote.Partly
	end := alive(w.Say, "fetching from "+from)
	err := remote.Fetch(ctx, w.Repo, from)
	end()
	if errors.As(err, &partly) {
		p.leave(partly, partly.Refs...)
	} else if err != nil {
		return Pulled{}, fmt.Errorf("fetch from %s: %w", from, err)
	}
	defer alive(w.Say, "reading what came from "+from)()
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return p.hold(ctx, p.examineMain(ctx)) }, p.observe, p.proposals, p.artifacts, p.runs, p.lines, p.judgeMain, p.main, p.stops, p.trials,
	} {
		if err := step(ctx); err != nil {
			return p.out, err
		}
	}
	if !dryRun {
		p.parts.save()
	}
	return p.out, nil
}

// leave records why refs of the remote are not imported.
func (p *pulling) leave(why error, refs ...string) {
	p.out.Problems, p.out.Untaken = append(p.out.Problems, why), append(p.out.Untaken, refs...)
}

// pulling is the state of one pull.
type pulling struct {
	w      *workspace.Workspace
	forge  *local.Forge
	dryRun bool
	// there and here are refs by name, checkedOut the branches of worktrees.
	there, here map[string]tree.Hash
	checkedOut  map[string]bool
	dangling    map[string]bool // refs here whose objects are missing
	parts       *parts
	out         Pulled
}

// examineMain determines whether and where main moves. The invariant: a main once seen on a remote
// bounds it until it is restored, so no later pull, and none that gives up merges, passes it.
func (p *pulling) examineMain(ctx context.Context) error {
	here, err := refOrZero(p.w.Repo, attest.MainRef)
	if err != nil {
		return err
	}
	there, err := p.w.Repo.Ref(remote.Tracking(p.out.Remote, attest.MainRef))
	if err != nil {
		return err
	}
	p.out.Main = gitstore.RefUpdate{Name: attest.MainRef, Old: here, New: here, Reflog: "assent: pull from " + p.out.Remote}
	if bound, err := remote.Bound(p.w.Repo, p.out.Remote); err != nil {
		return err
	} else if !bound.IsZero() {
		return fmt.Errorf("%w: main of %s was at %s and is now at %s, which does not descend from it",
			ErrMovedBack, p.out.Remote, bound.Short(), there.Short())
	}
	if here == there {
		return nil
	}
	forward := here.IsZero()
	if !forward {
		if forward, err = p.w.Repo.IsAncestor(here, there); err != nil {
			return err
		}
	}
	if forward {
		p.out.Main.New = there
		return p.w.Admits(ctx, there)
	}
	if p.out.Ahead, err = p.w.Repo.IsAncestor(there, here); err != nil || p.out.Ahead {
		return err
	}
	return fmt.Errorf("%w: main is at %s here and at %s on %s", ErrDiverged, here.Short(), there.Short(), p.out.Remote)
}

// hold keeps main in place if the remote's is unreadable. Content written there must not
// prevent journals and branches from arriving; but a main that was rolled back or
// diverged stops everything.
func (p *pulling) hold(ctx context.Context, err error) error {
	stops := err == nil || ctx.Err() != nil || !Unreadable(err)
	if stops {
		return err
	}
	p.holdMain(err)
	return nil
}

// holdMain keeps main in place. A push that pulled does not pull it again.
func (p *pulling) holdMain(why error) {
	p.out.Main.New, p.out.Held = p.out.Main.Old, fmt.Errorf("main of %s cannot be judged: %w", p.out.Remote, why)
	//defence:an-unreadable-main-stops-no-push
	p.out.Untaken = append(p.out.Untaken, attest.MainRef)
}

// Unreadable reports whether an error is about stored objects, as opposed to a failure of
// this machine.
func Unreadable(err error) bool {
	var damaged *forge.Damaged
	return gitstore.IsContent(err) || errors.Is(err, attest.ErrNoGenesis) || errors.As(err, &damaged)
}

// judgeMain judges the remote's main before main moves there.
func (p *pulling) judgeMain(ctx context.Context) error {
	if p.out.Main.New == p.out.Main.Old || p.dryRun {
		return nil
	}
	//defence:pull-judges-before-main-moves
	if err := p.w.Judges(ctx, p.out.Main.New); err != nil {
		if errors.Is(err, attest.ErrReplaced) || errors.Is(err, attest.ErrRollback) || ctx.Err() != nil {
			return err
		}
		p.holdMain(err)
	}
	return nil
}

// observe lists the refs of both sides.
func (p *pulling) observe(context.Context) error {
	prefix := remote.Tracking(p.out.Remote, "refs/")
	p.there, p.here, p.checkedOut = map[string]tree.Hash{}, map[string]tree.Hash{}, map[string]bool{}
	there, err := p.w.Repo.Refs(prefix)
	if err != nil {
		return err
	}
	for _, ref := range there {
		name := "refs/" + strings.TrimPrefix(ref.Name, prefix)
		//defence:foreign-refs-stay-on-the-hub
		if strings.HasPrefix(name, workspace.RecordPrefix) && !workspace.Shared(name) {
			continue
		}
		p.there[name] = ref.Hash
	}
	if err := p.leaveDangling(); err != nil {
		return err
	}
	for _, below := range []string{workspace.RecordPrefix, "refs/heads/" + forge.BranchPrefix} {
		here, err := p.w.Repo.Refs(below)
		if err != nil {
			return err
		}
		for _, ref := range here {
			if !p.dangling[ref.Name] {
				p.here[ref.Name] = ref.Hash
			}
		}
	}
	trees, err := p.w.Repo.Worktrees()
	for _, t := range trees {
		p.checkedOut[t.Head.Branch] = true // "" if no branch is checked out
	}
	return err
}

// leaveDangling names the refs here whose objects are missing, and leaves them and the proposals
// that they belong to as they are.
func (p *pulling) leaveDangling() error {
	refs, err := gitstore.Dangling(p.w.Repo, "refs/")
	p.dangling = map[string]bool{}
	for _, ref := range refs {
		p.dangling[ref.Name] = true
		p.leave(fmt.Errorf("the ref %s here names %s, which is missing; assent doctor --fix says what to do", ref.Name, ref.Hash.Short()), ref.Name)
		delete(p.there, ref.Name)
	}
	return err
}

// unlike returns the ids of journals below prefix that differ between both sides.
func (p *pulling) unlike(prefix string) map[string]bool {
	ids := map[string]bool{}
	for _, name := range p.differing(prefix) {
		ids[strings.TrimPrefix(name, prefix)] = true
	}
	for name := range p.here { // the remote may have folded journals that have a ref here
		if id, ok := strings.CutPrefix(name, prefix); ok && p.there[name].IsZero() {
			ids[id] = true
		}
	}
	return ids
}

// differing returns the remote's refs below prefix that differ from ours, sorted.
func (p *pulling) differing(prefix string) []string {
	var names []string
	for name, h := range p.there {
		if strings.HasPrefix(name, prefix) && p.here[name] != h {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// main moves main and updates checkouts.
func (p *pulling) main(context.Context) error {
	if p.out.Main.New == p.out.Main.Old || p.dryRun {
		return nil
	}
	if err := p.w.Repo.Update(p.out.Main); err != nil {
		return err
	}
	p.follow(p.out.Main)
	//defence:checkouts-hold-up-nothing
	return nil
}

// follow updates the checkouts of a branch that moved.
func (p *pulling) follow(moved gitstore.RefUpdate) {
	r, err := p.w.Repo.RefreshWorktree(moved.Old, moved.New)
	p.out.Worktree.Worktrees = append(p.out.Worktree.Worktrees, r.Worktrees...)
	p.out.Worktree.Updated += r.Updated
	p.out.Worktree.Kept = append(p.out.Worktree.Kept, r.Kept...)
	p.out.WorktreeErr = errors.Join(p.out.WorktreeErr, err)
}

func refOrZero(repo *gitstore.Repo, name string) (tree.Hash, error) {
	h, err := repo.Ref(name)
	if errors.Is(err, gitstore.ErrNoRef) {
		return tree.Hash{}, nil
	}
	return h, err
}

func sortedKeys(set map[string]bool) []string {
	var out []string
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
