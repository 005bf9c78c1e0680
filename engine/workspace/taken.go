package workspace

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// findTaken returns how main came to hold commits that the branch had first; nil if it holds none,
// or if no account approved the head. Only such an approval is bound to a head, not to its change:
// when main takes in a part of the branch, the same head is another change.
//
// It checks every best common ancestor, not only the merge base: if main held each of them at the
// time of an approval, they were the best ones then, too.
func findTaken(ctx context.Context, s Session, into Result, head tree.Hash, activity forge.Activity) (*policy.Taken, error) {
	byAccount := func(r forge.Review) bool {
		return len(r.Record) == 0 && r.Decision == "approve" && r.Head == head
	}
	if activity.Service == "" || !slices.ContainsFunc(activity.Reviews, byAccount) {
		return nil, nil
	}
	bases, err := s.Repo.MergeBases(into.Main, head)
	if err != nil {
		return nil, fmt.Errorf("merge bases of %s and %s: %w", into.Main.Short(), head.Short(), err)
	}
	var last *policy.Taken
	for _, base := range bases {
		if base == head { // main holds all of it: nothing is left to merge
			return nil, nil
		}
		t, err := takenAt(ctx, s, into.Main, head, base)
		if err != nil {
			return nil, err
		}
		if t != nil && (last == nil || t.At.IsZero() || !last.At.IsZero() && t.At.After(last.At)) {
			last = t
		}
	}
	return last, nil
}

// takenAt returns how main, at tip, came to hold one commit of a branch; nil if main made the
// commit itself, or if it brought no governed change that main lacked.
func takenAt(ctx context.Context, s Session, tip, head, base tree.Hash) (*policy.Taken, error) {
	first, err := s.History().firstWith(s.Genesis, tip, base)
	if err != nil || first.Hash == s.Genesis {
		return nil, err
	}
	found, known, err := s.claims().matching(ctx, first)
	if err != nil {
		return nil, err
	}
	attested := false
	if known {
		if attested, err = witnessedMerge(s, found, first); err != nil {
			return nil, err
		}
	}
	// A service can fast-forward main to the last commit of a branch.
	own := first.Hash == base && found.att.Head != base
	switch {
	case own && (attested || known && len(first.Parents) == 2):
		return nil, nil
	case attested:
		return &policy.Taken{By: found.att.Proposal, At: found.att.At}, nil
	}
	unchanged, err := noGovernedChange(ctx, s, first, head, base)
	if err != nil || unchanged {
		return nil, err
	}
	return &policy.Taken{By: found.att.Proposal}, nil
}

// firstWith is the first commit of main since genesis that holds base, as tip does.
func (h History) firstWith(genesis, tip, base tree.Hash) (gitstore.Commit, error) {
	var line []tree.Hash // the newest first
	err := h.Repo.Lineage(tip, func(c gitstore.Commit) (bool, error) {
		line = append(line, c.Hash)
		if c.Hash == base || c.Hash == genesis {
			return false, nil
		}
		if n := len(line); n&(n-1) != 0 { // asks at the 1st, 2nd, 4th, 8th …
			return true, nil
		}
		return h.Repo.IsAncestor(base, c.Hash)
	})
	if err != nil {
		return gitstore.Commit{}, fmt.Errorf("walk main: %w", err)
	}
	if end := line[len(line)-1]; end == base {
		return h.Repo.Passable(end)
	}
	n := sort.Search(len(line), func(i int) bool {
		holds, failed := h.Repo.IsAncestor(base, line[i])
		if failed != nil {
			err = failed
		}
		return !holds
	})
	if err != nil {
		return gitstore.Commit{}, err
	}
	return h.Repo.Passable(line[max(n, 1)-1])
}

// matching returns the recorded claim that fits a commit of main; known is false if none does.
func (r claimReader) matching(ctx context.Context, c gitstore.Commit) (found claim, known bool, err error) {
	if len(c.Parents) == 0 {
		return found, false, nil
	}
	before, err := r.w.Repo.Snapshot(c.Parents[0])
	if err != nil {
		return found, false, err
	}
	then, _ := r.w.PoliciesAt(before)
	all, err := r.forCommit(ctx, c.Parents[0], then.Roles, c)
	if err != nil {
		return found, false, err
	}
	for _, one := range all.claims {
		if one, err = one.loaded(); err != nil {
			return found, false, err
		}
		if one.why == nil && sameMerge(one.att, one.att.From, c) == nil {
			return one, true, nil
		}
	}
	return found, false, nil
}

// witnessedMerge reports whether a witness signed the claim about a commit of main: by today's
// roles, or by those at the merge.
func witnessedMerge(s Session, signed claim, c gitstore.Commit) (bool, error) {
	announced := []forge.Announcement{signed.Announcement}
	if witnessed(s.Policies.Roles, signed.att, c, announced) == nil {
		return true, nil
	}
	before, err := s.Repo.Snapshot(c.Parents[0])
	if err != nil {
		return false, err
	}
	then, _ := s.PoliciesAt(before)
	return witnessed(then.Roles, signed.att, c, announced) == nil, nil
}

// noGovernedChange reports whether base brought main no governed change beyond the recorded merges
// before first: then the branch still changes as much as before.
func noGovernedChange(ctx context.Context, s Session, first gitstore.Commit, head, base tree.Hash) (bool, error) {
	before := tree.Hash{}
	err := s.Repo.Lineage(first.Parents[0], func(c gitstore.Commit) (bool, error) {
		before = c.Hash
		_, known, err := s.claims().matching(ctx, c)
		return !known && c.Hash != s.Genesis, err
	})
	if err != nil {
		return false, err
	}
	left, err := s.Repo.MergeBase(before, head)
	if err != nil || left.IsZero() {
		return false, err
	}
	changed, err := attest.Governed(s.Repo, left, base)
	return err == nil && len(changed) == 0, err
}
