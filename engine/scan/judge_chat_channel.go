package scan

import (
	"strings"
)

// judgeChannel drops obvious examples.
func judgeChannel(d *document, m *match) bool {
	text := d.text[m.start:m.end]
	return !isPlaceholder(text[strings.LastIndexByte(text, '/')+1:])
}
