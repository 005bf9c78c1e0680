package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Partly reports refs of a remote that could not be fetched; all others were. A writer of refs
// there can create one with a missing or broken object, for which git refuses the whole fetch.
type Partly struct {
	Remote string
	// Refs lists the remote's refs that were not fetched; Err is git's error for the first.
	Refs []string
	Err  error
}

// Error names the refs and the remedy. The command contains the remote's address, because with
// a remote's name git would also delete the local ref, which is the journal itself.
func (e *Partly) Error() string {
	shown := e.Refs[:min(len(e.Refs), 5)]
	return fmt.Sprintf("%d refs of %s cannot be fetched (%s): %v; restore each there from a clone that has it, or delete it with `git push \"$(git remote get-url %s)\" :REF` and push again",
		len(e.Refs), e.Remote, strings.Join(shown, ", "), e.Err, names.ShellWord(e.Remote))
}

// maxBroken bounds the broken refs that are identified, each by several fetches.
const maxBroken = 32

// fetchPartly fetches what it can after fetching everything failed with cause: main, and then
// the refs below patterns in halves, until each failing ref is isolated. into returns the
// refspec of a ref. If main fails or the remote does not answer, it returns cause.
func fetchPartly(ctx context.Context, r *gitstore.Repo, name string, cause error, main string, patterns []string, into func(ref string) string) error {
	if main != "" && fetch(ctx, r, name, main) != nil {
		return cause
	}
	refs, err := listed(ctx, r, name, patterns...)
	if err != nil {
		return cause
	}
	h := bisection{repo: r, name: name, into: into}
	return h.run(ctx, refs) // nil if it was repaired meanwhile, or only main was new
}

// listed returns the refs of a remote that fit patterns.
func listed(ctx context.Context, r *gitstore.Repo, name string, patterns ...string) ([]string, error) {
	out, err := r.Git(ctx, "", append([]string{"ls-remote", "--refs", "--", name}, patterns...)...)
	if err != nil {
		return nil, withReason(ctx, err)
	}
	var refs []string
	for line := range strings.Lines(out) {
		_, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if gitstore.CheckRefName(ref) == nil {
			refs = append(refs, ref)
		}
	}
	return refs, nil
}

// bisection fetches refs by bisection and collects those that fail.
type bisection struct {
	repo   *gitstore.Repo
	name   string
	into   func(string) string
	broken []string
	why    error
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
	slices.Sort(h.broken)
	return &Partly{Remote: h.name, Refs: h.broken, Err: h.why}
}

func (h *bisection) fetch(ctx context.Context, refs []string) {
	if len(refs) == 0 || ctx.Err() != nil || h.gone != nil {
		return
	}
	if len(h.broken) >= maxBroken {
		h.broken = append(h.broken, refs...)
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
		if h.why == nil {
			h.why = err
		}
		return
	}
	h.fetch(ctx, refs[:len(refs)/2])
	h.fetch(ctx, refs[len(refs)/2:])
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
	taken := slices.DeleteFunc(slices.Clone(refs), func(ref string) bool { return !takes(ref) })
	if len(taken) == len(refs) { // a pattern costs less than many names
		err := fetch(ctx, r, name, "refs/assent/*:refs/assent/*")
		if err == nil || ctx.Err() != nil || unreachable(err) {
			return err
		}
	}
	h := bisection{repo: r, name: name, into: func(ref string) string { return ref + ":" + ref }}
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
	err := fetch(ctx, r, name, into(branches+"*"), into(tags+"*"))
	if err == nil || ctx.Err() != nil || unreachable(err) {
		return err
	}
	return fetchPartly(ctx, r, name, err, "", []string{branches + "*", tags + "*"}, into)
}
