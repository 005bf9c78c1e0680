package local

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// Announced is the announcement of a merge, with the journal up to it.
type Announced struct {
	forge.Announcement
	// Place counts the places of the journal, as in journal.Part.
	Place int

	id   string
	repo *gitstore.Repo
	all  []journal.Event // without their files
	at   int             // in all
}

// maxAnnounced bounds the announcements of one commit that are examined at each place of a
// journal. Anyone with push access can add more.
const maxAnnounced = 256

// Announced returns the announcements of a commit in a proposal's journal, those at one place
// together, oldest first. An announcement at several places is returned once.
// damage describes unreadable parts of the journal. err is ErrNotFound if the repository
// has no part of it.
func (f *Forge) Announced(_ context.Context, id string, commit tree.Hash) (out []Announced, damage, err error) {
	if !forge.IsID(id) {
		return nil, nil, fmt.Errorf("%q: %w", id, forge.ErrNotFound)
	}
	parts, damage, err := Shelf().Chains(f.repo, id)
	switch {
	case err != nil:
		return nil, nil, err
	case damage != nil:
		damage = &forge.Damaged{ID: id, Where: pullRef(id), Err: damage}
	case len(parts) == 0:
		return nil, nil, fmt.Errorf("%s: %w", id, forge.ErrNotFound)
	}
	slices.Reverse(parts)
	order.Stable(parts, func(a, b journal.Part) int { return a.Place - b.Place })
	found, known := map[int]int{}, map[tree.Hash]bool{}
	for _, part := range parts {
		for i, ev := range part.Events {
			if ev.Kind != evMerging || ev.Fields["Commit"] != commit.String() || known[ev.Commit] {
				continue
			}
			if found[part.Place]++; found[part.Place] > maxAnnounced {
				break
			}
			known[ev.Commit] = true
			one, err := journal.Fill(f.repo, part.Events[i:i+1])
			if err != nil {
				damage = errors.Join(damage, &forge.Damaged{ID: id, Where: pullRef(id), Err: err})
				continue
			}
			files := one[0].Files
			out = append(out, Announced{Place: part.Place, id: id, repo: f.repo, all: part.Events, at: i, Announcement: forge.Announcement{
				Commit: commit, Attestation: files[attestationFile], Signature: files[attestationSignatureFile], At: ev.At,
			}})
		}
	}
	return out, damage, nil
}

// AnnouncedUpTo returns all announcements of merges in the journal of a proposal up to an event.
func (f *Forge) AnnouncedUpTo(id string, at tree.Hash) ([]Announced, error) {
	events, err := journal.ReadAt(f.repo, at)
	if err != nil {
		return nil, damaged(id, at.Short(), err)
	}
	var out []Announced
	for i, ev := range events {
		commit, err := tree.ParseHash(ev.Fields["Commit"])
		if ev.Kind != evMerging || err != nil {
			continue
		}
		out = append(out, Announced{id: id, repo: f.repo, all: events, at: i, Announcement: forge.Announcement{
			Commit: commit, Attestation: ev.Files[attestationFile], Signature: ev.Files[attestationSignatureFile], At: ev.At,
		}})
	}
	return out, nil
}

// Read returns the proposal as its journal described it when the merge was announced.
//
// A merge is judged by the events up to its announcement only, because anyone with push
// access can append to a journal. This holds for every kind of event, since later ones
// are not folded, and for every reader, since all read a merged proposal here. Merges has
// this announcement alone: others of the same commit prove nothing about it.
func (a Announced) Read() (forge.Pull, forge.Activity, error) {
	until := a.all[:a.at+1]
	//defence:nothing-after-the-announcement-counts
	events, err := journal.Fill(a.repo, until)
	var state replayed
	if err == nil {
		state, err = replay(a.id, events, func(string, tree.Hash) (bool, error) { return false, nil })
	}
	if err != nil {
		return forge.Pull{}, forge.Activity{}, &forge.Damaged{ID: a.id, Where: pullRef(a.id), Err: err}
	}
	state.activity.Merges = []forge.Announcement{a.Announcement}
	return state.pull, state.activity, nil
}
