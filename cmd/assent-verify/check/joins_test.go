package check

import (
	"strings"
	"testing"
)

// TestJoins: a merged list is ours and then theirs, and nothing else.
func TestJoins(t *testing.T) {
	const list = "## Learned Capabilities"
	for text, want := range map[string]bool{
		"a|a x|a y|a x y":     true,
		"a|a x|a y|a y x":     false,
		"a|a x|a y|a x y z":   false,
		"a|a x|a y|a x":       false,
		"a|b x|a y|b x y":     false,
		"a|a x|b y|a x y":     false,
		"a b|a x|a b y|a x y": false,
		"a|a x|a|a x":         false,
	} {
		var parts [4][]string
		for i, part := range strings.Split(text, "|") {
			parts[i] = strings.Fields(part)
		}
		if got := joins(parts[0], parts[1], parts[2], parts[3]); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if !joins([]string{"a"}, []string{"a", list, "x"}, []string{"a", list, "y"}, []string{"a", list, "x", "y"}) {
		t.Error("the heading of the list is not shared")
	}
}
