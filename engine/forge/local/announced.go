package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// Announced is the announcement of a merge, with the journal up to it. Its evidence is read by Load
// only: anyone with permission to push can add announcements, so their number times the size of an
// attestation must not be in memory.
type Announced struct {
	forge.Announcement
	// Place counts the places of the journal, as in journal.Part.
	Place int
	// Content is the hash of the attestation, which copies share; zero without an attestation.
	Content tree.Hash

	signature tree.Hash
	id        string
	repo      *gitstore.Repo
	all       []journal.Event // outlines suffice
	at        int             // in all
}

// announcedAt returns the announcement all[at] without its evidence, whose size it checks.
func (f *Forge) announcedAt(id string, commit tree.Hash, all []journal.Event, at int) (Announced, error) {
	out := Announced{Announcement: forge.Announcement{Commit: commit, At: all[at].At}, id: id, repo: f.repo, all: all, at: at}
	view, err := f.repo.Snapshot(all[at].Commit)
	if err == nil {
		out.Content, err = f.evidence(view, attestationFile, forge.MaxAttestation)
	}
	if err == nil {
		out.signature, err = f.evidence(view, attestationSignatureFile, forge.MaxSignature)
	}
	return out, err
}

// evidence returns the object of a file; zero if it is missing.
func (f *Forge) evidence(view *gitstore.Snapshot, name string, most int64) (tree.Hash, error) {
	e, err := view.Lookup(name)
	if errors.Is(err, fs.ErrNotExist) {
		return tree.Hash{}, nil
	}
	if err != nil {
		return tree.Hash{}, err
	}
	size, err := f.repo.BlobSize(e.Hash)
	//defence:attestations-are-small
	if err == nil && size > most {
		err = fmt.Errorf("%s has %d bytes, at most %d are read: %w", name, size, most, journal.ErrNotJournal)
	}
	return e.Hash, err
}

// Load returns the announcement with its evidence.
func (a Announced) Load() (Announced, error) {
	for _, part := range []struct {
		from tree.Hash
		to   *[]byte
	}{{a.Content, &a.Attestation}, {a.signature, &a.Signature}} {
		if part.from.IsZero() {
			continue
		}
		var err error
		if *part.to, err = a.repo.Blob(part.from); err != nil {
			return a, err
		}
	}
	return a, nil
}

// maxAnnounced bounds the announcements of one commit that are examined at each place of a
// journal. Anyone with push access can add more.
const maxAnnounced = 256

// Announced returns the announcements of a commit in a proposal's journal, those at one place
// together, oldest first. An announcement at several places is returned once, and of equal copies
// at one place the oldest.
// damage describes unreadable parts of the journal. err is ErrNotFound if the repository
// has no part of it.
func (f *Forge) Announced(_ context.Context, id string, commit tree.Hash) (out []Announced, damage, err error) {
	if !forge.IsID(id) {
		return nil, nil, fmt.Errorf("%q: %w", id, forge.ErrNotFound)
	}
	parts, damage, err := Shelf().Chains(f.repo, id, "Commit")
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
	found, known, held := map[int]int{}, map[tree.Hash]bool{}, map[[3]any]bool{}
	for _, part := range parts {
		for i, ev := range part.Events {
			if ev.Kind != evMerging || ev.Fields["Commit"] != commit.String() || known[ev.Commit] {
				continue
			}
			if found[part.Place]++; found[part.Place] > maxAnnounced {
				break
			}
			known[ev.Commit] = true
			one, err := f.announcedAt(id, commit, part.Events, i)
			if err != nil {
				damage = errors.Join(damage, &forge.Damaged{ID: id, Where: pullRef(id), Err: err})
				continue
			}
			one.Place = part.Place
			copies := [3]any{one.Place, one.Content, one.signature}
			if !held[copies] {
				held[copies] = true
				out = append(out, one)
			}
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
		one, err := f.announcedAt(id, commit, events, i)
		var broken *forge.Damaged
		switch err = damaged(id, at.Short(), err); {
		case err == nil:
			out = append(out, one)
		case !errors.As(err, &broken):
			return nil, err
		}
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
	merges := state.activity.Merges
	state.activity.Merges = merges[len(merges)-1:]
	return state.pull, state.activity, nil
}
