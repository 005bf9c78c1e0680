package tracked

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/importer"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

// settle decides whether an item is done without a new proposal: the same content was proposed before, or it has
// conflicts and no side was chosen. earlier is the proposal with the item's id, or nil.
func settle(i Item, earlier *forge.Pull, unsettled bool) (Item, bool) {
	undecided := earlier == nil || earlier.State != forge.Merged && earlier.Why != "rejected"
	switch {
	case undecided && unsettled:
		i.State, i.Proposal = Conflict, ""
		i.Reason = "the source and local edits changed the same lines; choose a side for these lines: assent upstream check " + names.ShellWord(i.Name) + " --take ours|theirs"
		return i, true
	case earlier == nil:
		return i, false
	}
	i.State, i.Reason = string(earlier.State), "this content was proposed before"
	if earlier.State == forge.Closed {
		i.State, i.Reason = earlier.Why, "this content was proposed before; to look at it again: assent reopen "+names.ShellWord(earlier.ID)
	}
	i.Open = slices.DeleteFunc(slices.Clone(i.Open), func(id string) bool { return id == earlier.ID })
	return i, true
}

// judge decides what the findings of a trial mean for an item: with errors it is refused.
func judge(i Item, found diag.List) Item {
	for _, d := range found {
		i.Findings = append(i.Findings, Finding{d.Rule, d.Severity.String(), d.File, d.Line})
	}
	if found.HasErrors() {
		return refused(i, found)
	}
	i.State = Would
	return i
}

func refused(i Item, found diag.List) Item {
	i.State, i.Proposal, i.Reason = Refused, "", first(found)
	return i
}

// replaceable reports whether by may withdraw an open update for a newer one: it is their own, and no other person or agent pushed to it.
func replaceable(p forge.Pull, pushes []forge.Push, by forge.Actor) bool {
	others := slices.ContainsFunc(pushes, func(push forge.Push) bool { return !push.Engine && push.By.String() != p.Author.String() })
	return !others && p.Author.String() == by.String() && strings.HasPrefix(p.ID, "update-")
}

// propose proposes a change of the source, unless settle or judge decide otherwise.
func (c *checker) propose(ctx context.Context, i Item, theirs importer.Fitted, m merged) (Item, error) {
	id, pull, err := propose.Standing(ctx, c.cur, c.cur.Forge, m.finding)
	var taken *propose.Taken
	if errors.As(err, &taken) {
		i.State, i.Reason = Refused, taken.Error()
		return i, nil
	}
	if err != nil {
		return i, err
	}
	var earlier *forge.Pull
	if i.Proposal = id; pull.ID != "" {
		earlier = &pull
	}
	unsettled := len(m.conflicts) > 0 && c.Take == ""
	if unsettled {
		id, pull, err := c.chosen(ctx, i, theirs)
		if err != nil {
			return i, err
		}
		if id != "" {
			i.Proposal, earlier, unsettled = id, &pull, false
		}
	}
	i, done := settle(i, earlier, unsettled)
	if done {
		return i, nil
	}
	r, err := c.request(i, theirs, m)
	if err != nil {
		return i, err
	}
	r.DryRun = true
	tried, err := c.in.Open(ctx, r)
	if err != nil {
		return i, err
	}
	i = judge(i, append(slices.Clone(tried.Diagnostics), tried.Examined.Report.Diagnostics...))
	if i.State != Would || c.DryRun {
		return i, nil
	}
	r.DryRun, r.Listed, r.Proposal.Body = false, tried.Listed, body(i, theirs, c.Take) // which names the findings
	return c.write(ctx, i, r)
}

// chosen returns the open proposal that settles an item's conflicts by one of the sides; "" if there is none.
func (c *checker) chosen(ctx context.Context, i Item, theirs importer.Fitted) (string, forge.Pull, error) {
	for _, side := range []string{Ours, Theirs} {
		at, as := i, *c // what they would find is not shown
		as.Take = side
		m, err := as.compare(&at, theirs)
		if err != nil {
			return "", forge.Pull{}, err
		}
		id, pull, err := propose.Standing(ctx, c.cur, c.cur.Forge, m.finding)
		var taken *propose.Taken
		if errors.As(err, &taken) {
			continue
		}
		if err != nil || pull.ID != "" && pull.State == forge.Open {
			return id, pull, err
		}
	}
	return "", forge.Pull{}, nil
}

func (c *checker) request(i Item, theirs importer.Fitted, m merged) (propose.Request, error) {
	next := i.Record
	next.Commit = i.Now
	record, original, err := importer.Record(c.cur, i.Place, next, theirs.Found)
	return propose.Request{
		By: c.By, Author: c.Author, Edits: append(propose.Below(i.Place, m.edits), record), Original: original,
		Origin:   provenance.Origin{Way: provenance.Import, Source: i.Source, Digest: propose.DigestOf(theirs.Found)},
		Proposal: proposal.Proposal{ID: i.Proposal, Capability: i.Name, Goal: "update " + i.Name + " from its source", Body: body(i, theirs, c.Take)},
	}, err
}

// write opens the proposal, and withdraws the updates that it replaces. Those that others changed, or that another
// proposed, stay open and are named.
func (c *checker) write(ctx context.Context, i Item, r propose.Request) (Item, error) {
	out, err := c.in.Open(ctx, r)
	switch {
	case errors.Is(err, forge.ErrExists): // another process was faster
		i.State = string(forge.Open)
		return i, nil
	case err != nil:
		return i, err
	case !out.Opened:
		return refused(i, out.Diagnostics), nil
	}
	i.State = Proposed
	for _, id := range slices.Clone(i.Open) {
		pull, err := c.cur.Forge.Get(ctx, id)
		if err != nil {
			return i, err
		}
		act, err := c.cur.Forge.Activity(ctx, id)
		if err != nil {
			return i, err
		}
		if !replaceable(pull, act.Pushes, c.By) {
			continue
		}
		if _, err := propose.Withdraw(ctx, c.cur, pull, c.By, "superseded by "+i.Proposal); err != nil {
			return i, err
		}
		i.Superseded = append(i.Superseded, id)
		i.Open = slices.DeleteFunc(i.Open, func(o string) bool { return o == id })
	}
	return i, nil
}

// first is the first error of a list, in a line.
func first(ds diag.List) string {
	for _, d := range ds {
		if d.Severity == diag.Error {
			return strings.TrimPrefix(fmt.Sprintf("%s: %s [%s]", d.File, d.Message, d.Rule), ": ")
		}
	}
	return ""
}
