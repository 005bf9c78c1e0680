package attacks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// stranger records trials as an installation that no policy lists, and returns its writer. Each trial
// counts by itself; days of them are on different days.
func (d *world) stranger(salt string, trials, days, width int) trial.Writer {
	d.Helper()
	w := trial.WriterOf([]byte(salt))
	var theirs []trial.Kept
	var last trial.ID
	for n := range trials {
		at := d.Now().UTC().Truncate(time.Second).AddDate(0, 0, n*days/trials-days)
		last = trial.Next(last, at, w)
		model := fmt.Sprintf("m%d%s", n, strings.Repeat("x", width))
		o := trial.Observation{At: at, Source: trial.Self, Level: trial.Followed, Capability: "bowline", Version: "1.0.0", Model: model, Mission: salt, Outcome: trial.Success}
		theirs = append(theirs, trial.Kept{Writer: w, Trial: trial.Trial{V: trial.FormatVersion, ID: last, Observation: o}})
	}
	out, err := triallog.Adopt(d.Context(), d.trials(), theirs)
	d.ok(err)
	return out.Writer
}

func (d *world) trials() triallog.Log {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	return triallog.New(d.Repo, cur.ID(), d.Now)
}

// trialsChecked reads the journals of trials until all are checked.
func (d *world) trialsChecked() {
	d.Helper()
	for range 100 {
		var r triallog.Reading
		d.ok(d.trials().Refresh(&r))
		if !strings.Contains(fmt.Sprint(r.Problems), "later") {
			return
		}
	}
	d.Fatal("the journals are never checked")
}

// What strangers record costs a reader of trials a bounded part of it, and hides no trial of this
// installation.
func TestAttackGrowthOfTrials(t *testing.T) {
	refresh := func(d *world) func(func()) {
		return func(mark func()) {
			var r triallog.Reading
			d.ok(d.trials().Refresh(&r))
			mark()
			if n := r.Book.Observed("reef-knot", "1.0.0", r.Trust(nil)).Uses[trial.Followed]; n != 1 {
				d.succeeds("%d of 1 own trial count", n)
			}
			runtime.KeepAlive(&r)
		}
	}
	visit := func(d *world) func(func()) {
		return func(func()) {
			own := false
			_, err := d.trials().Visit(0, func(k triallog.Kept) bool {
				own = own || k.Capability == "reef-knot"
				return true
			})
			d.ok(err)
			newest, _, err := triallog.Newest(d.trials(), 0, 1)
			d.ok(err)
			if !own || len(newest) != 1 || newest[0].Capability != "reef-knot" {
				d.succeeds("an own trial is not shown")
			}
		}
	}
	for what, v := range map[string]struct {
		growth
		add  func(d *world, n int)
		read func(d *world) func(func())
	}{
		"counts of one": {
			growth{n: 10, piece: 400 << 10, kept: true}, func(d *world, n int) { d.stranger("one", n*1000, 1, 10) }, refresh,
		},
		"counts of many": {
			growth{n: 50, piece: 200 << 10, kept: true}, func(d *world, n int) {
				for i := n - 50; i < n; i++ {
					d.stranger(fmt.Sprint("many", i), 500, 1, 90)
				}
			}, refresh,
		},
		"records": {growth{n: 10, piece: 800 << 10}, func(d *world, n int) { d.stranger("records", n*1000, 1, 10) }, visit},
		"many commits": {growth{n: 1000, piece: 40 << 10}, func(d *world, n int) { d.stranger("commits", n, n, 10) }, func(d *world) func(func()) {
			return func(mark func()) {
				d.ok(os.Remove(filepath.Join(d.dir, ".git", "assent", "trials", "checked.json"))) // as in a new clone
				refresh(d)(mark)
			}
		}},
	} {
		attack(t, what, func(d *world) {
			d.begin()
			_, err := d.trials().Record(d.Context(), trial.Observation{At: d.Now().UTC().Truncate(time.Second), Source: trial.Engine, Level: trial.Followed, Capability: "reef-knot", Version: "1.0.0", Outcome: trial.Success})
			d.ok(err)
			d.ok(d.trials().Commit(d.Context()))
			own, err := d.trials().Own()
			d.ok(err)
			v.growth.add = func(_, to int) {
				if what != "counts of many" {
					for _, ref := range strings.Fields(d.git("for-each-ref", "--format=%(refname)", triallog.Prefix)) {
						if ref != triallog.Ref(own) {
							d.git("update-ref", "-d", ref)
						}
					}
				}
				v.add(d, to)
				d.trialsChecked()
			}
			v.growth.read = v.read(d)
			d.growth(v.growth)
		})
	}
}
