package doctor

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
)

// checkHub compares the journals of proposals here with those on the remote, if one of the
// two is unreadable.
func checkHub(e *examination) {
	if e.Remote == "" || checkHubFiles(e) { // nothing else can be repaired there before
		return
	}
	inTheWay, err := exchange.Obstacles(e.ctx, e.w, e.Remote)
	if err != nil {
		e.broke("hub", err)
		return
	}
	found, err := exchange.Damages(e.ctx, e.w, e.Remote)
	var unfetched *remote.Partly
	if errors.As(err, &unfetched) {
		err = nil
	}
	if err != nil {
		e.broke("hub", err)
	}
	junk, wrong := exchange.FindJunk(e.ctx, e.w, e.Remote, unfetched)
	if wrong != nil {
		e.broke("hub", wrong)
	}
	// The invariant: what is in the way goes before anything is put in its place, because git stores
	// no ref beside it.
	junk = withObstacles(inTheWay, junk)
	for _, j := range junk {
		reportJunk(e, j)
	}
	for _, d := range found {
		reportDamage(e, d)
	}
	bound, unknown := remote.Bound(e.w.Repo, e.Remote)
	if unknown != nil {
		e.broke("hub", unknown)
	}
	if !bound.IsZero() {
		e.fail("hub", "find out who moved it, then restore it from a clone that has it: git push --force "+names.ShellWord(e.Remote)+" "+names.ShellWord(bound.String())+":refs/heads/main",
			"main of %s was at %s and does not descend from it any more: it was rolled back or rewritten", e.Remote, bound.Short())
		err = errors.Join(err, unknown, exchange.ErrMovedBack)
	}
	if branches := unfetchedBranches(unfetched); len(branches) > 0 {
		e.fail("hub", "delete them there and push them again from a clone that has them", "%s on %s cannot be fetched: %v", strings.Join(branches, ", "), e.Remote, unfetched.Err)
		err = unfetched
	}
	if unfetched != nil && len(unfetched.Untried) > 0 {
		e.fail("hub", cmp.Or(e.Hint(unfetched), "the same command again"), "%s on %s were not compared: %v", plural(len(unfetched.Untried), "ref"), e.Remote, unfetched.Err)
		err = unfetched
	}
	if len(found)+len(junk) == 0 && err == nil && wrong == nil {
		e.ok("hub", "every journal on %s and here can be read", e.Remote)
	}
}

// withObstacles returns the junk with the refs in the way first, each once.
func withObstacles(inTheWay, junk []exchange.Junk) []exchange.Junk {
	out := slices.Clone(inTheWay)
	for _, j := range junk {
		if i := slices.IndexFunc(inTheWay, func(o exchange.Junk) bool { return o.Ref == j.Ref }); i >= 0 {
			out[i] = j
			continue
		}
		out = append(out, j)
	}
	return out
}

// unfetchedBranches are the refs that are no records: FindJunk reports those.
func unfetchedBranches(unfetched *remote.Partly) []string {
	if unfetched == nil {
		return nil
	}
	return slices.DeleteFunc(unfetched.Damaged(), func(ref string) bool { return strings.HasPrefix(ref, workspace.RecordPrefix) })
}

// reportNameless reports a ref of the remote that a fetch finds without an object: git neither
// moves nor deletes it, and takes no push beside it.
func reportNameless(e *examination, ref string) {
	e.fail("hub", "remove the file "+ref+" in the repository there, then assent push "+names.ShellWord(e.Remote)+" from a clone that has it",
		"the file of %s on %s holds no object name, and git accepts no push there", ref, e.Remote)
}

func reportJunk(e *examination, j exchange.Junk) {
	const says = "%s on %s is an invalid record, and may prevent others from publishing theirs: %v"
	replace := func(ctx context.Context) error { return exchange.Replace(ctx, e.w, e.Remote, j) }
	if j.OnThisSide {
		e.fail("hub", "assent doctor --fix --remote="+names.ShellWord(e.Remote), "%s here is an invalid record: %v", j.Ref, j.Why).
			by(replace, "put back what can be read here and on %s; %s in this clone keeps the present state", e.Remote, j.Kept())
		return
	}
	if j.There.IsZero() {
		reportNameless(e, j.Ref)
		return
	}
	if !strings.HasPrefix(j.Ref, workspace.RecordPrefix) { // a branch may be of use to a person
		e.fail("hub", exchange.Removal(e.Remote, j.Ref), "the ref %s on %s keeps journals or branches of proposals from being published", j.Ref, e.Remote)
		return
	}
	if j.Stays {
		e.fail("hub", "run assent doctor --fix --remote in a clone that has it; nothing is removed, because records may be below it", says, j.Ref, e.Remote, j.Why)
		return
	}
	does := "remove it there"
	switch {
	case j.Fetched:
		does = "remove it there and here"
	case !j.Here.IsZero():
		does = "replace it by the one here"
	}
	e.fail("hub", "assent doctor --fix --remote="+names.ShellWord(e.Remote), says, j.Ref, e.Remote, j.Why).
		by(replace, "%s; %s in this clone keeps it, if it could be fetched", does, j.Kept())
}

func reportDamage(e *examination, d exchange.Damage) {
	where, at, other := "on "+e.Remote, d.There, "here"
	if d.OnThisSide {
		where, at, other = "here", d.Here, "on "+e.Remote
	}
	if d.Silent {
		reportUnproved(e, d)
		return
	}
	if d.There.IsZero() && !d.OnThisSide {
		reportNameless(e, local.PullPrefix+d.ID)
		return
	}
	kept := local.DamagedPrefix + d.ID + "/" + at.Short()
	restore := func(ctx context.Context) error {
		_, err := exchange.Restore(ctx, e.w, e.Remote, d)
		return err
	}
	if d.Cut {
		e.fail("hub", "assent doctor --fix --remote="+names.ShellWord(e.Remote)+", if no clone has it intact",
			"the journal of %s cannot be read %s, is not whole %s, and no merge rests on it: %v", d.ID, where, other, d.Why).
			by(restore, "reset it to its readable part; %s in this clone keeps the present state", kept)
		return
	}
	if !d.Restorable {
		who := "the people who proposed, reviewed or merged it"
		if len(d.Actors) > 0 {
			who = strings.Join(d.Actors, ", ")
		}
		e.fail("hub", "run assent doctor --fix --remote in a clone that has it; ask "+who,
			"the journal of %s cannot be read %s, and is not whole %s: %v", d.ID, where, other, d.Why)
		return
	}
	if d.Worse {
		e.fail("hub", "assent doctor --fix --remote="+names.ShellWord(e.Remote), "the journal of %s %s was rewritten: %v", d.ID, where, d.Why).
			by(restore, "replace it by the one here; %s in this clone keeps the present state", kept)
		return
	}
	e.fail("hub", "assent doctor --fix --remote="+names.ShellWord(e.Remote), "the journal of %s cannot be read %s, and is intact %s: %v", d.ID, where, other, d.Why).
		by(restore, "restore it %s; %s in this clone keeps the present state, as far as it exists", where, kept)
}

// reportUnproved reports a journal that does not prove a merge on the remote's main.
func reportUnproved(e *examination, d exchange.Damage) {
	if !d.Restorable {
		who := "the people who proposed, reviewed or merged it"
		if len(d.Actors) > 0 {
			who = strings.Join(d.Actors, ", ")
		}
		e.fail("hub", "run assent doctor --fix --remote in a clone that has it; ask "+who,
			"main of %s has the merge of %s, and no journal there or here proves it: %v", e.Remote, d.ID, d.Why)
		return
	}
	const says = "main of %s has the merge of %s, and the journal there does not prove it; the one here does: %v"
	if d.Here.IsZero() { // it is folded here, so its whole line is published
		e.fail("hub", "assent push "+names.ShellWord(e.Remote), says, e.Remote, d.ID, d.Why)
		return
	}
	e.fail("hub", "assent doctor --fix --remote="+names.ShellWord(e.Remote), says, e.Remote, d.ID, d.Why).
		by(func(ctx context.Context) error {
			_, err := exchange.Restore(ctx, e.w, e.Remote, d)
			return err
		}, "put the journal back on %s", e.Remote)
}
