package quarantine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/workspace"
)

// Followed is the state of the proposal about a content that was taken out of use.
type Followed struct {
	ID string `json:"id"`
	// Opened: it is new, or was taken up again. Withdrawn: it has no reason any more.
	Opened    bool `json:"opened"`
	Withdrawn bool `json:"withdrawn"`
	// Why says why there is no proposal, or why it was withdrawn; "" if it was opened.
	Why         string    `json:"why,omitempty"`
	Diagnostics diag.List `json:"diagnostics,omitempty"`
}

// ID is the id of the first proposal about one content of a capability.
func ID(workspace, name, digest string) string { return finding(workspace, name, digest).After("") }

func finding(workspaceID, name, digest string) propose.Finding {
	return propose.Finding{Title: "mend " + names.Fold(name), Key: []string{"quarantine", workspaceID, names.Fold(name), digest}, Reopens: true}
}

// finding is what the proposals about the content are about: they change the status, and nothing else.
func (s Subject) finding(workspaceID string) propose.Finding {
	f := finding(workspaceID, s.Name, s.Digest)
	record := s.Path + "/" + capability.RecordFile
	f.Is = func(before, after tree.View, changes []tree.Change) (bool, error) {
		if len(changes) != 1 || changes[0].Path != record || changes[0].New.Mode != changes[0].Old.Mode {
			return false, nil
		}
		was, err := before.Read(record)
		if err != nil {
			return false, fmt.Errorf("read %s: %w", record, err)
		}
		is, err := after.Read(record)
		if err != nil {
			return false, fmt.Errorf("read %s: %w", record, err)
		}
		return slices.ContainsFunc([]capability.Status{capability.Testing, capability.Deprecated, capability.Retired}, func(to capability.Status) bool {
			changed, ok := capability.SetStatus(was, to)
			return ok && bytes.Equal(changed, is)
		}), nil
	}
	return f
}

// aim returns the proposed status for a capability in quarantine. One to be repaired goes back to
// testing, where it is not called; one that failed too often in too few uses becomes deprecated,
// and a deprecated one retired.
func aim(s Subject, t health.Thresholds) capability.Status {
	switch {
	case s.Status == capability.Deprecated:
		return capability.Retired
	case s.Health.Retire(t):
		return capability.Deprecated
	}
	return capability.Testing
}

// Follow opens the proposal about a content that was taken out of use, unless there is
// one. With a dry run nothing is written, and Opened says that it would be.
func (k Keeper) Follow(ctx context.Context, cur workspace.Session, s Subject, dryRun bool) (Followed, error) {
	var out Followed
	if s.Status != capability.Active && s.Status != capability.Deprecated {
		return Followed{Why: fmt.Sprintf("it is %s, so it is not called", s.Status)}, nil
	}
	id, pull, owed, err := proposed(ctx, cur, s)
	var taken *propose.Taken
	if errors.As(err, &taken) {
		return Followed{Why: taken.Error()}, nil
	}
	out.ID = id
	//defence:mending-is-proposed-once
	if err != nil || !owed {
		return out, err
	}
	mine, unknown := k.signed(cur)
	if unknown != nil {
		return Followed{Why: unknown.Error()}, nil
	}
	if dryRun {
		out.Opened = true
		return out, nil
	}
	var made propose.Outcome
	if pull.ID != "" {
		made, err = propose.Reopen(ctx, cur, pull, pull.Author)
	} else {
		var r propose.Request
		if r, err = request(cur, s, id); err == nil {
			made, err = propose.Open(ctx, k.W, mine(r))
		}
	}
	var cannot *uneditable
	switch {
	case errors.As(err, &cannot):
		return Followed{Why: cannot.Error()}, nil
	case errors.Is(err, forge.ErrExists): // another process was faster
	case err != nil:
		return out, fmt.Errorf("propose to mend %s: %w", s.Name, err)
	case made.Diagnostics.HasErrors():
		return Followed{Why: made.Diagnostics[0].Message, Diagnostics: made.Diagnostics}, nil
	default:
		out.Opened = true
	}
	return out, nil
}

// signed says in whose name requests are made.
func (k Keeper) signed(cur workspace.Session) (func(propose.Request) propose.Request, error) {
	if k.Engine {
		return func(r propose.Request) propose.Request { return r.AsEngine(k.W.Now()) }, nil
	}
	by, author, unknown := propose.Who(cur, k.Agent)
	if unknown != nil && k.Agent != "" {
		by, author, unknown = propose.Who(cur, "")
	}
	return func(r propose.Request) propose.Request {
		r.By, r.Author = by, author
		return r
	}, unknown
}

// uneditable says that a record is written in a way that no program can edit.
type uneditable struct{ path string }

func (u *uneditable) Error() string {
	return "the status in " + u.path + " cannot be edited; propose another one by hand"
}

// request is the change that is proposed: one line of the record, with the evidence.
func request(cur workspace.Session, s Subject, id string) (propose.Request, error) {
	path := s.Path + "/" + capability.RecordFile
	src, err := cur.View.Read(path)
	if err != nil {
		return propose.Request{}, fmt.Errorf("read %s: %w", path, err)
	}
	to := aim(s, Thresholds(cur.Policies))
	changed, ok := capability.SetStatus(src, to)
	if !ok {
		return propose.Request{}, &uneditable{path}
	}
	kind, goal := proposal.Revise, "repair "+s.Name+", which fails"
	if to != capability.Testing {
		kind, goal = proposal.Deprecate, "retire "+s.Name+", which fails"
	}
	edits := []tree.Edit{{Path: path, Content: changed, Mode: tree.Regular}}
	return propose.Request{
		Proposal: proposal.Proposal{ID: id, Kind: kind, Capability: s.Name, Goal: goal, Body: body(s, to, id)},
		Edits:    edits, Listed: &propose.Listed{}, Origin: provenance.Origin{Way: provenance.Edit, Source: "assent health", Digest: propose.DigestOf(edits)},
	}, nil
}

// Settle withdraws the proposals about contents that were taken out of use here and became healthy or
// are no longer in force, if they hold only this package's change: a repair pushed by others stays.
func (k Keeper) Settle(ctx context.Context, cur workspace.Session, dryRun bool) ([]Followed, error) {
	records, err := k.Store.All()
	if err != nil {
		return nil, fmt.Errorf("read the health of capabilities: %w", err)
	}
	var out []Followed
	for _, name := range slices.Sorted(maps.Keys(records)) {
		for _, e := range records[name].Entries {
			if !e.WasOut() {
				continue
			}
			why, err := k.reason(cur, name, e)
			if err != nil || why == "" {
				if err != nil {
					return out, err
				}
				continue
			}
			for id := range finding(cur.ID(), name, e.Digest).IDs() {
				there, done, err := k.settle(ctx, id, why, dryRun)
				if err != nil {
					return out, fmt.Errorf("withdraw %s: %w", id, err)
				}
				if done {
					out = append(out, Followed{ID: id, Withdrawn: true, Why: why})
				}
				if !there {
					break
				}
			}
		}
	}
	return out, nil
}

// reason says why the proposal about a content has none any more, "" if it has.
func (k Keeper) reason(cur workspace.Session, name string, e health.Entry) (string, error) {
	if e.State.Runs() {
		return fmt.Sprintf("%s is %s again", name, e.State), nil
	}
	known, err := cur.View.Named(name)
	if err != nil {
		return "", fmt.Errorf("look for %s: %w", name, err)
	}
	for _, f := range known {
		at, err := cur.View.Lookup(f.Path)
		if err != nil {
			return "", fmt.Errorf("look up %s: %w", f.Path, err)
		}
		if at.Hash.String() == e.Digest {
			return "", nil
		}
	}
	return "another content of " + name + " is in force by now", nil
}

// settle reports whether there is a proposal with an id, and whether it withdrew it.
func (k Keeper) settle(ctx context.Context, id, why string, dryRun bool) (there, done bool, err error) {
	pull, err := k.W.Record.Get(ctx, id)
	var damaged *forge.Damaged
	if errors.Is(err, forge.ErrNotFound) {
		return false, false, nil
	}
	if errors.As(err, &damaged) || err == nil && pull.State != forge.Open {
		return true, false, nil
	}
	if err != nil {
		return true, false, err
	}
	activity, err := k.W.Forge.Activity(ctx, id)
	if err != nil {
		return true, false, err
	}
	for _, p := range activity.Pushes[min(1, len(activity.Pushes)):] {
		if !p.Engine {
			return true, false, nil
		}
	}
	if dryRun {
		return true, true, nil
	}
	return true, true, k.W.Forge.Close(ctx, id, forge.Closing{By: forge.Actor{Name: "assent"}, Why: string(proposal.Withdrawn), Note: "Health: " + why + ".", At: k.W.Now()})
}

// FollowAll is Follow for all subjects that were taken out of use, and then Settle.
// Open proposals are not reported again.
func (k Keeper) FollowAll(ctx context.Context, cur workspace.Session, subjects []Subject, dryRun bool) ([]Followed, error) {
	out := []Followed{}
	for _, s := range subjects {
		if s.Health.State.Runs() {
			continue
		}
		f, err := k.Follow(ctx, cur, s, dryRun)
		if err != nil {
			return out, err
		}
		if f.Opened || f.Why != "" {
			out = append(out, f)
		}
	}
	settled, err := k.Settle(ctx, cur, dryRun)
	return append(out, settled...), err
}

// FollowOwed opens the missing proposals about capabilities in quarantine here. It joins the
// workspace only if there are any; the keeper's workspace is then the joined one. The error names
// those that could not be opened.
func FollowOwed(ctx context.Context, cur workspace.Session, k Keeper, now time.Time, join func(context.Context) (workspace.Session, error)) (opened []string, err error) {
	subjects, err := Owed(ctx, cur, k.Store, now)
	if err != nil || len(subjects) == 0 {
		return nil, err
	}
	if cur, err = join(ctx); err != nil {
		return nil, err
	}
	k.W = cur.Workspace
	var why []error
	for _, s := range subjects {
		done, err := k.Follow(ctx, cur, s, false)
		switch {
		case err != nil:
			return opened, err
		case done.Why != "":
			why = append(why, errors.New(s.Name+": "+done.Why))
		case done.Opened:
			opened = append(opened, done.ID)
		}
	}
	return opened, errors.Join(why...)
}
