package render

import (
	"fmt"
	"strings"
)

// Beside is what is told beside a report and is no part of it, in the forms that
// people read: a title of the engine's own and untrusted lines. Other forms have no
// place for it and get nothing.
func Beside(format, title string, lines []string) []byte {
	var out strings.Builder
	switch format {
	case FormatText:
		fmt.Fprintf(&out, "%s\n", plain(title))
		for _, l := range lines {
			fmt.Fprintf(&out, "    %s\n", plain(l))
		}
	case FormatMarkdown:
		fmt.Fprintf(&out, "\n**%s**\n\n", plain(title))
		for _, l := range lines {
			fmt.Fprintf(&out, "- %s\n", codeSpan(l))
		}
	}
	return []byte(out.String())
}
