package forge

import (
	"fmt"
	"strings"
	"unicode"
)

// Quoted returns text as a Markdown code block, for pages that would otherwise act on it:
// no mentions, links, images or HTML. The fence is longer than any run of backticks
// inside. Characters that are invisible or change the direction of text are spelt out.
func Quoted(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	var out strings.Builder
	for _, r := range strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), " \t\r\n") {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp)) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return fence + "text\n" + out.String() + "\n" + fence + "\n"
}
