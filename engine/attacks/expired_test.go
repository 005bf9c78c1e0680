package attacks_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// expiring is a world in which mallory's entry expires, with that date.
func expiring(t *testing.T) (*world, time.Time) {
	t.Helper()
	d := newWorld(t)
	until := d.clock.AddDate(0, 0, 2).Truncate(24 * time.Hour)
	d.merged(d.altered("policies/roles.yaml", `emails: [mallory`, `until: "`+until.Format(time.DateOnly)+`", emails: [mallory`))
	return d, until
}

// dates are what may be dated after the expiry, before a clock is set back: main, or the proposal.
func laterDates(at time.Time) map[string]func(d *world, propose func() forge.Pull) forge.Pull {
	onMain := func(write func(d *world)) func(d *world, propose func() forge.Pull) forge.Pull {
		return func(d *world, propose func() forge.Pull) forge.Pull {
			write(d)
			return propose()
		}
	}
	docs := func(d *world, when time.Time, text string) tree.Hash {
		return d.dated(when, "Docs", []tree.Hash{d.main()}, file("docs/knots.md", text))
	}
	recorded := func(kind string) func(d *world, propose func() forge.Pull) forge.Pull {
		return func(d *world, propose func() forge.Pull) forge.Pull {
			p := propose()
			ev := journal.Event{Kind: kind, By: "kublai <kublai@agents.example.org>", At: at}
			if kind == "pushed" {
				ev.Fields = map[string]string{"Old": p.Head.String(), "Head": p.Head.String(), "By-Name": "kublai"}
			}
			d.record(p.ID, ev)
			return p
		}
	}
	return map[string]func(d *world, propose func() forge.Pull) forge.Pull{
		"a commit on main": onMain(func(d *world) { d.put(attest.MainRef, docs(d, at, "Knots.\n")) }),
		"a commit below another one": onMain(func(d *world) {
			d.put(attest.MainRef, docs(d, at, "Knots.\n"))
			d.put(attest.MainRef, docs(d, d.clock, "Hitches.\n"))
		}),
		"a commit past the gate and its revert": onMain(func(d *world) {
			bad := d.dated(at, "Sneak in", []tree.Hash{d.main()}, skill("granny-knot"))
			d.put(attest.MainRef, d.dated(d.clock, "Take it back", []tree.Hash{bad}, tree.Edit{Path: "skills/granny-knot/SKILL.md", Remove: true}))
		}),
		"the opening": func(d *world, propose func() forge.Pull) forge.Pull {
			back := d.clock
			d.clock = at
			p := propose()
			d.clock = back
			return p
		},
		"a push": recorded("pushed"),
	}
}

// A person whose entry has expired sets the clock back, approves and merges. What main or the proposal
// dates after the expiry shows it, for the engine and for every reader: 100 variants.
func TestAttackExpired(t *testing.T) {
	base, until := expiring(t)
	for _, after := range []time.Duration{6 * time.Minute, time.Hour, 24 * time.Hour, 40 * 24 * time.Hour} {
		for _, before := range []time.Duration{time.Minute, 6 * time.Minute, 2 * time.Hour, 12 * time.Hour, 20 * time.Hour} {
			for what, later := range laterDates(until.Add(after)) {
				t.Run(fmt.Sprintf("%s %s after, %s before", what, after, before), func(t *testing.T) {
					d := base.clone(t)
					d.clock = until.Add(-before)
					p := later(d, func() forge.Pull { return d.proposed("kublai", skill("bowline", "\nThen pull.\n")) })
					d.approved(p.ID, "mallory")
					d.begin()
					d.holds(p.ID, "had expired on "+until.Add(after-5*time.Minute).Format(time.DateOnly))
					if before == time.Minute { // readers whose clocks are right
						d.clock = until.Add(after + time.Hour)
						d.unchanged()
					}
				})
			}
		}
	}
}

// A date that anyone with permission to push forged keeps neither other people from approving, nor the
// last humans.
func TestExpiredByOthers(t *testing.T) {
	century := time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	base, _ := expiring(t)
	all := newWorld(t)
	all.merged(all.altered("policies/roles.yaml", "ada: {", `ada: {until: "2090-01-01", `, "bob: {", `bob: {until: "2090-01-01", `))
	for what, later := range laterDates(century) {
		if what == "the opening" {
			continue // a request for approval is not of the future
		}
		for who, w := range map[string]*world{"others": base, "the last humans": all} {
			t.Run(what+": "+who, func(t *testing.T) {
				d := w.clone(t)
				p := later(d, func() forge.Pull { return d.proposed("kublai", skill("bowline", "\nThen pull.\n")) })
				d.approved(p.ID, "ada")
				if out := d.merge(p.ID); !out.Merged {
					t.Errorf("a date keeps ada from merging: %s", out.Refused)
				}
				d.begin()
				d.unchanged()
			})
		}
	}
}

func expiryDefences() map[string]defence {
	return map[string]defence{
		"expiry-is-not-dated-back": {attack: "TestAttackExpired/a commit on main 24h0m0s after, 2h0m0s before"},
	}
}
