package scan

// spreadTo matches files that others run or read: skills of agents, packages, tests, hooks.
var spreadTo = expr(`(?i)\bSKILL\.md\b|[./]skills\b|\bnode_modules\b|\bpackage\.json\b|\bsite-packages\b|\bconftest\.py\b|\.git["'/)]|\bhooks\b|\b(?:npm|twine|cargo|gem) (?:publish|upload|push)\b`)

// writesBeside matches a copy, or a write of data that was read.
var writesBeside = expr(`(?i)\bcopy\w*\(|\bcp\s|\bwrite\w*\(|\bappend\w*\(|>>|\bSet-Content\b|\bCopy-Item\b|put_contents\(`)

// judgeSpread keeps a program that reads its own text and also writes into programs that others run.
func judgeSpread(d *document, m *match) bool {
	near := d.text[max(0, m.start-2*before):min(len(d.text), m.end+3*before)]
	return d.wholeProgram() && !d.inComment(m.start) && spreadTo.MatchString(near) && writesBeside.MatchString(near)
}
