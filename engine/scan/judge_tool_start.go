package scan

var (
	// startWritten matches a write, in any language.
	startWritten = expr(`(?i)>>|\bappend\w*\b|\bwrite\w*\(|\bcat\(|\bprint\s+\$\w+|["'](?:a|w|>>?)["']|\btee\s`)
	// startFetches matches access to another machine, or to a folder that every user can write.
	startFetches = expr(`(?i)https?://|\bcurl\b|\bwget\b|base64|/dev/tcp/|["'/ ](?:var/)?tmp/\.`)
)

// judgeToolStart keeps a start-up file of a tool if a program writes text to it that fetches
// something. Many honest programs write settings.
func judgeToolStart(d *document, m *match) bool {
	near := d.text[max(0, m.start-before):min(len(d.text), m.end+before)]
	return d.wholeProgram() && !d.inComment(m.start) && startWritten.MatchString(near) && startFetches.MatchString(near) && softenShown(d, m)
}
