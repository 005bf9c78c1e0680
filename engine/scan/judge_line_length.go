package scan

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

func longLines(_ *machine, d *document) []match {
	for i := range d.lines {
		if s := d.lineSpan(i); s.end-s.start > maxLine && !inlineData(d.text[s.start:s.end]) {
			return []match{{start: s.start, end: s.start + maxEvidence, severity: diag.Warning,
				message: fmt.Sprintf("a line of %d bytes is too long to be read", s.end-s.start)}}
		}
	}
	return nil
}

// inlineData reports whether a line is long because it embeds a picture.
func inlineData(line string) bool {
	i := strings.Index(line, "data:image/")
	return i >= 0 && i < maxLine && !strings.ContainsAny(line[i:], " \t")
}
