package health

import (
	"fmt"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
)

func met(known []Pattern, p capability.ErrorPattern, v capability.Version, hours int) []Pattern {
	return meet(known, PatternKey(p.Match), p.Resolved, v, at(hours))
}

// TestMeet checks that each pattern has its own count and times. A resolved one that occurs has
// returned, until the record declares it unresolved. Those not met for longest are dropped.
func TestMeet(t *testing.T) {
	short, odd := capability.ErrorPattern{Match: "too short"}, capability.ErrorPattern{Match: "odd"}
	var known []Pattern
	for n, p := range []capability.ErrorPattern{short, odd, short} {
		known = met(known, p, "1.0.0", n)
	}
	if len(known) != 2 || known[0].Seen != 2 || !known[0].First.Equal(at(0)) || !known[0].Last.Equal(at(2)) || known[0].Returned != nil || known[1].Seen != 1 || known[1].Key != PatternKey("odd") {
		t.Fatalf("%+v", known)
	}
	short.Resolved = true
	before := met(known, short, "1.1.0", 3)
	after := met(before, short, "1.2.0", 4)
	if r := after[0].Returned; after[0].Seen != 4 || r == nil || r.Seen != 2 || !r.First.Equal(at(3)) || !r.Last.Equal(at(4)) || r.Version != "1.2.0" || before[0].Returned.Seen != 1 {
		t.Fatalf("%+v %+v", after[0], r)
	}
	short.Resolved = false
	if back := met(after, short, "1.3.0", 5); back[0].Returned != nil || back[0].Seen != 5 {
		t.Errorf("%+v", back[0])
	}
	for n := range maxPatterns {
		known = met(known, capability.ErrorPattern{Match: fmt.Sprint(n)}, "1.0.0", n)
	}
	if len(known) != maxPatterns || known[maxPatterns-1].Key != PatternKey("0") {
		t.Errorf("%d are kept, the last is %+v", len(known), known[len(known)-1])
	}
}
