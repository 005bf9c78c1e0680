package scan

// judgeRawAddress drops local addresses and samples.
func judgeRawAddress(d *document, m *match) bool {
	return !localAddress(m.group(d, 1)) && !sampleAddress(m.group(d, 1)) && dropNegated(d, m)
}
