package scan

import (
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeStartUp drops a task of an editor that does not fetch anything. It makes notes of start-up
// entries in prose, and of services of the system in texts.
func judgeStartUp(d *document, m *match) bool {
	text := strings.ToLower(d.text[m.start:m.end])
	if strings.Contains(text, "folderopen") && !reachesOut.MatchString(d.text[max(0, m.start-after):min(len(d.text), m.end+after)]) {
		return false // a watcher of the project's own
	}
	if d.placeOf(m.start)&prose != 0 || strings.Contains(text, "systemctl") && !strings.Contains(text, "--user") && !d.wholeProgram() {
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}

// reachesOut matches a command that fetches, or holds a program within itself.
var reachesOut = expr(`(?i)["'](?:command|args)["']\s*:[^\n]*(?:https?://|\bcurl\b|\bwget\b|base64|\beval\b|powershell|\biex\b|\b(?:node|python3?|perl|ruby)\b[^\w\n]+-[ec]\b)`)

// judgeStartOf is judgeStartUp for the files that a loader or Python reads at each start. A
// .pth file is one if it is among Python's packages or its lines are code; else it holds the
// weights of a model.
func judgeStartOf(d *document, m *match) bool {
	if strings.HasSuffix(strings.ToLower(d.text[m.start:m.end]), ".pth") && !namesPackages(d) && !writesImport(d, m) {
		return false
	}
	line := d.lineAround(m.start)
	if strings.HasPrefix(d.text[m.start:m.end], "/etc/ld.so.preload") && looks.MatchString(d.text[line.start:m.start]) {
		return false
	}
	return judgeStartUp(d, m)
}

// looks matches a command that only looks at the file that follows.
var looks = expr(`\b(?:cat|stat|ls|head|less|sha\d+sum|md5sum|test -\w|\[ -\w)\s+(?:-\w+\s+)*["']?$`)

// writesImport reports whether the line of a match writes a line of code in which Python
// sees an import; only such lines of a .pth are run.
func writesImport(d *document, m *match) bool {
	line := d.lineAround(m.start)
	return importLine().MatchString(d.text[line.start:line.end])
}

var importLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\becho|\bprintf|\bwrite\(|<<<)\s*(?:-\w+\s+)*[bru]*["']?import\s`)
})
