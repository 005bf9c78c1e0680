package doctor

import (
	"context"
	"strings"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/forge/local"
)

// checkHub compares the journals of proposals here with those on the remote, if one of the
// two is unreadable.
func checkHub(e *examination) {
	if e.Remote == "" {
		return
	}
	inTheWay, err := exchange.Obstacles(e.ctx, e.w, e.Remote)
	if err != nil {
		e.broke("hub", err)
		return
	}
	for _, ref := range inTheWay {
		e.fail("hub", "git push "+e.Remote+" --delete "+ref, "the ref %s on %s keeps journals or branches of proposals from being published", ref, e.Remote)
	}
	found, err := exchange.Damages(e.ctx, e.w, e.Remote)
	if err != nil {
		e.broke("hub", err)
	}
	for _, d := range found {
		reportDamage(e, d)
	}
	junk, wrong := exchange.FindJunk(e.ctx, e.w, e.Remote)
	if wrong != nil {
		e.broke("hub", wrong)
	}
	for _, j := range junk {
		does := "remove it there"
		switch {
		case j.Fetched:
			does = "remove it there and here"
		case !j.Here.IsZero():
			does = "replace it by the one here"
		}
		e.fail("hub", "assent doctor --fix --remote="+e.Remote, "%s on %s is an invalid record, and prevents others from publishing theirs or fails their audits: %v", j.Ref, e.Remote, j.Why).
			by(func(ctx context.Context) error { return exchange.Replace(ctx, e.w, e.Remote, j) }, "%s; %s in this clone keeps it", does, j.Kept())
	}
	if len(found)+len(inTheWay)+len(junk) == 0 && err == nil && wrong == nil {
		e.ok("hub", "every journal on %s and here can be read", e.Remote)
	}
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
	kept := local.DamagedPrefix + d.ID + "/" + at.Short()
	restore := func(ctx context.Context) error {
		_, err := exchange.Restore(ctx, e.w, e.Remote, d)
		return err
	}
	if d.Cut {
		e.fail("hub", "assent doctor --fix --remote="+e.Remote+", if no clone has it intact",
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
	e.fail("hub", "assent doctor --fix --remote="+e.Remote, "the journal of %s cannot be read %s, and is intact %s: %v", d.ID, where, other, d.Why).
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
		e.fail("hub", "assent push "+e.Remote, says, e.Remote, d.ID, d.Why)
		return
	}
	e.fail("hub", "assent doctor --fix --remote="+e.Remote, says, e.Remote, d.ID, d.Why).
		by(func(ctx context.Context) error {
			_, err := exchange.Restore(ctx, e.w, e.Remote, d)
			return err
		}, "put the journal back on %s", e.Remote)
}
