package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// speech is the role of a phrase in its text: a text that warns of an attack
// quotes it, and must not be judged like a text that makes it.
type speech struct {
	negated, quoted, discussed, concealed bool
	// step says that the phrase is a command in code marks that the reader is to type.
	step bool
	// example says that the phrase is quoted or fenced in a text that as a whole is
	// about attacks.
	example bool
}

// speechAt judges the surroundings of m.
func speechAt(d *document, m *match) speech {
	line := d.lineAround(m.start)
	at := d.placeOf(m.start)
	if d.soughtAt(m.start) || !d.wholeProgram() && (d.signatureAt(m.start) || technique.MatchString(d.text[line.start:line.end])) {
		return speech{quoted: true, discussed: true, example: true}
	}
	quoted := at&(prose|plain) != 0 && (quotedIn(d.text[line.start:line.end], m.start-line.start, m.end-line.start) || at == prose && d.aboutAttacks() && d.text[line.start] == '>')
	return speech{
		negated:   negated(d.text[line.start:m.start]) || at == prose && refused.MatchString(d.text[min(m.end, line.end):line.end]),
		quoted:    quoted,
		discussed: discussed(d, m.start),
		concealed: at == hidden,
		step:      quoted && aStep.MatchString(d.text[line.start:m.start]),
		example:   (quoted || at&(prose|hidden) == 0 || d.describes(m.start)) && d.aboutAttacks(),
	}
}

// refused matches the rest of a line that forbids the act named before it.
var refused = said(`\b(?:(?:we|you|it|they) )?(?:do|does|will|must|should|may) (?:not|never) (?:set|use|enable|run|add|recommend|allow) (?:it|this|them|that)\b|\bnever (?:set|use|enable|run|add) (?:it|this|them|that)\b`)

// soften lowers a phrase that is quoted, negated or discussed as an attack. A
// phrase in a comment that only a model reads keeps its severity.
func soften(d *document, m *match) bool {
	s := speechAt(d, m)
	switch {
	case s.concealed:
	case s.negated || s.example || s.quoted && s.discussed && !s.step:
		m.lower(diag.Note)
		m.confidence = min(m.confidence, 0.2)
	case s.quoted || s.discussed:
		m.lower(diag.Warning)
		m.confidence = min(m.confidence, 0.5)
	}
	return true
}

// softenShown is soften for commands. The commands of a program or a configuration
// count in full; only a text may show a command to warn of it. A comment is never run.
func softenShown(d *document, m *match) bool {
	if d.soughtAt(m.start) || !d.wholeProgram() && d.signatureAt(m.start) {
		return soften(d, m)
	}
	if d.wholeProgram() && d.inComment(m.start) {
		m.lower(diag.Warning)
		m.confidence = min(m.confidence, 0.5)
		return true
	}
	if d.wholeProgram() || d.placeOf(m.start) == data && !d.lists() {
		return true
	}
	return soften(d, m)
}

// seeks matches the beginning of a search up to the quotation mark before the pattern.
var seeks = expr(`(?i)\b(?:[ez]?grep|rg|ag|ack|findstr|select-string|yara|journalctl)\b[^|;&\n"']*(["'])[^"'\n]*$`)

// soughtAt reports whether offset is in the quoted pattern of a search.
func (d *document) soughtAt(offset int) bool {
	line := d.lineAround(offset)
	lead := d.text[line.start:offset]
	loc := seeks.FindStringSubmatchIndex(lead)
	return loc != nil && strings.Contains(d.text[offset:line.end], lead[loc[2]:loc[3]])
}

// signatureAt reports whether offset is in a block of a text that is a rule of a detector:
// YARA, Sigma, or a list of patterns with their severity.
func (d *document) signatureAt(offset int) bool {
	if d.placeOf(offset)&(data|plain) == 0 {
		return false
	}
	r := d.regionOf(offset)
	block := strings.ToLower(d.text[r.start:min(r.end, r.start+4000)])
	return strings.Contains(block, "condition:") && containsAny(block, "detection:", "strings:") ||
		strings.Contains(block, "severity") && containsAny(block, "pattern", "regex", "signature")
}

// lists reports whether the document is data that holds patterns or reports, by
// its words: scanners keep their patterns in such files.
func (d *document) lists() bool {
	head := strings.ToLower(d.text[:min(len(d.text), 4000)])
	return containsAny(head, "pattern", "regex", "severity", "signature", "findings")
}

// dropNegated is soften for phrases that are common in warnings: "never send
// keys to a third party" is no finding at all.
func dropNegated(d *document, m *match) bool {
	if s := speechAt(d, m); s.negated && !s.concealed {
		return false
	}
	return soften(d, m)
}

// emphasis takes Markdown's marks away: "do **not** run" forbids, too.
//
//nolint:gochecknoglobals // a constant that Go has no literal for.
var emphasis = strings.NewReplacer("*", "", "__", "")

// negated reports whether the last clause of lead forbids the act after it.
func negated(lead string) bool {
	if i := strings.LastIndexAny(lead, ".;!?"); i >= 0 {
		lead = lead[i:]
	}
	lead = strings.ToLower(emphasis.Replace(lead))
	if len(lead) > 90 {
		lead = lead[len(lead)-90:]
	}
	for _, word := range []string{"never ", "do not ", "don't ", "don’t ", "must not ", "should not ", "shouldn't ", "refuse ", "avoid ",
		"cannot ", "can't ", "won't ", "not to ", "no need to ", "does not ", "doesn't ", "prevent", "reject ", "without ",
		"bad: ", "wrong: ", "insecure: ", "unsafe: "} {
		if i := wordAt(lead, word); i >= 0 && !conditional(lead, i) {
			return true
		}
	}
	return false
}

// conditional reports whether the negation at i belongs to a condition that ends before the
// clause does: "if it does not answer, run" forbids nothing.
func conditional(lead string, i int) bool {
	if !strings.Contains(lead[i:], ",") {
		return false
	}
	for _, word := range []string{"if ", "when ", "whenever ", "where ", "while ", "unless ", "as long as "} {
		if beginsWord(lead[:i], word) {
			return true
		}
	}
	return false
}

// beginsWord reports whether part occurs in s with no letter before it: there is
// no "never" in "whenever".
func beginsWord(s, part string) bool { return wordAt(s, part) >= 0 }

// wordAt returns the offset of the first part in s with no letter before it, or -1.
func wordAt(s, part string) int {
	for at := 0; ; {
		i := strings.Index(s[at:], part)
		if i < 0 {
			return -1
		}
		if at += i; at == 0 || s[at-1] < 'a' || s[at-1] > 'z' {
			return at
		}
		at++
	}
}

// quotedIn reports whether line[start:end] is inside quotation marks, a code
// span or a table cell. Quotation marks of a program are not a quotation.
func quotedIn(line string, start, end int) bool {
	lead, tail := line[:start], line[min(end, len(line)):]
	for _, q := range []string{"\"", "`"} {
		// A match may hold the mark that closes the quotation.
		if strings.Count(lead, q)%2 == 1 && strings.Contains(line[start:], q) {
			return true
		}
	}
	for _, q := range [][2]string{{"“", "”"}, {"„", "“"}, {"«", "»"}, {"「", "」"}} {
		if strings.LastIndex(lead, q[0]) > strings.LastIndex(lead, q[1]) && strings.Contains(tail, q[1]) {
			return true
		}
	}
	return strings.HasPrefix(strings.TrimLeft(lead, " "), "|") && strings.Contains(tail, "|")
}

// aStep matches the words before a command that the reader is to type, up to its code mark.
var aStep = expr(`(?i)(?:^\s*\d+[.)]|\b(?:run|execute|first|then|type|enter|paste))\s*\x60$`)

// described matches a clause about a text of another author.
var described = said(`(?:^|[\s*_>-])(?:it|they|he|she|somebody|someone|texts?|messages?|mails?|e-?mails?|pages?|attackers?|which|that|who) (?:\w+ )?(?:asks?|says?|tries|try|claims?|demands?|tells?|wants?|attempts?|brings?|pretends?)\b`)

// describes reports whether the sentence describes a text of another author.
func (w *wording) describes(offset int) bool {
	lead := w.text[w.sentenceSpan(offset).start:offset]
	return containsAny(strings.ToLower(lead), "ask", "say", "tries", "try", "claim", "demand", "tell", "want", "attempt", "bring", "pretend") && described.MatchString(lead)
}

// discussed reports whether the text before offset speaks about attacks: its
// paragraph, the line above it or the nearest heading.
func discussed(d *document, offset int) bool {
	line := d.lineAround(offset)
	from := max(d.front, line.start-400) // the words of a description do not apply to the text below it
	if offset < d.front {
		from = 0
	}
	if d.describes(offset) || d.indicates(offset) {
		return true
	}
	return discussesAttacks(d.text[from:line.end])
}

// technique matches the number of an attack in MITRE's catalogue: texts about detection cite it.
var technique = expr(`\bT1\d{3}(?:\.\d{3})?\b`)

// indicated matches the beginning of a sentence that lists signs of an attack.
var indicated = said(`\b(?:signs?|indicators?|symptoms?|traces?) of (?:an? )?(?:tampering|compromise|attacks?|intrusion|abuse|infection|persistence)\b[^\n]*:`)

// indicator matches the line above a list of signs of an attack.
var indicator = said(`\b(?:(?:lines?|strings?|commands?|patterns?) to (?:match|detect|find|block|flag)|(?:first |second |typical |common )(?:stages?|chains?|results?|payloads?)|as seen|joined text|decoded)\b[^\n]*:\s*$|\b(?:look(?:ing)? for|watch (?:out )?for|hunt(?:ing)? for|search(?:ing)? for|flag|report|signs? of|indicators?|symptoms?|traces?|typical)\b[^\n]*:\s*$`)

// indicates reports whether offset is in an item of a list of such signs.
func (d *document) indicates(offset int) bool {
	line := d.lineAround(offset)
	if r := d.regionOf(offset); !d.whole && r.place&(code|data) != 0 {
		lead := strings.TrimRight(d.text[max(0, r.start-before):r.start], " \t\n")
		return indicator.MatchString(lead[strings.LastIndexByte(lead, '\n')+1:])
	}
	if !isItem(d.text[line.start:line.end]) {
		return indicated.MatchString(d.text[d.sentenceSpan(offset).start:offset])
	}
	lead := strings.TrimRight(d.text[max(0, line.start-1000):line.start], " \t\n")
	for lead != "" {
		i := strings.LastIndexByte(lead, '\n')
		if last := lead[i+1:]; last != "" && !isItem(last) {
			return indicator.MatchString(last)
		}
		lead = lead[:max(i, 0)]
	}
	return false
}

func isItem(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ")
}

// discussesAttacks reports whether a text speaks of attacks.
func discussesAttacks(text string) bool {
	near := strings.ToLower(text)
	for _, word := range []string{"injection", "jailbreak", "malicious", "attack", "adversarial", "red flag", "suspicious", "threat",
		"vulnerab", "exploit", "untrusted", "phishing", "red team", "red-team", "detect", "sanitiz", "payload", "poison", "malware ", "compromised", "victim", "pentest", "penetration test", "blue team", "capture the flag", "honeypot", "forensic", "intruder",
		"inyecci", "injektion", "angriff", "attaque", "ataque", "attacc", "инъекц", "атак", "注入", "攻击", "攻撃", "공격"} {
		if strings.Contains(near, word) {
			return true
		}
	}
	return false
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// softenDiscussed lowers commands that a text warns of: lists of dangerous
// commands are full of them.
func softenDiscussed(d *document, m *match) bool {
	line := d.lineAround(m.start)
	near := strings.ToLower(d.text[max(0, line.start-200):line.end])
	if containsAny(near, "dangerous", "block", "deny", "never", "forbidden", "destructive", "prohibit", "refuse", "warn", "disallow", "unsafe", "careful", "catastroph", "guard") {
		m.lower(diag.Note)
	}
	return soften(d, m)
}
