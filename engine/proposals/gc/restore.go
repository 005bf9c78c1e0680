package gc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/archive"
)

// way is a capability in force that does what an archived one did.
type way struct {
	index.Entry
	suite capability.Suite
	// broken says why it does not do that now; empty if it does.
	broken string
}

// uncovered says which test cases of an archived capability matter again: cases that only broken ways
// have, and, if something needs it, cases that no way has. covering are the ways that cover a case.
func uncovered(own capability.Suite, ways []way, needs string) (out []string, covering []way) {
	for _, c := range own.Cases {
		one := capability.Suite{Cases: []capability.Case{c}}
		var broken []string
		covered := false
		for _, w := range ways {
			switch {
			case capability.CompareSuites(one, w.suite).HasErrors():
			case w.broken == "":
				covered, covering = true, append(covering, w)
			default:
				broken = append(broken, fmt.Sprintf("%s (%s), which %s", w.Name, w.Tree.Short(), w.broken))
			}
		}
		switch {
		case covered:
		case len(broken) > 0:
			out = append(out, fmt.Sprintf("The test case %q is only covered by %s.", c.Name, strings.Join(broken, ", and ")))
		case needs != "":
			out = append(out, fmt.Sprintf("The test case %q is covered by nothing in force, and %s.", c.Name, needs))
		}
	}
	return out, covering
}

// requiring says what in force requires an archived capability, and so cannot be linked.
func requiring(name string, all []index.Entry) (out []string) {
	for _, e := range all {
		if e.Status != capability.Retired && slices.ContainsFunc(e.Requires, func(n string) bool { return names.Fold(n) == names.Fold(name) }) {
			out = append(out, fmt.Sprintf("%s requires it, and it is not in force.", e.Name))
		}
	}
	return out
}

// returning are the offers to restore archived capabilities.
type returning struct {
	offers []offer
	// quiet are the subjects that nothing speaks for now, with the ways that cover their cases.
	quiet map[string][]way
	// unread are those that cannot be read.
	unread []Result
}

// restore proposes to restore archived capabilities that something in force requires, or whose test cases
// matter again.
func (o opener) restore(ctx context.Context, s observed) ([]Result, error) {
	back, err := o.returning(ctx, s)
	if err != nil {
		return nil, err
	}
	out, err := o.answer(ctx, Restore, back.offers, s, func(a asked, _ bool) []string { return back.refute(a, s) })
	return append(out, back.unread...), err
}

// found is an archived capability, with what speaks for restoring it and the ways that cover its cases.
type found struct {
	archive.Capability
	lines    []string
	covering []way
}

// needFirst says of what has to come back before another one can that this one needs it.
func needFirst(ctx context.Context, cur workspace.Session, all []*found) error {
	for _, f := range all {
		if len(f.lines) == 0 {
			continue
		}
		first, err := f.Record.First(ctx, cur)
		if err != nil {
			return err //nolint:wrapcheck // it names the capability
		}
		at := slices.IndexFunc(all, func(o *found) bool { return o.Record == first })
		if at >= 0 && all[at] != f {
			all[at].lines = append(all[at].lines, fmt.Sprintf("%s needs it to be restored.", f.Name))
		}
	}
	return nil
}

func (o opener) returning(ctx context.Context, s observed) (out returning, err error) {
	cur := o.in.Session()
	old, unread, err := archive.All(ctx, cur)
	if err != nil {
		return out, err
	}
	var all []*found
	for _, a := range old {
		own, _, err := capability.Load(a.Before, a.Path)
		if gitstore.IsContent(err) {
			unread = append(unread, &archive.Unread{Record: a.Record, Err: err})
			continue
		}
		if err != nil {
			return out, fmt.Errorf("read the archived %s: %w", a.Name, err)
		}
		f := &found{Capability: a, lines: requiring(own.Name, s.all)}
		if len(own.Suite.Cases) > 0 {
			ways, err := waysOf(cur, own, s)
			if err != nil {
				return out, err
			}
			var more []string
			more, f.covering = uncovered(own.Suite, ways, needsOf(own, s.all))
			f.lines = append(f.lines, more...)
		}
		all = append(all, f)
	}
	if err := needFirst(ctx, cur, all); err != nil {
		return out, err
	}
	out.quiet = map[string][]way{}
	for _, f := range all {
		of := restoring(cur, f.Capability, f.lines)
		if len(f.lines) > 0 {
			out.offers = append(out.offers, of)
		} else {
			out.quiet[of.subject] = f.covering
		}
	}
	for _, u := range unread {
		out.unread = append(out.unread, Result{Kind: Restore, Capability: u.Name, Outcome: Unread, Reasons: []string{u.Error()}})
	}
	return out, nil
}

// refute says why an open proposal to restore is not needed any more. A way that was in quarantine covers a
// case again only if it is known to have passed its tests.
func (r returning) refute(a asked, s observed) []string {
	if slices.ContainsFunc(s.all, func(e index.Entry) bool { return names.Fold(e.Name) == names.Fold(a.content.Name) }) {
		return []string{"it is in force again"}
	}
	covering, known := r.quiet[a.subject]
	if !known || slices.ContainsFunc(covering, func(w way) bool {
		return s.states[w.Path] == health.Pending && strings.Contains(a.text, w.Tree.Short())
	}) {
		return nil
	}
	return []string{"nothing requires it any more, and its test cases are covered"}
}

// waysOf lists what does the same as an archived capability: what supersedes it, and what implements the
// same.
func waysOf(cur workspace.Session, own capability.Capability, o observed) (out []way, err error) {
	does := names.Fold(cmp.Or(own.Record.Implements, own.Name))
	line := successors(own.Name, o.all)
	for _, e := range o.all {
		if names.Fold(cmp.Or(e.Implements, e.Name)) != does && !slices.ContainsFunc(line, func(l index.Entry) bool { return l.Path == e.Path }) {
			continue
		}
		loaded, _, err := capability.Load(cur.View, e.Path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Path, err)
		}
		out = append(out, way{Entry: e, suite: loaded.Suite, broken: broken(e, o.states)})
	}
	return out, nil
}

// needsOf says what in force needs what an archived capability did; empty for nothing.
func needsOf(own capability.Capability, all []index.Entry) string {
	for _, e := range all {
		for _, did := range []string{own.Name, own.Record.Implements} {
			is := func(n string) bool { return did != "" && names.Fold(n) == names.Fold(did) }
			switch {
			case is(e.Name) && e.SpecOnly:
				return e.Name + " is specified and has no code"
			case slices.ContainsFunc(e.Requires, is):
				return e.Name + " requires " + did
			case slices.ContainsFunc(e.AppliesTo, is):
				return e.Name + " applies to " + did
			}
		}
	}
	return ""
}

// bringing is the offer to restore what a proposal archived, without the means to open it.
func bringing(workspaceID, archived, name string) offer {
	return offer{
		Finding: propose.Finding{Title: "restore " + name, Key: []string{"restore", workspaceID, archived}}, subject: archived,
		again: "it was restored by this proposal for the same reason, and archived again",
	}
}

// restoring offers to undo the archiving.
func restoring(cur workspace.Session, a archive.Capability, lines []string) offer {
	of := bringing(cur.ID(), a.Record.Proposal, a.Name)
	of.Result, of.marks = Result{Kind: Restore, Capability: a.Name, Path: a.Path}, lines
	of.Is = func(_, after tree.View, changes []tree.Change) (bool, error) {
		was, err := a.Before.Lookup(a.Path)
		if err != nil {
			return false, err //nolint:wrapcheck // the caller names the proposal
		}
		r, _, err := propose.Undo(cur, a.Pull)
		if err != nil {
			return false, err
		}
		is, err := after.Lookup(a.Path)
		others := slices.ContainsFunc(changes, func(c tree.Change) bool { // learned lists come back, too
			return !strings.HasPrefix(c.Path, a.Path+"/") && !slices.ContainsFunc(r.Edits, func(e tree.Edit) bool { return e.Path == c.Path })
		})
		return is.Hash == was.Hash && !others && len(changes) > 0, err //nolint:wrapcheck // likewise
	}
	of.ways = func(id string) ([]request, error) {
		evidence := append([]string{fmt.Sprintf("%s was archived by %s on %s.", a.Path, a.Record.Proposal, day(a.At))}, lines...)
		r, wrong, err := propose.Undo(cur, a.Pull)
		r.Proposal.ID, r.Origin = id, provenance.Origin{Way: provenance.History}
		r.Proposal.Goal = fmt.Sprintf("restore %s, which matters again", a.Name)
		r.Proposal.Body = "# Why\n\nThis archived capability is required, or has test cases that nothing else can be relied on for:\n\n" + items(evidence) +
			"\nRejected, it is not proposed again unless something else requires it or happens to these cases.\n"
		return []request{{Request: r.AsEngine(cur.Now()), Capability: a.Name, Path: a.Path, against: faults(wrong), evidence: evidence}}, err
	}
	return of
}

// items are lines as a list in Markdown.
func items(lines []string) string { return "- " + strings.Join(lines, "\n- ") + "\n" }
