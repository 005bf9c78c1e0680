package console

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestRegionLeavesAPrompt: a prompt stays on the screen until its line ends.
func TestRegionLeavesAPrompt(t *testing.T) {
	var out bytes.Buffer
	r := &Region{to: &out}
	r.Show(func() []string { return []string{"line"} })
	_, _ = r.Write([]byte("Passphrase: "))
	at := out.Len()
	if r.Redraw(); out.Len() != at {
		t.Errorf("drawn behind the prompt: %q", out.String()[at:])
	}
	_, _ = r.Write([]byte("\n"))
	if !bytes.HasSuffix(out.Bytes(), []byte("line\n\x1b[?7h")) {
		t.Errorf("not drawn again: %q", out.String())
	}
}

// TestRegionFits: as many lines as fit are drawn whole; of more, the last place says that some are left out.
func TestRegionFits(t *testing.T) {
	for n, cut := range map[int]int{maxRegion: 0, maxRegion + 1: 1} {
		var out bytes.Buffer
		r := &Region{to: &out}
		r.Show(func() []string { return slices.Repeat([]string{"line"}, n) })
		if text := out.String(); strings.Count(text, "\n") != maxRegion || strings.Count(text, "…\n") != cut || r.drawn != maxRegion {
			t.Errorf("%d lines: %q, %d drawn", n, text, r.drawn)
		}
	}
}
