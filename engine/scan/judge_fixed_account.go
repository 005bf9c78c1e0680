package scan

import "strings"

// judgeFixedAccount drops accounts for tests, passwords that the reader fills in, and matches in a
// comment.
func judgeFixedAccount(d *document, m *match) bool {
	for _, password := range []string{m.group(d, 1), m.group(d, 2)} {
		if password != "" && (isPlaceholder(password) || strings.ContainsAny(password[:1], "$:%{<")) {
			return false
		}
	}
	if testProgram.MatchString(d.path) || d.inComment(m.start) {
		return false
	}
	return softenShown(d, m)
}
