package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// sectionReach bounds how far from an act its section is looked through for a question.
const sectionReach = 1500

var (
	// asksFirst matches a sentence that leaves an act to a person.
	asksFirst = said(`\bask (?:(?:the|your|its|an?) )?(?:(?:users?|owners?|administrators?|admins?|persons?|people|humans?|operators?|customers?|clients?|managers?|leads?|officers?|teachers?|teams?|them|him|her) )?(?:whether|if|first|before|beforehand|for (?:an? |the |their )?(?:\w+ )?(?:confirmation|consent|approval|permission|yes)|and wait|to (?:confirm|approve|agree))\b` +
		`|\b(?:after|once|when|if|unless|until|as soon as) (?:the |your |an? |both )?(?:\w+['’]s )?(?:IT|it department|management|board|users?|owners?|administrators?|admins?|persons?|people|humans?|operators?|customers?|clients?|managers?|leads?|officers?|teachers?|teams?) (?:has |have )?(?:\w+ly )?(?:agree[sd]?|confirm(?:s|ed)?|approve[sd]?|consent(?:s|ed)?|says? yes|said yes|picks?|picked|chooses?|chose|chosen|ticks?|ticked)\b` +
		`|\bwith (?:the |your |an? )?(?:users?|owners?|administrators?|admins?|persons?|people|humans?|operators?|customers?|clients?|managers?|leads?|officers?|teachers?|teams?)['’]?s? (?:explicit |written |clear )?(?:consent|approval|agreement|permission)\b` +
		`|\bwait for (?:an? |the |their |its )?(?:clear |explicit )?(?:yes|confirmation|approval|consent)\b` +
		`|\bwithout (?:an? )?(?:clear |explicit )?(?:yes|confirmation|consent|approval)[, ]+(?:do nothing|stop|change nothing|nothing)\b` +
		`|\bshow (?:[\w-]+ ){1,6}?before (?:you |it |they )?(?:run|install|enabl|load|appl|writ|copy|start|execut|delet|remov|chang)\w*` +
		`|\b(?:owners?|users?|administrators?) (?:does|do|runs?|types?|enters?|approves?) (?:this|it|that|each|them) (?:them|him|her|your)sel(?:f|ves)\b` +
		`|\b(?:owners?|users?|administrators?)\b[^.]{0,60} (?:has |have )?(?:agreed|consented|confirmed|approved)\b` +
		`|\b(?:only|never) (?:if|when|unless|without) (?:the |your )?(?:owners?|users?) (?:asks?|wants?|requests?)\b` +
		`|\blet (?:the |your )?(?:users?|owners?|administrators?) (?:approve|confirm|choose|pick|decide)\b`)
	// prompts matches the question of a program that waits for an answer.
	prompts = expr(`(?i)\[y/n\]|\(y/n\)|\[yes/no\]|\(yes/no\)|\btype ["']?(?:yes|y)\b`)
	// askingFunction matches a shell's function that asks its caller's question.
	askingFunction = expr(`(?m)^[ \t]*(?:function[ \t]+)?(\w+)[ \t]*\(\)[ \t]*\{[^}]{0,200}\[(?:[yY]/[nN]|yes/no)\]`)
	// guidance matches the files that instruct an agent: the user's consent to one act is not consent to all.
	guidance = expr(`(?i)\b(?:CLAUDE|AGENTS|SOUL|MEMORY|GEMINI|IDENTITY)\.md\b|\.(?:claude|codex|cursor|gemini|openclaw)\b|\bauthorized_keys\b|\bsettings\.json\b`)
	// unbounded matches commands whose effect a person cannot judge by the command alone.
	unbounded = expr(`(?i)\b(?:curl|wget|iwr|irm|iex|invoke-\w+|base64|eval)\b|https?://|/dev/tcp/`)
)

// heedConsent makes a note of a warning about an act that a person may agree to, if the same section
// of a text has its reader ask first, or if a program asks by itself. Findings about certain, hidden,
// fetched or encoded things keep their severity: a person cannot agree to what the question does not show.
func (f *finding) heedConsent(d *document) {
	if !f.rule.consent || f.severity != diag.Warning {
		return
	}
	line := d.lineAround(f.start)
	if text := d.text[line.start:max(line.end, f.end)]; unbounded.MatchString(text) || guidance.MatchString(text) {
		return
	}
	if d.wholeProgram() && !d.promptsBefore(f.start) || !d.wholeProgram() && !d.asksFirst(f.start) {
		return
	}
	f.severity, f.confidence = diag.Note, min(f.confidence, 0.3)
}

// promptsBefore reports whether a program asks before offset: by a question itself, or by a function
// of its own that it calls.
func (d *document) promptsBefore(offset int) bool {
	lead := d.text[max(0, offset-sectionReach):offset]
	if prompts.MatchString(lead) {
		return true
	}
	for _, loc := range askingFunction.FindAllStringSubmatchIndex(d.text[:offset], 4) {
		name := d.text[loc[2]:loc[3]]
		if called := strings.LastIndex(lead, name+" "); called >= 0 && (called == 0 || strings.ContainsAny(lead[called-1:called], " \t\n;|&!(")) {
			return true
		}
	}
	return false
}

// asksFirst reports whether the section around offset has its reader ask a person.
func (d *document) asksFirst(offset int) bool {
	s := d.section(offset)
	for _, loc := range asksFirst.FindAllStringIndex(d.text[s.start:s.end], -1) {
		at := s.start + loc[0]
		if d.placeOf(at) == prose && !negated(d.text[s.start:at]) {
			return true
		}
	}
	return false
}

// section returns the text between the headings around offset, at most sectionReach bytes each way.
func (d *document) section(offset int) span {
	s := span{max(0, offset-sectionReach), min(len(d.text), offset+sectionReach)}
	for at := offset; at > s.start; {
		if at = strings.LastIndex(d.text[s.start:at], "\n#"); at < 0 {
			break
		}
		if at += s.start; d.placeOf(at+1) == prose {
			s.start = at
		}
	}
	for at := offset; at < s.end; at++ {
		i := strings.Index(d.text[at:s.end], "\n#")
		if i < 0 {
			break
		}
		if at += i; d.placeOf(at+1) == prose {
			s.end = at
		}
	}
	return s
}
