package markup_test

import (
	"bytes"
	"testing"

	"github.com/assent-dev/assent/engine/base/markup"
)

// TestParsingWritesNothingBehindItsText: a caller may pass a part of a larger file, and the
// Markdown parser terminates code at the end of a text by appending to the text's memory.
func TestParsingWritesNothingBehindItsText(t *testing.T) {
	for _, text := range []string{"\tY", "```\nY", "- a\n\n      Y", "> ```\n> Y"} {
		file := []byte(text + "|the rest of the file")
		part := file[:len(text)]
		markup.Sections(part)
		markup.References(part)
		markup.CheckClosed("f", part)
		markup.EditSection("f", part, markup.SectionEdit{Section: "b", Mode: markup.Add, Content: part})
		if !bytes.Equal(file, []byte(text+"|the rest of the file")) {
			t.Errorf("%q was changed to %q", text, file)
		}
	}
}
