package attacks_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func growthDefences() map[string]defence {
	const announced = "TestAttackGrowth/announcements/"
	return map[string]defence{
		"parts-hold-outlines":           {attack: announced + "merging: a note"},
		"attestations-are-small":        {attack: announced + "merging: zeros of its own"},
		"attestations-hold-few-objects": {attack: announced + "merging: many empty objects"},
		"unneeded-files-are-weighed":    {attack: "TestAttackGrowthOfProposals/files"},
		"origins-are-read-once":         {attack: "TestAttackGrowthOfProposals/notes"},

		"pulls-of-runs-have-a-budget":    {attack: "TestAttackGrowthOfPulledRuns/of its own"},
		"strangers-counts-are-bounded":   {attack: "TestAttackGrowthOfTrials/counts of one"},
		"strangers-share-one-budget":     {attack: "TestAttackGrowthOfTrials/counts of many"},
		"strangers-records-are-bounded":  {attack: "TestAttackGrowthOfTrials/records"},
		"strangers-are-checked-in-parts": {attack: "TestAttackGrowthOfTrials/many commits"},
	}
}

// growth compares what a reader allocates for junk, and for twice as much junk. piece is the size
// of one piece of junk: a reader may not pay half of it for each further piece.
type growth struct {
	piece int64
	// n is the number of pieces; crowd if it is zero.
	n int
	// add adds n pieces, and the second time as many again.
	add func(from, to int)
	// read reads in a new process, and calls mark while it holds most.
	read func(mark func())
	// kept counts live objects at the mark only, because reading every piece once is allowed.
	kept bool
}

func (d *world) growth(g growth) {
	d.Helper()
	cost := func() int64 {
		d.reopen()
		if g.kept {
			m := newMeter()
			g.read(m.mark)
			return m.most
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		g.read(func() {})
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc - before.TotalAlloc) //nolint:gosec // far below the limit
	}
	n := cmp.Or(g.n, crowd)
	g.add(0, n)
	cost() // what is prepared once
	once := cost()
	g.add(n, 2*n)
	if twice := cost(); twice-once > int64(n)*g.piece/2 {
		d.succeeds("%d kB for %d pieces of junk, %d kB for %d", once>>10, n, twice>>10, 2*n)
	}
}

// announcements are events that announce the merge once more, with the junk of one piece.
func announcements(d tightened) map[string]struct {
	growth
	event func(n int) journal.Event
} {
	type variant = struct {
		growth
		event func(n int) journal.Event
	}
	const big = 2 << 20
	commit := map[string]string{"Commit": d.at.String()}
	file := func(name string, data func(n int) []byte) func(int) journal.Event {
		return func(n int) journal.Event {
			return journal.Event{Fields: commit, Files: map[string][]byte{name: data(n)}}
		}
	}
	text := func(n int) string { return fmt.Sprint(n, strings.Repeat("x", heavy)) }
	att := func(n int, more string) []byte {
		data, err := json.Marshal(attest.Attestation{V: 1, Proposal: d.pull.ID, Engine: fmt.Sprint(n)})
		d.ok(err)
		return []byte(strings.TrimSuffix(string(data), "}") + more + "}")
	}
	costs, keeps := growth{piece: big}, growth{piece: heavy, kept: true}
	return map[string]variant{
		"zeros that all share": {costs, file("attestation.json", func(int) []byte { return make([]byte, big) })},
		"zeros of its own":     {costs, file("attestation.json", func(n int) []byte { return append(make([]byte, big), byte(n)) })},
		"a signature of zeros": {costs, file("attestation.sig", func(n int) []byte { return append(make([]byte, big), byte(n)) })},
		"another file":         {costs, file("more.json", func(n int) []byte { return append(make([]byte, big), byte(n)) })},
		"many empty objects": {growth{piece: 20 * heavy}, file("attestation.json", func(n int) []byte {
			return att(n, `,"tests":[{}`+strings.Repeat(",{}", heavy/3)+`]`)
		})},
		"a note": {keeps, func(n int) journal.Event { return journal.Event{Fields: commit, Note: text(n)} }},
		"a field": {growth{piece: heavy / 4, kept: true}, func(n int) journal.Event {
			return journal.Event{Fields: map[string]string{"Commit": commit["Commit"], "More": text(n)[:heavy/4]}}
		}},
		"the commit": {growth{piece: heavy / 4, kept: true}, func(n int) journal.Event {
			return journal.Event{Fields: map[string]string{"Commit": text(n)[:heavy/4]}}
		}},
		"an attestation that fits": {keeps, file("attestation.json", func(n int) []byte { return att(n, `,"service":"`+text(n)+`"`) })},
	}
}

// What a pusher adds costs a reader its share once, however much it inflates to: a few kilobytes on
// the hub must not become gigabytes or minutes for all others.
func TestAttackGrowth(t *testing.T) {
	t.Run("announcements", func(t *testing.T) {
		base := newTightened(t)
		for what, v := range announcements(base) {
			for _, kind := range []string{"merging", "report"} {
				t.Run(kind+": "+what, func(t *testing.T) {
					d := base.copied(t)
					v.add = func(from, to int) {
						history := d.events()
						for n := from; n < to; n++ {
							ev := v.event(n)
							ev.Kind, ev.At, ev.By = kind, d.tick(), "bob"
							stored, err := journal.Continue(d.Repo, history, ev)
							d.ok(err)
							history = append(history, stored)
						}
						d.ok(d.Repo.Sync())
						d.put(local.PullPrefix+d.pull.ID, history[len(history)-1].Commit)
					}
					v.read = func(mark func()) {
						all, _, err := d.Record.Announced(d.Context(), d.pull.ID, d.at)
						d.ok(err)
						mark()
						runtime.KeepAlive(all)
						fresh, err := d.newReader()
						d.ok(err)
						mark()
						runtime.KeepAlive(fresh)
					}
					d.growth(v.growth)
					d.readers(stands)
				})
			}
		}
	})
}
