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

// taken is how main came to hold commits that a branch had before main did; nil where it
// holds none, and where no account approved the head, which alone is bound to it. A change
// is what a head differs in from where it left main: when main takes in a part of the
// branch, the same head is another change.
//
// It asks about every best common ancestor and not only about that which is merged from:
// if main held each of them at the time of an approval, the same were the best ones then.
func taken(ctx context.Context, s Session, into Result, head tree.Hash, activity forge.Activity) (*policy.Taken, error) {
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
		t, err := takenIn(ctx, s, into.Main, head, base)
		if err != nil {
			return nil, err
		}
		if t != nil && (last == nil || t.At.IsZero() || !last.At.IsZero() && t.At.After(last.At)) {
			last = t
		}
	}
	return last, nil
}

// takenIn is how main, which is at tip, came to hold one commit of a branch; nil where it
// is main's own, or has nothing that is governed and that main had not.
func takenIn(ctx context.Context, s Session, tip, head, base tree.Hash) (*policy.Taken, error) {
	first, err := s.History().firstWith(s.Genesis, tip, base)
	if err != nil || first.Hash == s.Genesis {
		return nil, err
	}
	said, known, err := s.claims().said(ctx, first)
	if err != nil {
		return nil, err
	}
	sworn := false
	if known {
		if sworn, err = witnessedMerge(s, said, first); err != nil {
			return nil, err
		}
	}
	// A service can move main to the last commit of a branch, where it has nothing to merge.
	own := first.Hash == base && said.att.Head != base
	switch {
	case own && (sworn || known && len(first.Parents) == 2):
		return nil, nil
	case sworn:
		return &policy.Taken{By: said.att.Proposal, At: said.att.At}, nil
	}
	free, err := free(ctx, s, first, head, base)
	if err != nil || free {
		return nil, err
	}
	return &policy.Taken{By: said.att.Proposal}, nil
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

// said is what the record says of a commit of main; known is false where it says nothing
// that fits.
func (r claimReader) said(ctx context.Context, c gitstore.Commit) (said claim, known bool, err error) {
	if len(c.Parents) == 0 {
		return said, false, nil
	}
	before, err := r.w.Repo.Snapshot(c.Parents[0])
	if err != nil {
		return said, false, err
	}
	then, _ := r.w.PoliciesAt(before)
	found, err := r.of(ctx, c.Parents[0], then.Roles, c)
	if err != nil {
		return said, false, err
	}
	for _, one := range found.claims {
		if one.why == nil && sameMerge(one.att, one.att.From, c) == nil {
			return one, true, nil
		}
	}
	return said, false, nil
}

// witnessedMerge reports whether a witness signed what is said of a commit of main: one of today, or
// one of when it was merged.
func witnessedMerge(s Session, said claim, c gitstore.Commit) (bool, error) {
	announced := []forge.Announcement{said.Announcement}
	if witnessed(s.Policies.Roles, said.att, c, announced) == nil {
		return true, nil
	}
	before, err := s.Repo.Snapshot(c.Parents[0])
	if err != nil {
		return false, err
	}
	then, _ := s.PoliciesAt(before)
	return witnessed(then.Roles, said.att, c, announced) == nil, nil
}

// free reports whether nothing that is governed came to main with base past the merges
// that the record tells of: then the branch changes as much of it as before.
func free(ctx context.Context, s Session, first gitstore.Commit, head, base tree.Hash) (bool, error) {
	before := tree.Hash{}
	err := s.Repo.Lineage(first.Parents[0], func(c gitstore.Commit) (bool, error) {
		before = c.Hash
		_, known, err := s.claims().said(ctx, c)
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
