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
	open = slices.DeleteFunc(slices.Clone(open), func(p forge.Pull) bool {
		return p.ID == pull.ID || cmp.Or(p.Opened.Compare(pull.Opened), cmp.Compare(p.ID, pull.ID)) > 0
	})
	//defence:unsigned-proposals-are-counted-among-all
	return 1 + CountOpen(ctx, s, open, pull.Author, signedByAuthor(ctx, s, pull)), nil
}

// CountOpen counts an author's proposals among the given ones. With signed it leaves out those that the author's key
// did not open: anybody who can push can write journals in an agent's name, and cannot sign for it. Proposals that
// show no such key are counted among all, so that an agent gains nothing by not signing.
func CountOpen(ctx context.Context, s Session, open []forge.Pull, by forge.Actor, signed bool) (n int) {
	for _, p := range open {
		counts := p.Author.String() == by.String()
		//defence:signed-proposals-are-counted-apart
		if counts && signed {
			counts = signedByAuthor(ctx, s, p)
		}
		if counts {
			n++
		}
	}
	return n
}

// signedByAuthor reports whether an agent opened a proposal with a commit that its own key signed for this proposal. Of a
// reopened one nothing shows who reopened it.
func signedByAuthor(ctx context.Context, s Session, pull forge.Pull) bool {
	id, known := s.Policies.Roles.ByName(pull.Author.Name)
	if !known || id.Kind != policy.KindAgent || len(id.Keys) == 0 || !pull.Reopened.IsZero() {
		return false
	}
	activity, err := s.Record.Activity(ctx, pull.ID)
	if err != nil || len(activity.Pushes) == 0 {
		return false // A record that cannot be read shows no key.
	}
	c, err := s.Repo.Commit(activity.Pushes[0].New)
	if err != nil || c.Signature == "" || c.Trailer(attest.ProposalTrailer) != pull.ID {
		return false // Nor does a commit that is not here.
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
