package scan

// judgeWholeEnvironment keeps a match only with a place that others read in the same sentence.
func judgeWholeEnvironment(d *document, m *match) bool {
	return readByOthers.MatchString(d.sentence(m.start)) && dropNegated(d, m)
}

// readByOthers matches where a text is kept or shown.
var readByOthers = said(`\b(?:commits?|messages?|comments?|answers?|trailers?|titles?|headers?|logs?|descriptions?|urls?|links?|issues?|mails?|files?|pages?|reports?)\b`)
