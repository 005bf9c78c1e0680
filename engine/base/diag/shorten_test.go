package diag_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/diag"
)

func TestShorten(t *testing.T) {
	var all diag.List
	for i := range 5 {
		all.Errorf("a", diag.Pos{File: "f", Line: i}, "", "x")
		all.Warnf("a", diag.Pos{File: "f", Line: i}, "", "x")
		all.Errorf("b", diag.Pos{File: "f", Line: i}, "", "x")
		all.Errorf("a", diag.Pos{File: "g", Line: i}, "", "x")
	}
	all.Errorf("c", diag.Pos{File: "f"}, "", "x")
	all.Sort()
	short := all.Shorten(2)
	if len(short) != 9 || !short.HasErrors() {
		t.Errorf("%d findings: %v", len(short), short)
	}
	more := 0
	for _, d := range short {
		if strings.Contains(d.Message, "3 more") {
			more++
		}
	}
	if more != 4 {
		t.Errorf("%d say that there are more: %v", more, short)
	}
	if got := all.Shorten(5); len(got) != len(all) {
		t.Errorf("nothing is too much, and %d of %d stay", len(got), len(all))
	}
}
