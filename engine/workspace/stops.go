package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// StopPrefix is the prefix of stop records: journals of one event each, named by the digest of the
// record, so that two repositories never disagree about one.
const StopPrefix = "refs/assent/stops/"

const (
	stopRecord    = "stop.json"
	stopSignature = "stop.sig"
	// maxStopSignature is in bytes.
	maxStopSignature = 8 << 10
)

var errStopName = errors.New("its name is not that of its content")

// Stops returns the capabilities that humans stopped, now: by this repository's refs and by this
// user's memory. It names the records that do not count.
func (s Session) Stops(ctx context.Context) (stop.Judged, error) {
	all, ignored, err := s.StopRecords().list(stopCase(ctx, s))
	if err != nil {
		return stop.Judged{}, err
	}
	all, err = rememberStops(s, all)
	if err != nil {
		return stop.Judged{}, err
	}
	judged, err := stop.Judge(stopCase(ctx, s), all)
	for _, one := range judged.Ignored { // a remembered one may be named already
		if !slices.ContainsFunc(ignored, func(i stop.Ignored) bool { return i.ID == one.ID }) {
			ignored = append(ignored, one)
		}
	}
	judged.Ignored = ignored
	return judged, err
}

// StopsWith is Stops as if another record were here.
func (s Session) StopsWith(ctx context.Context, more stop.Signed) (stop.Judged, error) {
	all, _, err := s.StopRecords().list(stopCase(ctx, s))
	if err != nil {
		return stop.Judged{}, err
	}
	if all, err = rememberStops(s, all); err != nil {
		return stop.Judged{}, err
	}
	return stop.Judge(stopCase(ctx, s), append(all, more))
}

func stopCase(ctx context.Context, s Session) stop.Case {
	return stop.Case{
		Workspace: s.Genesis, Roles: s.Policies.Roles, Now: s.Now(),
		Proposals: func(name string) ([]stop.Proposal, error) { return proposalsAbout(ctx, s, name) },
	}
}

// StopRecords are the records of stops in a repository.
type StopRecords struct{ Repo *gitstore.Repo }

// StopRecords are the records of stops in the workspace's repository.
func (w *Workspace) StopRecords() StopRecords { return StopRecords{w.Repo} }

// maxIgnored bounds the records without effect that are named.
const maxIgnored = 100

// list reads the records of this repository that can have an effect, and names others, at most
// maxIgnored. Anyone with permission to push can add refs, so a record is kept only if its name is
// that of its content and a human signed it.
func (k StopRecords) list(c stop.Case) (all []stop.Signed, ignored []stop.Ignored, err error) {
	refs, err := k.Repo.Refs(StopPrefix)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil {
		return nil, nil, fmt.Errorf("list stops: %w", err)
	}
	ignored, more := []stop.Ignored{}, 0
	ignore := func(one stop.Ignored) {
		if len(ignored) == maxIgnored {
			more++
			return
		}
		ignored = append(ignored, one)
	}
	for _, ref := range broken {
		ignore(stop.Ignored{ID: strings.TrimPrefix(ref.Name, StopPrefix), Why: ref.Error()})
	}
	known := map[tree.Hash]string{}
	for _, ref := range refs { // unbounded: a pusher could fill any bound to hide a stop
		id := strings.TrimPrefix(ref.Name, StopPrefix)
		s, err := k.read(id, ref.Hash, known)
		//defence:a-malformed-stop-is-its-own
		if err != nil {
			ignore(stop.Ignored{ID: id, Why: err.Error()})
			continue
		}
		if one, refused := c.Refuses(s); refused {
			ignore(one)
			continue
		}
		all = append(all, s)
	}
	if more > 0 {
		ignored = append(ignored, stop.Ignored{ID: "*", Why: fmt.Sprintf("%d more records have no effect", more)})
	}
	return all, ignored, nil
}

// At reads the record in a commit, and checks its form and signature.
func (k StopRecords) At(id string, at tree.Hash) (stop.Signed, error) {
	s, err := k.read(id, at, map[tree.Hash]string{})
	if err == nil {
		_, _, err = stop.Open(s)
	}
	return s, err
}

// read reads the bytes of a record. Sizes are asked for before anything is read, and the name is
// compared first: known has the name of the record in each commit that was read.
func (k StopRecords) read(id string, at tree.Hash, known map[tree.Hash]string) (stop.Signed, error) {
	name, has := known[at]
	//defence:names-of-stops-come-first
	if has && name != id {
		return stop.Signed{}, errStopName
	}
	view, err := k.Repo.Snapshot(at)
	if err != nil {
		return stop.Signed{}, fmt.Errorf("it is no stop: %w", err)
	}
	read := func(name string, most int64) ([]byte, error) {
		e, err := view.Lookup(name)
		if err != nil {
			return nil, fmt.Errorf("it is no stop: %w", err)
		}
		if size, err := k.Repo.BlobSize(e.Hash); err != nil || size > most {
			return nil, errors.Join(fmt.Errorf("it is no stop: %s has more than %d bytes", name, most), err)
		}
		return view.Read(name)
	}
	s := stop.Signed{ID: id}
	s.Record, err = read(stopRecord, stop.MaxRecord)
	if err == nil {
		if known[at] = stop.IDOf(s.Record); known[at] != id {
			return s, errStopName
		}
		s.Signature, err = read(stopSignature, maxStopSignature)
	}
	return s, err
}

// File stores a record in the repository, replacing the content of its ref. The commit is a
// function of the record, so that every clone makes the same one.
func (k StopRecords) File(s stop.Signed) error {
	r, _, err := stop.Open(s)
	if err != nil {
		return err
	}
	ref := StopPrefix + s.ID
	event, err := journal.Continue(k.Repo, nil, journal.Event{
		Kind: string(r.Decision), At: r.At, By: "assent", Fields: map[string]string{"Capability": r.Capability},
		Files: map[string][]byte{stopRecord: s.Record, stopSignature: s.Signature},
	})
	if err == nil {
		err = k.Repo.Update(gitstore.RefUpdate{Name: ref, New: event.Commit, Any: true, Reflog: "assent: " + string(r.Decision)})
	}
	if err != nil {
		return fmt.Errorf("file the stop: %w", err)
	}
	return nil
}

// proposalsAbout lists the open proposals that change files of a capability in force.
func proposalsAbout(ctx context.Context, s Session, name string) ([]stop.Proposal, error) {
	folders, err := s.View.Named(name)
	if err != nil || len(folders) == 0 {
		return nil, err
	}
	open, err := s.Record.List(ctx, forge.Filter{State: forge.Open})
	if _, err = forge.Damages(err); err != nil {
		return nil, fmt.Errorf("list open proposals: %w", err)
	}
	var out []stop.Proposal
	for _, p := range open {
		touches, err := s.History().touches(s.Main, p.Head, folders[0].Path)
		if err != nil {
			continue // a proposal that cannot be read keeps no stop up
		}
		if touches {
			out = append(out, stop.Proposal{ID: p.ID, Opened: p.Opened})
		}
	}
	order.Sort(out, func(a, b stop.Proposal) int { return a.Opened.Compare(b.Opened) })
	return out, nil
}

func (h History) touches(main, head tree.Hash, path string) (bool, error) {
	base, err := h.Repo.MergeBase(main, head)
	if err != nil || base.IsZero() {
		return false, errors.Join(err, attest.ErrNoMain)
	}
	before, err := h.Repo.Snapshot(base)
	if err != nil {
		return false, err
	}
	after, err := h.Repo.Snapshot(head)
	if err != nil {
		return false, err
	}
	changes, err := tree.Diff(before, after, path)
	return len(changes) > 0, err
}

// forgetStops is the age at which a record is forgotten: it can no longer be prolonged
// or have an effect.
const forgetStops = 120 * 24 * time.Hour
