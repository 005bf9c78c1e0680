package attacks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

func erasedDefences() map[string]defence {
	return map[string]defence{
		"erased-journals-keep-their-records":     {attack: "TestAttackErased/another story"},
		"erased-journals-are-compared-in-bounds": {attack: "TestAttackErased/many batches"},
	}
}

// eraser is an installation that records one story, and as its own copy another one, whose records it erases.
type eraser struct {
	t      *testing.T
	reader *gitstore.Repo
	writer trial.Writer
	// before and after are the ends of the two journals.
	before, after tree.Hash
}

const erasersWorkspace = "1111111111111111111111111111111111111111"

var erasersTime = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// tell records observations, each batch of them a day later, and returns the journal's end.
func (e *eraser) tell(repo *gitstore.Repo, batches [][]trial.Observation, erase bool) tree.Hash {
	e.t.Helper()
	ok := func(err error) {
		e.t.Helper()
		if err != nil {
			e.t.Fatal(err)
		}
	}
	day := 0
	l := triallog.New(repo, erasersWorkspace, func() time.Time { return erasersTime.AddDate(0, 0, day) })
	for ; day < len(batches); day++ {
		_, err := l.Record(e.t.Context(), batches[day]...)
		ok(err)
		ok(l.Commit(e.t.Context()))
	}
	var err error
	if erase {
		_, err = triallog.Erase(e.t.Context(), l, triallog.Selection{Agent: "scout"}, false)
		ok(err)
	}
	e.writer, err = l.Own()
	ok(err)
	storetest.Git(e.t, e.reader.CommonDir(), "fetch", "-q", repo.CommonDir(), triallog.Ref(e.writer))
	tip, err := repo.Ref(triallog.Ref(e.writer))
	ok(err)
	return tip
}

// erasing has a reader with both journals of one key.
func erasing(t *testing.T, story, other [][]trial.Observation) *eraser {
	t.Helper()
	e := &eraser{t: t, reader: storetest.NewRepo(t)}
	one, two := storetest.NewRepo(t), storetest.NewRepo(t)
	e.before = e.tell(one, story, false)
	key := filepath.Join("assent", "trials", "key")
	data, err := os.ReadFile(filepath.Join(one.CommonDir(), key))
	if err != nil {
		t.Fatal(err)
	}
	storetest.Write(t, two.CommonDir(), key, string(data))
	if err := os.Chmod(filepath.Join(two.CommonDir(), key), 0o600); err != nil {
		t.Fatal(err)
	}
	e.after = e.tell(two, other, true)
	return e
}

// take lets the reader go on from the first journal to the second one.
func (e *eraser) take(listed ...trial.Writer) (tree.Hash, error) {
	e.t.Helper()
	checks, err := triallog.New(e.reader, erasersWorkspace, time.Now, listed...).Checks()
	if err != nil {
		e.t.Fatal(err)
	}
	return checks.Take(e.writer, e.before, e.after)
}

// An installation that erased records replaces its journal. What it recorded before stays: an erasure that
// changes, drops or adds a record is not taken, and comparing one costs a reader a bounded part.
func TestAttackErased(t *testing.T) {
	story := func(batches, each int) (out [][]trial.Observation) {
		for b := range batches {
			var batch []trial.Observation
			for i := range each {
				batch = append(batch, trial.Observation{
					At: erasersTime, Source: trial.Engine, Level: trial.Followed, Agent: "scout", Mission: "m", Task: "a task", Capability: "bowline", Version: "1.0.0",
					Blob: strings.Repeat("a", 40), Model: "large", Tags: []string{"eu"}, Outcome: trial.Failure, MS: 5, Cost: 1, Tokens: int64(b*each + i + 1), Error: "timeout",
				})
			}
			out = append(out, batch)
		}
		return out
	}
	t.Run("honest", func(t *testing.T) {
		e := erasing(t, story(2, 3), story(2, 3))
		if at, err := e.take(e.writer); err != nil || at != e.after {
			t.Fatal(at, err)
		}
	})
	t.Run("another story", func(t *testing.T) {
		for what, change := range map[string]func(*trial.Observation){
			"outcome":    func(o *trial.Observation) { o.Outcome, o.Error = trial.Success, "" },
			"partial":    func(o *trial.Observation) { o.Outcome = trial.Partial },
			"open":       func(o *trial.Observation) { o.Outcome, o.Error = trial.Open, "" },
			"capability": func(o *trial.Observation) { o.Capability = "reef-knot" },
			"version":    func(o *trial.Observation) { o.Version = "2.0.0" },
			"blob":       func(o *trial.Observation) { o.Blob = strings.Repeat("b", 40) },
			"no blob":    func(o *trial.Observation) { o.Blob = "" },
			"model":      func(o *trial.Observation) { o.Model = "small" },
			"tags":       func(o *trial.Observation) { o.Tags = nil },
			"source":     func(o *trial.Observation) { o.Source = trial.Self },
			"level":      func(o *trial.Observation) { o.Level = trial.Loaded },
			"method":     func(o *trial.Observation) { o.Method = "tie" },
			"ms":         func(o *trial.Observation) { o.MS = 0 },
			"cost":       func(o *trial.Observation) { o.Cost = 0 },
			"tokens":     func(o *trial.Observation) { o.Tokens = 900 },
			"error":      func(o *trial.Observation) { o.Error = "refused_input" },
			"instant":    func(o *trial.Observation) { o.At = o.At.Add(-time.Hour) },
			"not erased": func(o *trial.Observation) { o.Agent, o.Task = "marco", "another task" },
		} {
			for n := range 6 {
				t.Run(fmt.Sprint(what, n), func(t *testing.T) {
					other := story(2, 3)
					change(&other[n/3][n%3])
					e := erasing(t, story(2, 3), other)
					if at, err := e.take(e.writer); err == nil || at == e.after {
						t.Errorf(succeeded+"an erasure changed a record (%s)", what)
					}
				})
			}
		}
		for n := range 6 {
			t.Run(fmt.Sprint("dropped", n), func(t *testing.T) {
				other := story(2, 3)
				other[n/3] = slices.Delete(other[n/3], n%3, n%3+1)
				e := erasing(t, story(2, 3), other)
				if at, err := e.take(e.writer); err == nil || at == e.after {
					t.Errorf(succeeded + "an erasure dropped a record")
				}
			})
		}
	})
	t.Run("many batches", func(t *testing.T) {
		cost := func(batches int) uint64 {
			e := erasing(t, story(batches, 1), story(batches, 1))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := e.take(); !triallog.IsLater(err) {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		if one, two := cost(700), cost(1400); two > one+one/2 {
			t.Errorf(succeeded+"comparing twice as many batches takes %d bytes instead of %d", two, one)
		}
	})
}
