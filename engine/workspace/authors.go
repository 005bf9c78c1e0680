package workspace

import (
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// engineCommits returns the pushed commits that claim to be the engine's and that change only
// engine-owned regions, to the text that the engine writes there. The claim alone proves nothing:
// any pusher can write it.
func engineCommits(s Session, into tree.Hash, activity forge.Activity, at time.Time) (map[tree.Hash]bool, error) {
	own := map[tree.Hash]bool{}
	for _, p := range activity.Pushes {
		if !p.Engine {
			continue
		}
		c, err := s.Repo.Commit(p.New)
		if err == nil && len(c.Parents) == 1 && c.Parents[0] == p.Old {
			own[p.New], err = sameEffect(s, into, p.Old, p.New, at)
		}
		if err = withoutContent(err); err != nil {
			return nil, err
		}
	}
	return own, nil
}

// withoutContent drops an error about commits that a journal names. Any pusher can write a journal
// that names missing, malformed or vast ones. The engine pushes none, so such a push is not its own.
func withoutContent(err error) error {
	//defence:journals-name-what-is-there
	if unreadable(err) {
		return nil
	}
	return err
}

// observedPushes removes false claims that the engine made a push; the pusher is unknown
// then. The engine's pushes are its own commits, and the same change applied again to a
// later main.
func observedPushes(s Session, into tree.Hash, claimed []forge.Push, own map[tree.Hash]bool, at time.Time) ([]forge.Push, error) {
	out := slices.Clone(claimed)
	for i, p := range out {
		if !p.Engine || own[p.New] {
			continue
		}
		same, err := sameEffect(s, into, p.Old, p.New, at)
		if err = withoutContent(err); err != nil {
			return nil, err
		}
		if !same {
			out[i].Engine, out[i].By = false, forge.Actor{}
		}
	}
	return out, nil
}

// sameEffect reports whether two heads change the same against where each of them
// left the commit that they are to be merged into, or were.
func sameEffect(s Session, into, a, b tree.Hash, at time.Time) (bool, error) {
	var digests [2]string
	for i, head := range []tree.Hash{a, b} {
		base, err := s.Repo.MergeBase(into, head)
		if err != nil || base.IsZero() {
			return false, err
		}
		effect, err := effectOf(s, base, head, at)
		if err != nil {
			return false, err
		}
		digests[i] = effect.Settled
	}
	return digests[0] == digests[1], nil
}

// authors lists the authors and committers of the branch's commits, without the engine's own.
// Committers count, since one can commit in another's name.
func (h History) authors(base, head tree.Hash, own map[tree.Hash]bool) ([]policy.Actor, error) {
	commits, err := h.Repo.Between(base, head)
	if err != nil {
		return nil, fmt.Errorf("read the branch's commits: %w", err)
	}
	var out []policy.Actor
	known := map[string]bool{}
	add := func(email string) {
		if !known[email] {
			known[email] = true
			out = append(out, policy.Actor{Email: email})
		}
	}
	for _, o := range commits {
		if own[o.Hash] {
			continue
		}
		c, err := h.Repo.Commit(o.Hash)
		if err != nil {
			return nil, fmt.Errorf("read the branch's commits: %w", err)
		}
		add(c.Author.Email)
		//defence:committer-excluded
		add(c.Committer.Email)
	}
	return out, nil
}
