package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeOverride keeps a bare imperative certain; a phrase with an object that
// belongs to the reader's own work ("ignore previous messages in the thread")
// is for a person to judge.
func judgeOverride(d *document, m *match) bool {
	lead := d.text[max(0, m.start-60):m.start]
	if i := strings.LastIndexAny(lead, "\n.!?:;>"); i >= 0 {
		lead = lead[i+1:]
	}
	if words := len(strings.Fields(lead)); words > 6 {
		m.lower(diag.Warning)
		m.confidence = 0.6
	}
	object := strings.ToLower(d.text[m.start:m.end])
	if !containsAny(object, "instruction", "prompt", "everything", "guideline", "training", "told") {
		m.lower(diag.Warning)
		m.confidence = 0.5
	}
	if listsAttacks(d) {
		m.lower(diag.Warning)
		m.confidence = min(m.confidence, 0.5)
	}
	return soften(d, m)
}

// attack matches a line that is an order as injections give it.
var attack = said(`\b(?:ignor|disregard|forget|overrid)\w*|\b(?:reveal|repeat|print)\b.{0,40}\bprompt\b|\byou are (?:now )?(?:dan|in developer mode|unrestricted)\b|\bno (?:rules|restrictions|limits)\b|\bdo not tell\b`)

// mostAttacks bounds the lines that are looked at.
const mostAttacks = 200

// listsAttacks reports whether the document is sample data in which most lines are such
// orders, to test a filter or a model with. An attack needs a single one.
func listsAttacks(d *document) bool {
	if d.front > 0 || strings.HasSuffix(strings.ToLower(d.path), ".md") {
		return false
	}
	lines, attacks := 0, 0
	for line := range strings.Lines(d.text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if lines++; lines > mostAttacks {
			break
		}
		if attack.MatchString(line) {
			attacks++
		}
	}
	return attacks >= 3 && attacks*2 > lines
}
