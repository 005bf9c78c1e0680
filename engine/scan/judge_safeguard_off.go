package scan

import (
	"slices"
	"strings"
)

// switched matches a switch of Windows' virus scanner that disables something, and its value.
var switched = expr(`(?i)-Disable\w+(?:[ \t]*[:=][ \t]*|[ \t]+)(\S+)`)

// judgeSafeguard leaves a protection alone that is switched on.
func judgeSafeguard(d *document, m *match) bool {
	line := d.lineAround(m.start)
	all := switched.FindAllStringSubmatch(d.text[line.start:line.end], -1)
	on := slices.IndexFunc(all, func(s []string) bool {
		return !slices.Contains([]string{"$false", "${false}", "0"}, strings.ToLower(s[1]))
	}) < 0
	if on && len(all) > 0 && strings.Count(strings.ToLower(d.text[line.start:line.end]), "-disable") == len(all) && !strings.Contains(strings.ToLower(d.text[m.start:line.end]), "-exclusion") {
		return false
	}
	return judgeWipe(d, m)
}
