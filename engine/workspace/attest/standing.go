package attest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// MainRef is the branch whose history is the record.
const MainRef = "refs/heads/main"

// GenesisTrailer marks the commit with which a workspace begins.
const GenesisTrailer = "Assent-Genesis"

// ReanchorTrailer marks a commit that gives a workspace a new key (workspace.Reanchor) and
// names the workspace; ReasonTrailer says why.
const (
	ReanchorTrailer = "Assent-Reanchor"
	ReasonTrailer   = "Assent-Reason"
)

// ProposalTrailer names, for people, the proposal that a merge belongs to. It is
// a hint where to look for the attestation, never evidence.
const ProposalTrailer = "Assent-Proposal"

// maxNamed is longer than any id of a proposal, in bytes.
const maxNamed = 200

// ProposalNamed returns the value of a commit's ProposalTrailer; "" without one. It cuts a value
// longer than maxNamed, because refusals repeat it and are kept in memory.
func ProposalNamed(c gitstore.Commit) string {
	id := c.Trailer(ProposalTrailer)
	//defence:named-proposals-are-short
	if len(id) > maxNamed {
		id = id[:maxNamed] + "…"
	}
	return strings.Clone(id)
}

// The errors of a repository without a standing.
var (
	ErrNoMain    = errors.New("the repository has no branch main")
	ErrNoGenesis = errors.New("the repository is not an assent workspace: main has no genesis commit")
	ErrReplaced  = errors.New("main has the history of another workspace than before")
	ErrRollback  = errors.New("main lacks the commit last seen in force: either this clone is behind, or main was rolled back")
)

// Standing is the commit in force, and the commits after it that are blocked.
type Standing struct {
	// Genesis is the workspace's first commit and its id.
	Genesis tree.Hash
	// Main is the tip of main, InForce the commit whose governed folders loaders
	// read. They are equal while nothing is blocked.
	Main, InForce tree.Hash
	// Judged is the newest commit up to InForce that the judge accepted, or the genesis; zero if
	// that was not recorded. Commits that change nothing can be added and dated by anybody, so
	// only this one's date proves anything.
	Judged tree.Hash
	// Blocked lists the commits past InForce that change governed folders without
	// an attested merge, oldest first.
	Blocked []Unattested
}

// Break returns the oldest break on main that no merge resolved; nil if there is none.
//
// A merge that a listed key announced is refused only if its record was damaged or forged, or if
// the key's owner announced a merge that the gate refused. If a revert of it were transparent,
// damaging the record of a merge and reverting it would bring older policies back without any key.
// So nothing after a break is in force until a merge passes that was judged as one that resolves a
// break.
func (st Standing) Break() *Unattested {
	for i, b := range st.Blocked {
		if b.Break {
			return &st.Blocked[i]
		}
	}
	return nil
}

// Halt returns the oldest commit at which a reader without memory stops: a break, or a re-anchor
// that this user did not accept. Unlike a break, a reverted re-anchor leaves no trace, since it
// was never in force here.
func (st Standing) Halt() *Unattested {
	for i, b := range st.Blocked {
		if b.Break || b.Reanchor != "" {
			return &st.Blocked[i]
		}
	}
	return nil
}

// Seen is the state last known to be in force, kept outside the repository. The zero value is
// always valid: nothing is known.
type Seen struct {
	Genesis, InForce tree.Hash
	// Judged is as in Standing.
	Judged tree.Hash
}

// Judge decides whether commit is in force after before.InForce. A nil error means yes; a Refusal
// says why not; any other error is a failure to decide. An error about content is a Refusal, since
// only the judge knows whether a listed key vouches for the commit.
type Judge func(ctx context.Context, before Standing, commit gitstore.Commit) error

// Judges are the decisions that Observe asks for. Each returns nil, a Refusal, or a failure to
// find out.
type Judges struct {
	// Merge is asked about each commit that changes the state in force.
	Merge Judge
	// Sides is asked about each merge commit, with the standing after it. It refuses a commit
	// whose other parents lead to a merge that was announced and bypasses it. Nil asks nothing.
	Sides Judge
}

// Observe walks main's first-parent line from the commit last seen, or from genesis, and returns
// the commit in force.
//
// A commit is in force if its governed folders equal those in force (other work, or a revert of an
// unattested commit), or if judges.Merge accepts it. After an unresolved break only the latter counts.
//
// The invariant against a main that starts again from an old commit: every merge that a
// listed key announced and that main reaches is on its first-parent line, or main has its
// proposal by another merge. A commit that reaches another one is a break (Judges.Sides).
func Observe(ctx context.Context, repo *gitstore.Repo, seen Seen, judges Judges) (Standing, error) {
	tip, err := repo.Ref(MainRef)
	if errors.Is(err, gitstore.ErrNoRef) {
		return Standing{}, ErrNoMain
	}
	if err != nil {
		return Standing{}, fmt.Errorf("read %s: %w", MainRef, err)
	}
	return ObserveAt(ctx, repo, tip, seen, judges)
}

// ObserveAt is Observe for a main at tip, present, past or future.
func ObserveAt(ctx context.Context, repo *gitstore.Repo, tip tree.Hash, seen Seen, judges Judges) (Standing, error) {
	st := Standing{Genesis: seen.Genesis, Main: tip, InForce: seen.InForce, Judged: seen.Judged}
	if tip == seen.InForce {
		return st, nil
	}
	line, err := st.line(ctx, repo)
	//defence:memory-outlives-an-unreadable-main
	if gitstore.IsBadObject(err) && !st.InForce.IsZero() {
		st.blockUnread(gitstore.Commit{Hash: tip}, err)
		return st, nil
	}
	if err != nil {
		return Standing{}, err
	}
	var sizes tree.Sizes
	for _, h := range line {
		if err := ctx.Err(); err != nil {
			return Standing{}, err
		}
		c, err := repo.Passable(h)
		if err != nil {
			return Standing{}, err
		}
		if err := st.step(ctx, look{repo, &sizes}, c, judges); err != nil {
			return Standing{}, err
		}
	}
	return st, nil
}

// line returns the commits to judge, oldest first, and settles where to begin.
func (st *Standing) line(ctx context.Context, repo *gitstore.Repo) ([]tree.Hash, error) {
	var commits []tree.Hash
	genesis, judged, met := -1, -1, false
	err := repo.Lineage(st.Main, func(c gitstore.Commit) (bool, error) {
		if c.Hash == st.InForce {
			met = true
			return false, nil
		}
		commits = append(commits, c.Hash)
		if c.Trailer(GenesisTrailer) != "" {
			genesis = len(commits) - 1
		}
		if c.Hash == st.Judged {
			judged = len(commits) - 1
		}
		return true, ctx.Err()
	})
	if gitstore.IsBadObject(err) {
		return nil, fmt.Errorf("main cannot be followed to its beginning: %w; move main back to the last commit that can be read, or have a clone that knows it push it", err)
	}
	if err != nil {
		return nil, fmt.Errorf("walk main: %w", err)
	}
	beside := false
	if !met && !st.InForce.IsZero() {
		beside, err = repo.IsAncestor(st.InForce, st.Main)
		if err != nil && !gitstore.IsContent(err) {
			return nil, fmt.Errorf("walk main: %w", err)
		}
	}
	//defence:seen-merges-stay-on-main
	if judged < 0 {
		beside = false
	}
	switch {
	case met:
	case beside: // main has all that was seen; only commits that change nothing in force left its line
		commits, st.InForce = commits[:max(judged, 0)], st.Judged
	//defence:rollback-noticed
	case !st.InForce.IsZero():
		return nil, fmt.Errorf("%w: %s was in force, main is now %s", ErrRollback, st.InForce.Short(), st.Main.Short())
	case genesis < 0:
		return nil, ErrNoGenesis
	default:
		st.Genesis = commits[genesis]
		st.InForce, st.Judged = st.Genesis, st.Genesis
		commits = commits[:genesis]
	}
	slices.Reverse(commits)
	return commits, nil
}

// step adds one commit of main.
func (st *Standing) step(ctx context.Context, l look, c gitstore.Commit, judges Judges) error {
	before := *st
	if err := st.take(ctx, l, c, judges.Merge); err != nil || judges.Sides == nil || len(c.Parents) < 2 {
		return err
	}
	why := judges.Sides(ctx, *st, c)
	if why == nil {
		return nil
	}
	if !IsRefusal(why) {
		return fmt.Errorf("read what %s merges: %w", c.Hash.Short(), why)
	}
	own, err := l.own(c)
	if err != nil && !gitstore.IsContent(err) {
		return err
	}
	*st = before
	st.block(c, own, why)
	return nil
}

// take judges one commit against the state in force before it.
func (st *Standing) take(ctx context.Context, l look, c gitstore.Commit, judge Judge) error {
	changed, err := l.governed(1, st.InForce, c.Hash)
	//defence:a-vast-commit-is-blocked
	if errors.Is(err, tree.ErrTooLarge) {
		st.blockUnread(c, err)
		return nil
	}
	//defence:an-unreadable-tree-is-blocked
	if gitstore.IsBadObject(err) {
		st.blockUnread(c, err)
		return nil
	}
	if err != nil {
		return err
	}
	if len(changed) == 0 {
		return st.unchanged(l, c)
	}
	why := judge(ctx, *st, c)
	if why == nil {
		st.InForce, st.Judged, st.Blocked = c.Hash, c.Hash, nil
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var refusal *Refusal
	if !errors.As(why, &refusal) {
		return fmt.Errorf("judge %s: %w", c.Hash.Short(), why)
	}
	own, err := l.own(c)
	if err != nil && !gitstore.IsContent(err) {
		return err
	}
	if len(own) > 0 || err != nil || refusal.Break || ProposalNamed(c) != "" {
		st.block(c, own, why)
	}
	return nil
}

// blockUnread blocks a commit that git's own commands may be unable to revert, too.
func (st *Standing) blockUnread(c gitstore.Commit, why error) {
	st.block(c, nil, fmt.Errorf("it cannot be read: %w", why))
	st.Blocked[len(st.Blocked)-1].Back = st.InForce
}

// unchanged accepts a commit whose governed folders are those in force.
func (st *Standing) unchanged(l look, c gitstore.Commit) error {
	broken := st.Break()
	//defence:a-break-is-not-taken-back
	if broken != nil {
		own, err := l.own(c)
		if err == nil && len(own) > 0 {
			st.block(c, own, Refuse("it takes back %s, which a listed key announced: that needs a merge of its own", broken.Commit.Short()))
		}
		return err
	}
	st.InForce, st.Blocked = c.Hash, nil
	return nil
}

func (st *Standing) block(c gitstore.Commit, paths []string, why error) {
	u := Unattested{
		Commit: c.Hash, Subject: c.Subject(), Author: c.Author.Name + " <" + c.Author.Email + ">", Paths: paths, Why: why.Error(), Restore: restore(why), Merge: len(c.Parents) > 1,
	}
	var refusal *Refusal
	if errors.As(why, &refusal) {
		u.Break, u.Proposal, u.AnnouncedBy, u.Reanchor, u.Bypassed = refusal.Break, refusal.Proposal, refusal.AnnouncedBy, refusal.Reanchor, refusal.Bypassed
		u.ToResolve = u.WaysOut()
	}
	st.Blocked = append(st.Blocked, u)
}

// look compares the commits of one walk. The invariant: it looks at each pair of folders once, and keeps
// only the first paths of a commit, however many its trees stand for.
type look struct {
	repo  *gitstore.Repo
	sizes *tree.Sizes
}

// mostPaths and pathBytes bound what is kept of the paths of a commit. Anyone who can push makes many such commits.
const mostPaths, pathBytes = 100, 8 << 10

// OwnPaths returns the first governed paths that a commit itself changed.
func OwnPaths(repo *gitstore.Repo, c gitstore.Commit) ([]string, error) {
	return look{repo, nil}.own(c)
}

func (l look) own(c gitstore.Commit) ([]string, error) {
	var parent tree.Hash
	if len(c.Parents) > 0 {
		parent = c.Parents[0]
	}
	changes, err := l.governed(mostPaths, parent, c.Hash)
	var paths []string
	left := pathBytes
	for _, ch := range changes {
		left -= len(ch.Path)
		//defence:paths-of-commits-are-bounded
		if len(paths) > 0 && left < 0 {
			break
		}
		paths = append(paths, strings.Clone(ch.Path))
	}
	return paths, err
}

// Governed returns the difference between two commits below the governed folders.
func Governed(repo *gitstore.Repo, from, to tree.Hash) ([]tree.Change, error) {
	return look{repo, nil}.governed(math.MaxInt, from, to)
}

// governed is Governed for the first changes.
func (l look) governed(most int, from, to tree.Hash) ([]tree.Change, error) {
	a, err := l.repo.Snapshot(from)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", from.Short(), err)
	}
	b, err := l.repo.Snapshot(to)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", to.Short(), err)
	}
	var dirs []string
	for _, area := range names.GovernedAreas() {
		dirs = append(dirs, string(area))
	}
	changes, err := tree.DiffFirst(l.sizes, most, a, b, dirs...)
	if err != nil {
		return nil, fmt.Errorf("compare %s with %s: %w", from.Short(), to.Short(), err)
	}
	return changes, nil
}
