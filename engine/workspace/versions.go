package workspace

import (
	"context"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// believed decides whether the version that a merge's record claims excuses anything. Anybody who
// can push can write that claim. The invariant: it counts only if a human or a witness, listed
// before the merge, signed for the merge, or if it names an older version and no merge in force
// below it is of a newer version than it claims. A workspace that changed to a newer version does
// not change back for an excuse.
func believed(ctx context.Context, s Session, claimed string, ex *Examined, att attest.Attestation, signers []policy.Actor) (bool, error) {
	if vouchedFor(s.Policies.Roles, ex, att, signers) {
		return true, nil
	}
	//defence:unsigned-claims-are-of-older-versions
	if !older(claimed, version.Engine) {
		return false, nil
	}
	newer, err := s.claims().newerBelow(ctx, s.Standing, claimed)
	//defence:versions-do-not-go-back-for-an-excuse
	if newer {
		return false, err
	}
	return err == nil, err
}

// vouchedFor reports whether a human or a witness is among the signers of a merge.
func vouchedFor(roles policy.Roles, ex *Examined, att attest.Attestation, signers []policy.Actor) bool {
	at := ex.Case.Facts().ApprovedAt(roles)
	return slices.ContainsFunc(signers, func(a policy.Actor) bool {
		id, known := roles.Proven(a)
		return known && vouches(roles, id) && !id.Expired(att.Instant()) && !id.Expired(at)
	})
}

// older reports whether a is a version before b; false if either is no version.
func older(a, b string) bool {
	v, w := capability.Version(a), capability.Version(b)
	return v.Valid() && w.Valid() && v.Compare(w) < 0
}

// newerBelow reports whether a merge in force in st is of a newer version than claimed, by its
// record. Merges that this process judged are remembered; for older ones it reads the claims.
func (r claimReader) newerBelow(ctx context.Context, st attest.Standing, claimed string) (bool, error) {
	from, newer := st.Judged, false
	if from.IsZero() {
		from = st.InForce
	}
	err := r.w.Repo.Lineage(from, func(c gitstore.Commit) (bool, error) {
		if newest, known := r.w.policies.newestAt(c.Hash); known {
			newer = older(claimed, newest)
			return false, nil
		}
		if c.Hash == st.Genesis {
			return false, nil
		}
		found, known, err := r.matching(ctx, c)
		if err != nil && !unreadable(err) {
			return false, err
		}
		newer = err == nil && known && older(claimed, found.att.Engine)
		return !newer, nil
	})
	return newer, err
}

// newestAt returns the newest version of the merges up to one that was judged; empty if they name none.
func (l *loaded) newestAt(merge tree.Hash) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v, known := l.newest[merge]
	return v, known
}

// judged notes the version of a merge that was accepted upon another one. It notes only an unbroken
// line from the genesis.
func (l *loaded) judged(before attest.Standing, merge tree.Hash, engine string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	newest, known := l.newest[before.Judged]
	if !known && before.Judged != before.Genesis {
		return
	}
	if newest == "" || older(newest, engine) {
		newest = engine
	}
	if l.newest == nil {
		l.newest = map[tree.Hash]string{}
	}
	l.newest[merge] = newest
}
