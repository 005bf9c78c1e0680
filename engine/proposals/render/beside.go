package render

import (
	"fmt"
	"strings"
)

// Beside formats a note that goes with a report but is not part of it, for the forms that people
// read: a title of the engine's own and untrusted lines. Other forms get nothing.
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
