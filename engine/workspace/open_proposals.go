package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// openProposals lists the open proposals once per session, so that examining each of
// them does not list all of them again. Of each it keeps what a list shows, and its origin.
type openProposals struct {
	mu      sync.Mutex
	pulls   []forge.Pull
	read    bool
	origins map[string]origin // by id
	runs    []run.State       // that go on; nil until they are read
}

// origin is the first commit of a proposal, zero if its journal cannot be read, and whether a key of
// its author signed that commit.
type origin struct {
	first  tree.Hash
	signed bool
}

// origin reads the journal of a proposal once per session: proposals are compared with each other, and
// anyone who can push can open many with large journals.
func (o *openProposals) origin(ctx context.Context, s Session, pull forge.Pull, author policy.Identity) origin {
	o.mu.Lock()
	defer o.mu.Unlock()
	//defence:origins-are-read-once
	if known, has := o.origins[pull.ID]; has {
		return known
	}
	var found origin
	_, activity, err := s.Record.Reviewed(ctx, pull.ID)
	if errors.Is(err, forge.ErrNotFound) {
		return found // a dry run's, which may be opened later in this session
	}
	if err == nil && len(activity.Pushes) > 0 { // a record that cannot be read proves nothing
		found.first = activity.Pushes[0].New
		found.signed = signedBy(s, author, pull.ID, found.first)
	}
	if o.origins == nil {
		o.origins = map[string]origin{}
	}
	o.origins[pull.ID] = found
	return found
}

func (o *openProposals) list(ctx context.Context, f forge.Forge) ([]forge.Pull, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.read {
		return o.pulls, nil
	}
	pulls, err := f.List(ctx, forge.Filter{State: forge.Open})
	if _, err = forge.Damages(err); err != nil {
		return nil, fmt.Errorf("count open proposals: %w", err)
	}
	o.pulls, o.read = pulls, true
	return pulls, nil
}

// addCurrentFacts adds the facts that depend on the present state of the workspace, such as the
// number of open proposals, and rejections. Only open proposals have them: past merges are
// judged without.
func addCurrentFacts(ctx context.Context, s Session, ex *Examined) error {
	if s.openPulls == nil || ex.Case.Pull.State != forge.Open {
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
		view, err := s.Repo.Snapshot(ex.Result.Tree)
		if err != nil {
			return err
		}
		found, err := Brought(s, view)
		if err != nil {
			return err
		}
		ex.Case.Synthesised = len(found)
	}
	if err = s.openPulls.running(s, ex.Case); err != nil {
		return err
	}
	ex.Verdict, ex.Risk = gate.Judge(ex.Case)
	return nil
}

// rankOf returns the 1-based rank of a pull request among the open proposals of its author, or 0
// if no limit applies. The limit keeps agents in a loop from burying reviewers, so it spares
// people, whom an account or a signed review proves. It also spares proposals that a person
// approved: a pusher can forge journals in an agent's name, which must not hold those up.
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
	open, err := s.openPulls.list(ctx, s.Forge)
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

// isAhead reports whether an open proposal ranks before another one of the same author. Pushers can
// forge journals in an agent's name, so proposals that the agent is proven to have opened rank first.
// All others follow, so an agent gains nothing by leaving the proof out.
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

// CountOpen counts an author's proposals among the given ones. With proven it counts only those that
// the author is proven to have opened, if this installation can tell, and those in own.
func CountOpen(ctx context.Context, s Session, open []forge.Pull, by forge.Actor, proven bool, own map[string]bool) (n int) {
	here := openedHere(s)
	proven = proven && (here != nil || signs(s, by))
	for _, p := range open {
		if p.Author.String() == by.String() && (!proven || own[p.ID] || here.proves(ctx, s, p)) {
			n++
		}
	}
	return n
}

// signs reports whether this installation signs an agent's proposals with the agent's own key.
func signs(s Session, by forge.Actor) bool {
	key := s.ProposalKey(by)
	if key == nil {
		return false
	}
	id, known := s.Policies.Roles.ByKey(review.FingerprintOf(key.PublicKey()))
	return known && id.Name == by.Name && id.Kind == policy.KindAgent
}

// opened has the proposals that this user's programs opened, by id.
type opened map[string]keys.Opening

// openedHere returns the proposals that this user's programs opened; nil if there are none or
// they cannot be read. With nil, all proposals of a name count.
func openedHere(s Session) opened {
	here, err := keys.LoadOpenings(s.ID())
	if err != nil {
		return nil
	}
	return here
}

// proves reports whether a proposal is its author's own: opened by this user's programs, or with a commit that
// the author's key signed. A reopened proposal proves nothing, since no record says who reopened it.
func (o opened) proves(ctx context.Context, s Session, pull forge.Pull) bool {
	id, known := s.Policies.Roles.ByName(pull.Author.Name)
	one, here := o[pull.ID]
	signs := known && id.Kind == policy.KindAgent && len(id.Keys) > 0
	if !pull.Reopened.IsZero() || !here && !signs {
		return false
	}
	from := s.openPulls.origin(ctx, s, pull, id)
	return here && one.Head == from.first.String() && one.By == pull.Author.String() || signs && from.signed
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
