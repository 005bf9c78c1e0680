package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// crowd remembers which proposals are open, for one observation of a workspace:
// whoever examines all of them must not list all of them each time.
type crowd struct {
	mu   sync.Mutex
	open []forge.Pull
	read bool
}

func (c *crowd) list(ctx context.Context, f forge.Forge) ([]forge.Pull, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.read {
		return c.open, nil
	}
	open, err := f.List(ctx, forge.Filter{State: forge.Open})
	if _, err = forge.Damages(err); err != nil {
		return nil, fmt.Errorf("count open proposals: %w", err)
	}
	c.open, c.read = open, true
	return open, nil
}

// addFactsBeside fills in the facts that only a proposal has that could merge now, because they say
// what there is beside it at this moment: how much limits.yaml admits, and what was rejected.
// Whether a merge was right is judged without them.
func addFactsBeside(ctx context.Context, s Session, ex *Examined) error {
	if s.crowd == nil || ex.Case.Pull.State != forge.Open {
		return nil
	}
	var err error
	if ex.Case.OpenByAgent, err = rankOf(ctx, s, ex.Case); err != nil {
		return err
	}
	if ex.Case.Rejected, err = rejections(ctx, s, ex); err != nil {
		return err
	}
	adds := slices.ContainsFunc(ex.Report.Changes.Capabilities, func(c policy.Capability) bool { return c.Op == policy.Added })
	if adds && !ex.Result.Tree.IsZero() {
		if ex.Case.Synthesised, err = s.History().synthesised(ex.Result.Tree); err != nil {
			return err
		}
	}
	ex.Verdict, ex.Risk = gate.Judge(ex.Case)
	return nil
}

// rankOf is the 1-based rank of a pull request among the open proposals of its author. The limit keeps
// agents in a loop from burying reviewers. So people are not counted, whom an account shows
// or their signature under a review; and nothing is that a person approved: whoever can
// write refs can open journals in an agent's name, and must not hold up what people want.
func rankOf(ctx context.Context, s Session, c gate.Case) (int, error) {
	pull, facts := c.Pull, c.Facts()
	claimed, _ := s.Policies.Roles.ByName(pull.Author.Name)
	proven := []policy.Actor{facts.Proposer}
	for _, r := range facts.Reviews {
		if !r.Valid {
			continue
		}
		//defence:forged-journals-hold-nothing-up
		if id, ok := s.Policies.Roles.Proven(r.By); ok && s.Policies.Roles.Satisfies(id, policy.Human) && r.Decision == review.Approve && r.Effective == facts.Effective {
			return 0, nil
		}
		proven = append(proven, r.By)
	}
	//defence:claimed-people-are-counted
	for _, a := range proven {
		if id, ok := s.Policies.Roles.Proven(a); ok && id.Kind == policy.KindHuman && (id.Name == claimed.Name || a == facts.Proposer) {
			return 0, nil
		}
	}
	open, err := s.crowd.list(ctx, s.Forge)
	if err != nil {
		return 0, err
	}
	here, n := openedHere(s), 1
	own := here.proves(ctx, s, pull)
	for _, p := range open {
		if p.ID != pull.ID && p.Author.String() == pull.Author.String() && isAhead(p, pull, here.proves(ctx, s, p), own) {
			n++
		}
	}
	return n, nil
}

// isAhead reports whether an open proposal is counted before another one of the same author. Anybody who can push
// can write journals in an agent's name, so proposals that the agent is proven to have opened are counted apart.
// All others come after them, so that an agent gains nothing by leaving the proof out.
func isAhead(p, pull forge.Pull, proven, own bool) bool {
	//defence:proven-proposals-are-counted-apart
	if own && !proven {
		return false
	}
	//defence:unproven-proposals-come-last
	if proven && !own {
		return true
	}
	return cmp.Or(p.Opened.Compare(pull.Opened), cmp.Compare(p.ID, pull.ID)) < 0
}

// CountOpen counts an author's proposals among the given ones: with proven those that it is proven to have opened,
// if this installation can tell.
func CountOpen(ctx context.Context, s Session, open []forge.Pull, by forge.Actor, proven bool) (n int) {
	here := openedHere(s)
	proven = proven && (here != nil || signs(s, by))
	for _, p := range open {
		if p.Author.String() == by.String() && (!proven || here.proves(ctx, s, p)) {
			n++
		}
	}
	return n
}

// signs reports whether the key that signs here what an agent proposes is the agent's own.
func signs(s Session, by forge.Actor) bool {
	key := s.ProposalKey(by)
	if key == nil {
		return false
	}
	id, known := s.Policies.Roles.ByKey(review.FingerprintOf(key.PublicKey()))
	return known && id.Name == by.Name && id.Kind == policy.KindAgent
}

// opened is what this user's programs opened.
type opened map[string]keys.Opening

// openedHere is nil where nothing was opened, or where that cannot be read: then all of a name counts.
func openedHere(s Session) opened {
	here, err := keys.LoadOpenings(s.ID())
	if err != nil {
		return nil
	}
	return here
}

// proves reports whether a proposal is its author's own: opened by this user's programs, or with a commit that
// the author's key signed. Of a reopened one nothing shows who reopened it.
func (o opened) proves(ctx context.Context, s Session, pull forge.Pull) bool {
	id, known := s.Policies.Roles.ByName(pull.Author.Name)
	one, here := o[pull.ID]
	signs := known && id.Kind == policy.KindAgent && len(id.Keys) > 0
	if !pull.Reopened.IsZero() || !here && !signs {
		return false
	}
	activity, err := s.Record.Activity(ctx, pull.ID)
	if err != nil || len(activity.Pushes) == 0 {
		return false // A record that cannot be read proves nothing.
	}
	first := activity.Pushes[0].New
	if here && one.Head == first.String() && one.By == pull.Author.String() {
		return true
	}
	return signs && signedBy(s, id, pull.ID, first)
}

// signedBy reports whether an agent's own key signed a commit for a proposal.
func signedBy(s Session, id policy.Identity, proposal string, commit tree.Hash) bool {
	c, err := s.Repo.Commit(commit)
	if err != nil || c.Signature == "" || attest.ProposalNamed(c) != proposal {
		return false // A commit that is not here proves nothing.
	}
	key, err := review.VerifyCommit(c.Payload(), []byte(c.Signature))
	signer, listed := s.Policies.Roles.ByKey(key)
	return err == nil && listed && signer.Name == id.Name
}

// synthesised counts the capabilities in the learned lists of a tree: those that
// agents brought in. Nobody is asked where each stands, which could take an index.
func (h History) synthesised(result tree.Hash) (int, error) {
	view, err := h.Repo.Snapshot(result)
	if err != nil {
		return 0, err
	}
	agents, err := view.List(string(names.SoulArea))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	found := map[string]bool{}
	for _, a := range agents {
		src, readErr := view.Read(a.Path + "/SOUL.md")
		if !errors.Is(readErr, fs.ErrNotExist) {
			err = errors.Join(err, readErr)
		}
		entries, _ := soul.ReadLearned(src)
		for _, e := range entries {
			found[names.Fold(e.Name)] = true
		}
	}
	return len(found), err
}
