package cli

import (
	"slices"
	"testing"
)

// TestFirstDay: each command of the first day exists, and they are ten.
func TestFirstDay(t *testing.T) {
	n := 0
	for _, task := range firstDay {
		for _, name := range task.commands {
			if !slices.ContainsFunc(Commands(), func(d Description) bool { return d.Path == "assent "+name }) {
				t.Errorf("there is no %s", name)
			}
			n++
		}
	}
	if n != 10 {
		t.Errorf("the first day has %d commands", n)
	}
}
