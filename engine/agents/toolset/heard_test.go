package toolset

import (
	"fmt"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/gaps"
)

// TestFirst: a gap is answered once in a connection, and no number of gaps fills the memory.
func TestFirst(t *testing.T) {
	var a Agent
	fax := gaps.Gap{Type: capability.KindTool, Name: "fax"}
	if !first(&a, fax) || first(&a, fax) {
		t.Error("a gap is not answered exactly once")
	}
	if !first(&a, gaps.Gap{Type: capability.KindMCP, Name: "fax"}) {
		t.Error("another type is taken for the same gap")
	}
	for i := range 200 {
		first(&a, gaps.Gap{Type: capability.KindTool, Name: fmt.Sprint("n", i)})
	}
	if len(a.answered) != maxAnswered {
		t.Errorf("%d gaps are kept", len(a.answered))
	}
}
