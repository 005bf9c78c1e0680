package toolset

import (
	"fmt"
	"testing"
)

// TestFirst: a gap is answered once in a connection, and no number of gaps fills the memory.
func TestFirst(t *testing.T) {
	var a Agent
	if !first(&a, "tool fax") || first(&a, "tool fax") {
		t.Error("a gap is not answered exactly once")
	}
	if !first(&a, "mcp fax") {
		t.Error("another type is taken for the same gap")
	}
	for i := range 200 {
		first(&a, fmt.Sprint("tool n", i))
	}
	if len(a.answered) != maxAnswered {
		t.Errorf("%d gaps are kept", len(a.answered))
	}
}
