package attacks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func scheduleDefences() map[string]defence {
	return map[string]defence{
		"schedules-are-read-alike":  {attack: "TestAttackSchedules/texts"},
		"a-fault-refuses-one-claim": {attack: "TestAttackSchedules/on main", with: []string{"schedules-are-read-alike"}},
	}
}

// schedules are texts that begin like a time zone before a schedule. cron reads the zone up to a
// space; whether a zone exists depends on the machine.
func schedules() (whole, broken []string) {
	for _, before := range []string{"TZ=", "CRON_TZ="} {
		for _, zone := range []string{"", "UTC", "Europe/Berlin", "Nowhere/At_all", "../../etc/passwd", "=", "Local", strings.Repeat("x", 300)} {
			for _, after := range []string{"", "\t0\t3\t*\t*\t*", "\t", "\u00a00 3 * * *", " ", " TZ=UTC", " CRON_TZ=UTC 0 3 * * *", " 0 3 * *"} {
				broken = append(broken, before+zone+after)
			}
			if zone != "=" {
				whole = append(whole, before+zone+" 0 3 * * *", before+zone+"  @daily")
			}
		}
	}
	return whole, broken
}

// A schedule on which the parser breaks, or that one machine takes and another refuses, is an error
// like any other, and a merge that brings it holds up no reader.
func TestAttackSchedules(t *testing.T) {
	whole, broken := schedules()
	attack(t, "texts", func(d *world) {
		judged := func(text string) (err error) {
			defer func() {
				if broke := recover(); broke != nil {
					d.succeeds("%q ends the program: %v", text, broke)
				}
			}()
			return workspace.Schedule(text)
		}
		for _, text := range broken {
			if judged(text) == nil {
				d.succeeds("%q is a schedule", text)
			}
		}
		for _, text := range whole {
			if err := judged(text); err != nil {
				d.succeeds("%q is refused here, and where the zone is known it is not: %v", text, err)
			}
		}
		if len(broken) < 100 {
			d.Errorf("%d variants", len(broken))
		}
	})
	t.Run("on main", func(t *testing.T) {
		d := newTightened(t)
		p := d.proposed("kublai", skill("clove-hitch"))
		main, honest := d.main(), d.ref(local.PullPrefix+p.ID)
		for i, text := range broken {
			if i%8 != 0 && testing.Short() {
				continue
			}
			d.scheduled(p.ID, p.Head, text)
			d.put(attest.MainRef, main)
			d.put(local.PullPrefix+p.ID, honest)
		}
	})
}

// scheduled merges a proposal that also brings a workflow with a schedule, past the gate.
func (d tightened) scheduled(id string, head tree.Hash, text string) {
	d.Helper()
	defer func() {
		if broke := recover(); broke != nil {
			d.succeeds("%q on main ends every reader: %v", text, broke)
		}
	}()
	flow := file("workflows/tick.yaml", fmt.Sprintf("name: tick\non: {schedule: %q}\njobs:\n  a: {uses: gc}\n", text))
	c := d.commit("Tick", []tree.Hash{head}, flow)
	d.record(id, journal.Event{Kind: "pushed", By: "m", Fields: map[string]string{"Head": c.String()}, Files: actorFile("m")})
	cur, err := d.Session(d.Context())
	d.ok(err)
	result, err := cur.Result(cur.Main, c)
	d.ok(err)
	d.merges(id, result.Tree, c, "")
	d.readers(blocked)
}
