package stress_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/effort"
)

// Processes are killed at random moments, some of them while others work beside them. After each
// round no process runs, and the checker decides.
func TestRandomKills(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing ends a process there in the way that SIGKILL does")
	}
	s := seed(t)
	total := newTally()
	for episode := 0; total.killed() < effort.Of(30, 100, 1000); episode++ {
		c := &campaign{T: t, place: newPlace(t, 6), tally: total}
		c.actor = actor{c.place, dice(s, episode)}
		c.checker = newChecker(c.place)
		c.play(effort.Of(30, 100, 1000), 50)
		if t.Failed() {
			break
		}
	}
	t.Log(total)
}

// campaign is one workspace under test, with its acts and results.
type campaign struct {
	*testing.T
	place   *place
	actor   actor
	checker *checker
	ledger  ledger
	tally   *tally
	// quiet is write-locked while no process may write.
	quiet sync.RWMutex
}

// play runs until there were enough kills, in all campaigns or in this one.
func (c *campaign) play(all, own int) {
	c.Helper()
	end := min(all, c.tally.killed()+own)
	h := c.verify(nil)
	for !c.Failed() && c.tally.killed() < end {
		h = c.round(h)
	}
	if !c.Failed() {
		c.finale()
	}
}

// round starts several acts at once and kills most of them.
func (c *campaign) round(before history) history {
	var acts []act
	for range 1 + c.actor.rand.IntN(4) {
		if len(acts) > 0 && acts[0].on != "" && c.actor.rand.IntN(4) == 0 {
			acts = append(acts, c.actor.about(acts[0].rival(), acts[0].on)) // the same, against each other
			continue
		}
		x, err := c.actor.any(before)
		must(c.T, err)
		acts = append(acts, x)
	}
	for i := range acts {
		acts[i].kill, acts[i].family = c.tally.moment(acts[i].kind, c.actor.rand)
	}
	outcomes := c.start(acts)
	c.locks()
	after := c.verify(outcomes)
	for i, x := range acts {
		c.tally.count(x, outcomes[i], x.reached(before, after))
	}
	return after
}

// rival returns the kind of act that competes with one: the same, except for an update, which
// needs its own draft.
func (x act) rival() string {
	if x.kind == "update" {
		return "rebase"
	}
	return x.kind
}

// start runs acts side by side and records their acknowledged facts.
func (c *campaign) start(acts []act) []outcome {
	outcomes, errs := make([]outcome, len(acts)), make([]error, len(acts))
	var all sync.WaitGroup
	for i, x := range acts {
		all.Go(func() {
			if outcomes[i], errs[i] = c.place.run(c.Context(), x.command); errs[i] == nil {
				var facts []fact
				facts, errs[i] = x.acknowledged(outcomes[i])
				c.ledger.add(facts...)
			}
		})
	}
	all.Wait()
	for i, o := range outcomes {
		must(c.T, errs[i])
		if o.exit != 0 && !o.killed() && reason(o) == "" {
			c.Errorf("no reason that is allowed: %s", o)
		}
	}
	return outcomes
}

// verify runs the checker while no process writes.
func (c *campaign) verify(last []outcome) history {
	c.Helper()
	c.quiet.Lock()
	defer c.quiet.Unlock()
	h, found, err := c.checker.check(c.ledger.all())
	must(c.T, err)
	if len(found) > 0 {
		for _, f := range found {
			c.Error(f)
		}
		for _, o := range last {
			c.Log("after", o)
		}
	}
	return h
}

// locks looks for files that killed processes left. Every other time it leaves them, and the next
// process has to cope with them. Otherwise doctor must name each once it is old enough to tell,
// and must be able to remove it.
func (c *campaign) locks() {
	if c.actor.rand.IntN(2) == 0 {
		c.mend()
	}
}

func (c *campaign) mend() {
	c.quiet.Lock()
	defer c.quiet.Unlock()
	left := c.left()
	if len(left) == 0 {
		return
	}
	old := time.Now().Add(-time.Hour)
	for _, path := range left {
		c.tally.left(path)
		must(c.T, os.Chtimes(path, old, old))
	}
	said := c.place.must(c.T, assent("doctor"))
	for _, path := range left {
		if !strings.Contains(said, path) {
			c.Errorf("doctor does not name %s:\n%s", path, said)
		}
	}
	said = c.place.must(c.T, assent("doctor", "--fix"))
	for _, path := range c.left() {
		c.Errorf("doctor --fix leaves %s:\n%s", path, said)
	}
}

func (c *campaign) left() []string {
	common, err := c.place.common()
	must(c.T, err)
	var out []string
	err = filepath.WalkDir(common, func(path string, d os.DirEntry, err error) error {
		base := filepath.Base(path)
		if strings.HasSuffix(base, ".lock") || strings.HasSuffix(base, ".keep") || strings.HasPrefix(base, "assent-unfinished-") {
			out = append(out, path)
		}
		return err
	})
	must(c.T, err)
	return out
}

// finale checks that a campaign left a working workspace: a proposal passes through its whole
// life, and the audit and doctor find nothing.
func (c *campaign) finale() {
	c.Helper()
	c.mend()
	x, err := c.actor.proposal(name("skill", c.actor.rand))
	must(c.T, err)
	c.life(x)
	undo := c.actor.about("undo", c.last())
	c.life(undo)
	c.verify(nil)
	c.place.must(c.T, assent("audit", "verify"))
	c.place.must(c.T, assent("doctor"))
}

func (c *campaign) last() string {
	facts := c.ledger.all()
	return facts[len(facts)-1].on
}

// life takes a proposal from its opening to main, without interference.
func (c *campaign) life(first act) {
	c.Helper()
	c.succeed(first)
	all := c.ledger.all()
	id := ""
	for _, f := range slices.Backward(all) {
		if f.kind == "opened" {
			id = f.on
			break
		}
	}
	c.succeed(c.actor.about("review", id))
	c.succeed(c.actor.about("merge", id))
}

func (c *campaign) succeed(x act) {
	c.Helper()
	if o := c.start([]act{x})[0]; o.exit != 0 {
		c.Fatal(o)
	}
}

// tally counts the events of a test, for its log.
type tally struct {
	took     map[string][]time.Duration
	kills    map[string]map[phase]int
	late     int // ended before they were killed
	finished map[string]int
	losers   map[string]int
	locks    map[string]int // left by killed processes, named and mended by doctor
}

func newTally() *tally {
	return &tally{took: map[string][]time.Duration{}, kills: map[string]map[phase]int{}, finished: map[string]int{}, losers: map[string]int{}, locks: map[string]int{}}
}

func (t *tally) killed() int {
	n := 0
	for _, by := range t.kills {
		for _, k := range by {
			n += k
		}
	}
	return n
}

// left counts a file that a killed process left, by kind.
func (t *tally) left(path string) {
	kind := filepath.Ext(path)
	switch base := filepath.Base(path); {
	case base == "index.lock" || base == "packed-refs.lock":
		kind = base
	case kind == ".lock":
		kind = "ref.lock"
	case kind == "":
		kind = "unfinished pack"
	}
	t.locks[kind]++
}

func (t *tally) count(x act, o outcome, reached phase) {
	switch {
	case o.killed():
		if t.kills[x.kind] == nil {
			t.kills[x.kind] = map[phase]int{}
		}
		t.kills[x.kind][reached]++
		return
	case o.exit == 0:
		t.finished[x.kind]++
		t.took[x.kind] = append(t.took[x.kind], o.took)
	default:
		t.losers[reason(o)]++
	}
	if o.kill > 0 {
		t.late++
	}
}

func (t *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d kills, %d came too late", t.killed(), t.late)
	for _, kind := range slices.Sorted(maps.Keys(t.kills)) {
		by := t.kills[kind]
		fmt.Fprintf(&b, "\n  %-11s %3d nothing yet, %3d partly visible, %3d all of it visible", kind, by[nothing], by[begun], by[done])
	}
	fmt.Fprintf(&b, "\ndone: %v\ntold why not: %v\nmended: %v", t.finished, t.losers, t.locks)
	return b.String()
}

// moment draws when to kill: within the time that the command took before, or slightly after it. A
// command without a measurement runs to its end first, and so does one in five, so that the
// campaign makes progress.
func (t *tally) moment(kind string, r *rand.Rand) (after time.Duration, family bool) {
	known := t.took[kind]
	if len(known) == 0 || r.IntN(5) == 0 {
		return 0, false
	}
	return 1 + time.Duration(r.Float64()*1.1*float64(pick(r, known))), r.IntN(2) == 0
}
