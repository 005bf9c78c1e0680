package scan

import "strings"

var (
	// readsMessages matches calls that read mail or text messages.
	readsMessages = expr(`(?i)\bGmailApp\b|\bimap|\bgmail\b|\boutlook\b|\bSmsMessage\b|\bTelephony\b|\bchat\.db\b|\bgetPlainBody\b|\bmessages\(\)\.(?:list|get)\b|/mail/search`)
	// handsOn matches an order to give something to a party outside the conversation.
	handsOn = said(`\b(?:post|send|forward|relay|upload|submit|report|pass|copy|call|sent|forwarded|posted|relayed|uploaded|passed)(?:s|ed)?\b[^.\n]{0,80}(?:https?://|\+\d|@\w|webhook|\btool\b|endpoint)`)
	// putsAway matches an order to remove a message, or to keep it out of the count.
	putsAway = said(`\b(?:delete|remove|trash|discard|archive|(?:move|put)[^.\n]{0,40}(?:bin|trash)|hide|mark[^.\n]{0,30} read)\b`)
)

// judgeCodesSent keeps a program that looks for codes in messages and also sends data away.
func judgeCodesSent(d *document, m *match) bool {
	return readsMessages.MatchString(d.text) && judgeBesideSend(d, m)
}

// judgeCodesTold keeps codes that a text has its reader hand on and then remove. A program that
// signs people in does either alone.
func judgeCodesTold(d *document, m *match) bool {
	s := d.section(m.start)
	near := d.text[max(s.start, m.start-before):min(s.end, m.end+2*before)]
	if strings.TrimSpace(near) == "" || !handsOn.MatchString(near) || !putsAway.MatchString(near) || d.forbidden(m.start) {
		return false
	}
	return dropNegated(d, m)
}
