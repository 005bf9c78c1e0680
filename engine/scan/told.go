package scan

import (
	"path"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// told are effects that some capabilities are for: what stands in the line of a warning, and
// the words of which the description has to hold one. A description is what a person reads
// before anything else, so nothing is hidden by it.
var told = []struct {
	line  string
	words []string
}{
	{"crontab", []string{"crontab", "cron job", "cron entr"}},
	{"authorized_keys", []string{"authorized_keys", "ssh access", "ssh keys", "authorized keys"}},
}

// lowerTold makes notes of warnings that a schedule or who may log in is changed, where the
// description of the capability says that it is for that. Errors stay: what is fetched, or a
// key that the capability brings along, is never what somebody asked for.
func lowerTold(files []File, found diag.List) {
	for i := range found {
		f := &found[i]
		if f.Severity != diag.Warning || f.Rule != "agent-config-write" {
			continue
		}
		description := ""
		text := ""
		for j := range files {
			name := files[j].Path
			if name == f.Pos.File {
				text = lineOf(string(files[j].Content), f.Pos.Line)
			}
			if dir := path.Dir(name); strings.EqualFold(path.Base(name), "SKILL.md") && (dir == "." || strings.HasPrefix(f.Pos.File, dir+"/")) {
				description = strings.ToLower(frontMatter(string(files[j].Content)))
			}
		}
		for _, effect := range told {
			if strings.Contains(text, effect.line) && containsAny(description, effect.words...) {
				f.Severity = diag.Note
			}
		}
	}
}

// lineOf is the line of a text with a number from 1.
func lineOf(text string, number int) string {
	for line := range strings.Lines(text) {
		if number--; number == 0 {
			return line
		}
	}
	return ""
}
