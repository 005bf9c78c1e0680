package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Partly reports refs of a remote that could not be fetched; all others were. A writer of refs
// there can create one with a missing or broken object, for which git refuses the whole fetch.
type Partly struct {
	Remote string
	// Refs lists the remote's refs that were not fetched; Err is git's error for the first.
	Refs []string
	Err  error
	// Untried are the refs among Refs that were not tried after many others failed, or that failed because of this machine.
	Untried []string
}

// Damaged returns the refs that failed because of what they are on the remote. The invariant: no repair
// there follows from anything else.
func (e *Partly) Damaged() []string {
	damaged := slices.Clone(e.Refs)
	//defence:untried-refs-are-not-repaired
	damaged = slices.DeleteFunc(damaged, func(ref string) bool { return slices.Contains(e.Untried, ref) })
	return damaged
}

// Error names the refs and the remedy. The command contains the remote's address, because with
// a remote's name git would also delete the local ref, which is the journal itself.
func (e *Partly) Error() string {
	shown := e.Refs[:min(len(e.Refs), 5)]
	if len(e.Untried) == len(e.Refs) {
		return fmt.Sprintf("%d refs of %s were not fetched (%s), for a reason of this machine: %v", len(e.Refs), e.Remote, strings.Join(shown, ", "), e.Err)
	}
	return fmt.Sprintf("%d refs of %s cannot be fetched (%s): %v; assent doctor --fix --remote=%s tries at once and restores records that are here; or delete each with `git push \"$(git remote get-url %[5]s)\" :REF`, and push it again from a clone that has it",
		len(e.Refs), e.Remote, strings.Join(shown, ", "), e.Err, names.ShellWord(e.Remote))
}

// maxBroken bounds the broken refs that are identified, each by several fetches.
const maxBroken = 32

// parts is the number of parts that a failing set of refs is divided into. A failure may take minutes, the rest is
// quick.
const parts = 8

// fetching is a fetch of the refs of a remote below patterns, and of main unless it is empty.
type fetching struct {
	repo       *gitstore.Repo
	name, main string
	patterns   []string
	// into returns the refspec of a ref or pattern; nil stands for the tracking refs.
	into func(ref string) string
}

// run fetches everything at once, with more refspecs, and what can be fetched if that fails.
func (f fetching) run(ctx context.Context, specs ...string) error {
	began := time.Now()
	if f.into == nil {
		f.into = func(ref string) string { return trackingRefspec(f.name, ref) }
	}
	if _, err := addressOf(ctx, f.repo, f.name); err != nil {
		return err
	}
	left, err := resting(ctx, f.repo, f.name, f.patterns)
	if err != nil {
		return err
	}
	for _, p := range f.patterns {
		specs = append(specs, f.into(p))
	}
	var without strings.Builder
	for _, ref := range left.Refs {
		fmt.Fprintf(&without, "^%s\n", ref)
	}
	err = fetch(ctx, f.repo, f.name, without.String(), specs...)
	//defence:broken-refs-stay-behind
	if err != nil && !unreachable(err) {
		err = f.partly(ctx, err, left.Refs, began)
	}
	return left.add(err)
}

// partly fetches what it can after fetching everything failed with cause: main, and then the refs
// that are not here yet in ever smaller parts, until each failing ref is isolated. If main fails or the
// remote does not answer, it returns cause.
func (f fetching) partly(ctx context.Context, cause error, without []string, began time.Time) error {
	var exit *exec.ExitError
	if !errors.As(cause, &exit) || ctx.Err() != nil || f.main != "" && fetch(ctx, f.repo, f.name, "", f.main) != nil {
		return cause
	}
	there, err := listed(ctx, f.repo, f.name, f.patterns...)
	if err != nil {
		return cause
	}
	h := bisection{repo: f.repo, name: f.name, into: f.into, there: there, began: began}
	return h.run(ctx, slices.DeleteFunc(slices.Sorted(maps.Keys(there)), func(ref string) bool {
		return slices.Contains(without, ref) || f.has(ref, there[ref])
	})) // nil if it was repaired meanwhile, or only main was new
}

// has reports whether an earlier fetch brought a ref.
func (f fetching) has(ref string, at tree.Hash) bool {
	_, to, _ := strings.Cut(f.into(ref), ":")
	here, err := f.repo.Ref(to)
	if err != nil || here != at {
		return false
	}
	_, err = f.repo.Commit(at)
	return err == nil
}

// listed returns the refs of a remote that fit patterns.
func listed(ctx context.Context, r *gitstore.Repo, name string, patterns ...string) (map[string]tree.Hash, error) {
	out, err := r.Git(ctx, "", append([]string{"ls-remote", "--refs", "--", name}, patterns...)...)
	if err != nil {
		return nil, withReason(ctx, err)
	}
	refs := map[string]tree.Hash{}
	for line := range strings.Lines(out) {
		at, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if h, err := tree.ParseHash(at); err == nil && gitstore.CheckRefName(ref) == nil {
			refs[ref] = h
		}
	}
	return refs, nil
}

// bisection fetches refs in ever smaller parts and collects those that fail.
type bisection struct {
	repo   *gitstore.Repo
	name   string
	into   func(string) string
	there  map[string]tree.Hash
	began  time.Time
	broken []string
	// untried are the refs among broken that are not known to be damaged.
	untried []string
	alone   []string // the broken refs that were found to fail alone, for no reason of this machine
	why     error
	// gone is the error of a remote that does not answer any more.
	gone error
}

// run fetches refs, and returns *Partly for those that fail.
func (h *bisection) run(ctx context.Context, refs []string) error {
	h.fetch(ctx, refs)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case h.gone != nil:
		return h.gone
	case len(h.broken) == 0:
		return nil
	}
	remember(ctx, h.repo, h.name, h.there, h.alone, h.why, time.Since(h.began))
	slices.Sort(h.broken)
	return &Partly{Remote: h.name, Refs: h.broken, Untried: h.untried, Err: h.why}
}

func (h *bisection) fetch(ctx context.Context, refs []string) {
	if len(refs) == 0 || ctx.Err() != nil || h.gone != nil {
		return
	}
	if len(h.broken) >= maxBroken {
		h.broken, h.untried = append(h.broken, refs...), append(h.untried, refs...)
		return
	}
	specs := make([]string, len(refs))
	for i, ref := range refs {
		specs[i] = h.into(ref)
	}
	err := fetchListed(ctx, h.repo, h.name, specs)
	if err == nil {
		return
	}
	if unreachable(err) {
		h.gone = err
		return
	}
	if len(refs) == 1 {
		h.broken = append(h.broken, refs[0])
		if local(err) {
			h.untried = append(h.untried, refs[0])
		} else {
			h.alone = append(h.alone, refs[0])
		}
		if h.why == nil {
			h.why = err
		}
		return
	}
	for part := range slices.Chunk(refs, (len(refs)+parts-1)/parts) {
		h.fetch(ctx, part)
	}
}

// fetchListed is fetch for many explicitly named refs.
func fetchListed(ctx context.Context, r *gitstore.Repo, name string, refspecs []string) error {
	return gitFetch(ctx, r, strings.Join(refspecs, "\n")+"\n",
		"fetch", "--quiet", "--refmap=", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--stdin", "--", name)
}

// FetchJournals fetches the journals of a remote whose refs the caller takes to refs of the same
// names, in a clone without journals. It returns *Partly for refs that cannot be fetched.
func FetchJournals(ctx context.Context, r *gitstore.Repo, name string, takes func(ref string) bool) error {
	refs, err := listed(ctx, r, name, "refs/assent/*")
	if err != nil {
		return err
	}
	began := time.Now()
	taken := slices.DeleteFunc(slices.Sorted(maps.Keys(refs)), func(ref string) bool { return !takes(ref) })
	if len(taken) == len(refs) { // a pattern costs less than many names
		err := fetch(ctx, r, name, "", "refs/assent/*:refs/assent/*")
		if err == nil || ctx.Err() != nil || unreachable(err) {
			return err
		}
	}
	h := bisection{repo: r, name: name, into: func(ref string) string { return ref + ":" + ref }, there: refs, began: began}
	return h.run(ctx, taken)
}

// FetchBranches fetches the branches of a remote to git's tracking refs, and its tags. It returns
// *Partly for refs that cannot be fetched.
func FetchBranches(ctx context.Context, r *gitstore.Repo, name string) error {
	const branches, tags = "refs/heads/", "refs/tags/"
	into := func(ref string) string {
		if branch, is := strings.CutPrefix(ref, branches); is {
			return ref + ":refs/remotes/" + name + "/" + branch
		}
		return ref + ":" + ref
	}
	return fetching{repo: r, name: name, patterns: []string{branches + "*", tags + "*"}, into: into}.run(ctx)
}
