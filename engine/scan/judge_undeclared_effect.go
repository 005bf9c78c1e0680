package scan

// judgeEffect keeps matches only in a program whose capability declares no network.
func judgeEffect(d *document, m *match) bool {
	return d.declared != nil && len(d.declared.Hosts) == 0 && !d.declared.network() && d.wholeProgram() && !d.inComment(m.start)
}
