package scan

// judgeWipe lowers commands that a text warns of.
func judgeWipe(d *document, m *match) bool {
	if d.wholeProgram() || d.placeOf(m.start) == data {
		return true
	}
	return softenDiscussed(d, m)
}
