package scan

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
)

// fourNumbers matches an address of four numbers.
var fourNumbers = expr(`\b\d{1,3}(?:\.\d{1,3}){3}\b`)

// knownResolver reports whether address is that of a public resolver.
func knownResolver(address string) bool {
	return slices.Contains([]string{"9.9.9.9", "9.9.9.10", "9.9.9.11", "149.112.112.112", "1.0.0.1", "1.0.0.2", "1.0.0.3", "208.67.222.222", "208.67.220.220",
		"94.140.14.14", "94.140.15.15", "185.228.168.9", "185.228.169.9", "76.76.2.0", "76.76.10.0", "194.242.2.2", "5.1.66.255", "84.200.69.80"}, address)
}

// judgeResolver drops a public resolver and one in the own network. A resolver in a text is a note.
func judgeResolver(d *document, m *match) bool {
	address := m.group(d, 1)
	if knownResolver(address) || localAddress(address) || d.inComment(m.start) {
		return false
	}
	if !d.whole {
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}

// judgeHostsFile keeps a program that writes the table of names, and names a machine outside of
// the own network.
func judgeHostsFile(d *document, m *match) bool {
	near := d.text[max(0, m.start-before):min(len(d.text), m.end+before)]
	if !d.wholeProgram() || d.inComment(m.start) || !hostsWritten.MatchString(near) {
		return false
	}
	return slices.ContainsFunc(fourNumbers.FindAllStringIndex(d.text, 40), func(loc []int) bool {
		address := d.text[loc[0]:loc[1]]
		return !localAddress(address) && !knownResolver(address)
	}) && softenShown(d, m)
}

// hostsWritten matches a write into a file.
var hostsWritten = expr(`(?i)>>|\btee\b|\bwrite\w*\(|\bappend\w*\(|\bAdd-Content\b|["'][aw]["']|\bsed\s+-i`)
