package markup_test

import (
	"bytes"
	"testing"

	"github.com/assent-dev/assent/engine/base/markup"
)

// A caller may pass a part of a larger file. The Markdown parser ends code at the
// end of a text with a line end that it appends to the text's own memory.
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
