package attest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/names"
	"github.com/assent-dev/assent/engine/tree"
)

// MainRef is the branch whose history is the record.
const MainRef = "refs/heads/main"

// GenesisTrailer marks the commit with which a workspace begins.
const GenesisTrailer = "Assent-Genesis"

// ProposalTrailer names, for people, the proposal that a merge belongs to. It is
// a hint where to look for the attestation, never evidence.
const ProposalTrailer = "Assent-Proposal"

// The reasons for which there is no standing.
var (
	ErrNoMain    = errors.New("the repository has no branch main")
	ErrNoGenesis = errors.New("the repository is not an assent workspace: main has no genesis commit")
	ErrReplaced  = errors.New("main is the history of another workspace than the one that was here")
	ErrRollback  = errors.New("main lacks what was seen in force before: either this clone is behind, or main was rolled back")
)

// Standing is what is in force, and what stands in its way.
type Standing struct {
	// Genesis is the workspace's first commit and its id.
	Genesis tree.Hash
	// Main is the tip of main, InForce the commit whose governed folders loaders
	// read. They are equal while nothing is blocked.
	Main, InForce tree.Hash
	// Blocked lists the commits past InForce that change governed folders without
	// an attested merge, oldest first.
	Blocked []Unattested
}

// Unattested is a commit that the gate never allowed.
type Unattested struct {
	Commit  tree.Hash `json:"commit"`
	Subject string    `json:"subject"`
	Author  string    `json:"author"`
	Paths   []string  `json:"paths"`
	// Why says what is missing or wrong.
	Why string `json:"why"`
	// Merge says that it is a merge commit.
	Merge bool `json:"-"`
}

// Revert is the command that takes it back: of a merge commit, Git wants to know which
// parent stays.
func (u Unattested) Revert() string {
	if u.Merge {
		return "git revert -m 1 " + u.Commit.Short()
	}
	return "git revert " + u.Commit.Short()
}

// Seen is what was last known to be in force, kept outside the repository. The
// zero value knows nothing and is always right.
type Seen struct {
	Genesis, InForce tree.Hash
}

// Judge decides whether commit deserves to be in force after before.InForce. A nil
// error means yes; a Refusal says why not; any other error is a failure to find out.
type Judge func(ctx context.Context, before Standing, commit gitstore.Commit) error

// Observe walks main's first-parent line from what was seen last (from genesis
// when nothing was) and returns what is in force.
//
// A commit is in force when its governed folders are those already in force, so
// other work and a revert of an unattested commit pass, or when judge accepts it.
func Observe(ctx context.Context, repo *gitstore.Repo, seen Seen, judge Judge) (Standing, error) {
	tip, err := repo.Ref(MainRef)
	if errors.Is(err, gitstore.ErrNoRef) {
		return Standing{}, ErrNoMain
	}
	if err != nil {
		return Standing{}, fmt.Errorf("read %s: %w", MainRef, err)
	}
	st := Standing{Genesis: seen.Genesis, Main: tip, InForce: seen.InForce}
	if tip == seen.InForce {
		return st, nil
	}
	line, err := st.line(ctx, repo)
	if err != nil {
		return Standing{}, err
	}
	for _, c := range line {
		if err := ctx.Err(); err != nil {
			return Standing{}, err
		}
		if err := st.step(ctx, repo, c, judge); err != nil {
			return Standing{}, err
		}
	}
	return st, nil
}

// line returns the commits to judge, oldest first, and settles where to begin.
func (st *Standing) line(ctx context.Context, repo *gitstore.Repo) ([]gitstore.Commit, error) {
	var commits []gitstore.Commit
	genesis, met := -1, false
	err := repo.FirstParents(st.Main, func(c gitstore.Commit) (bool, error) {
		if c.Hash == st.InForce {
			met = true
			return false, nil
		}
		commits = append(commits, c)
		if c.Trailer(GenesisTrailer) != "" {
			genesis = len(commits) - 1
		}
		return true, ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("walk main: %w", err)
	}
	switch {
	case met:
	//defence:rollback-noticed
	case !st.InForce.IsZero():
		return nil, fmt.Errorf("%w: %s was in force, main is now %s", ErrRollback, st.InForce.Short(), st.Main.Short())
	case genesis < 0:
		return nil, ErrNoGenesis
	default:
		st.Genesis = commits[genesis].Hash
		st.InForce = st.Genesis
		commits = commits[:genesis]
	}
	slices.Reverse(commits)
	return commits, nil
}

// step judges one commit against what is in force before it.
func (st *Standing) step(ctx context.Context, repo *gitstore.Repo, c gitstore.Commit, judge Judge) error {
	changed, err := Governed(repo, st.InForce, c.Hash)
	//defence:a-vast-commit-is-blocked
	if errors.Is(err, tree.ErrTooLarge) {
		st.block(c, nil, err)
		return nil
	}
	if err != nil {
		return err
	}
	if len(changed) == 0 {
		st.InForce, st.Blocked = c.Hash, nil
		return nil
	}
	why := judge(ctx, *st, c)
	if why == nil {
		st.InForce, st.Blocked = c.Hash, nil
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !IsRefusal(why) {
		return fmt.Errorf("judge %s: %w", c.Hash.Short(), why)
	}
	own, err := st.ownPaths(repo, c)
	if err != nil && !errors.Is(err, tree.ErrTooLarge) {
		return err
	}
	if len(own) > 0 || err != nil || c.Trailer(ProposalTrailer) != "" {
		st.block(c, own, why)
	}
	return nil
}

func (st *Standing) block(c gitstore.Commit, paths []string, why error) {
	st.Blocked = append(st.Blocked, Unattested{
		Commit: c.Hash, Subject: c.Subject(), Author: c.Author.Name + " <" + c.Author.Email + ">", Paths: paths, Why: why.Error(), Merge: len(c.Parents) > 1,
	})
}

// ownPaths are the governed paths that the commit itself changed.
func (st *Standing) ownPaths(repo *gitstore.Repo, c gitstore.Commit) ([]string, error) {
	var parent tree.Hash
	if len(c.Parents) > 0 {
		parent = c.Parents[0]
	}
	changes, err := Governed(repo, parent, c.Hash)
	var paths []string
	for _, ch := range changes {
		paths = append(paths, ch.Path)
	}
	return paths, err
}

// Governed returns the difference between two commits below the governed folders.
func Governed(repo *gitstore.Repo, from, to tree.Hash) ([]tree.Change, error) {
	a, err := repo.Snapshot(from)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", from.Short(), err)
	}
	b, err := repo.Snapshot(to)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", to.Short(), err)
	}
	var dirs []string
	for _, area := range names.GovernedAreas() {
		dirs = append(dirs, string(area))
	}
	changes, err := tree.Diff(a, b, dirs...)
	if err != nil {
		return nil, fmt.Errorf("compare %s with %s: %w", from.Short(), to.Short(), err)
	}
	return changes, nil
}

// Refusal is a reason why a commit is not in force, as opposed to a failure to
// find out.
type Refusal struct{ Reason string }

// Error returns the reason.
func (r *Refusal) Error() string { return r.Reason }

// Refuse makes a Refusal.
func Refuse(format string, args ...any) error { return &Refusal{Reason: fmt.Sprintf(format, args...)} }

// IsRefusal tells refusals from failures.
func IsRefusal(err error) bool {
	var r *Refusal
	return errors.As(err, &r)
}
