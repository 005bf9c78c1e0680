package health

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/assent-dev/assent/engine/registry/resolution"
)

// TestContexts: uses count for each of their tags, the last first; what speaks neither for nor
// against counts for none. Of too many tags the ones that were not used for longest go.
func TestContexts(t *testing.T) {
	e := New("d", "1.0.0")
	use := func(o Outcome, tags ...string) {
		t.Helper()
		var err error
		if e, err = e.Step(Evidence{Kind: Use, Outcome: o, At: at(e.Uses), Context: tags}, Thresholds{}); err != nil {
			t.Fatal(err)
		}
	}
	use(Passed, "eu", "csv")
	use(Failed, "csv")
	use(Nothing, "csv", "us")
	use(Passed)
	want := []Context{{"csv", 2, 1, at(1)}, {"eu", 1, 0, at(0)}}
	if fmt.Sprint(e.Contexts) != fmt.Sprint(want) || e.Uses != 4 || e.Neither != 1 {
		t.Fatalf("%+v", e)
	}
	before := e
	use(Failed, "eu")
	if before.Contexts[1].Failures != 0 {
		t.Error("a step changes the entry before it")
	}
	w := e.Way("x")
	if w.All != (resolution.Tally{Tried: 4, Passed: 2}) || w.Contexts["csv"] != (resolution.Tally{Tried: 2, Passed: 1}) || w.Contexts["eu"] != (resolution.Tally{Tried: 2, Passed: 1}) || len(w.Contexts) != 2 {
		t.Errorf("%+v", w)
	}
	for n := range maxContexts {
		use(Passed, fmt.Sprint("t", n))
	}
	if len(e.Contexts) != maxContexts || e.Contexts[0].Tag != fmt.Sprint("t", maxContexts-1) || e.Contexts[maxContexts-1].Tag != "t0" {
		t.Errorf("%d are kept, from %v to %v", len(e.Contexts), e.Contexts[0], e.Contexts[len(e.Contexts)-1])
	}
}

// TestOldEntry checks that an entry from before contexts existed is still read.
func TestOldEntry(t *testing.T) {
	var e Entry
	if err := json.Unmarshal([]byte(`{"digest":"d","version":"1.0.0","state":"green","uses":10,"failures":2,"in_a_row":0}`), &e); err != nil {
		t.Fatal(err)
	}
	if w := e.Way("x"); w.All != (resolution.Tally{Tried: 10, Passed: 8}) || len(w.Contexts) != 0 {
		t.Errorf("%+v", w)
	}
}
