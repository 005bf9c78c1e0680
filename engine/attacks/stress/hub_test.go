package stress_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/assent-dev/assent/engine/base/effort"
)

// Several engines share one bare repository, as on one machine, and people work in clones of it.
// Engines are killed at random. The others continue, and so do people who fetch and push.
func TestEnginesOfOneHub(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing ends a process there in the way that SIGKILL does")
	}
	s := seed(t)
	p := newPlace(t, 6)
	hub := filepath.Join(p.root, "hub.git")
	p.must(t, git("clone", "-q", "--mirror", p.dir, hub).in(p.root))
	p.must(t, git("remote", "remove", "origin").in(hub))
	p.dir = hub
	c := &campaign{T: t, place: p, tally: newTally(), actor: actor{p, dice(s, 0)}, checker: newChecker(p)}
	n := newNeighbourhood(c)
	beside := n.begin(t, s, n.fetcher(t), n.pusher(t, "one"), n.pusher(t, "two"))
	c.play(effort.Of(10, 20, 300), effort.Of(10, 20, 300))
	beside.end(t)
	c.verify(nil)
	t.Logf("%s\ngit: %v, told why not %v", c.tally, n.turns, n.told)
}
