package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// ruleConceal is looked up by the rules that look behind disguises: a harmless
// wish for discretion is never disguised.
const ruleConceal = "conceal"

// judgeUnshown keeps an order to leave a copy, a recipient or an account out of the text
// that a person reads before agreeing.
func judgeUnshown(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.quoted || s.example || s.discussed || s.negated {
		return false
	}
	text := d.sentences(m.start)
	return copiedTo.MatchString(text) || strings.HasPrefix(d.text[m.start:m.end], "need") && paidTo.MatchString(text)
}

var (
	// copiedTo matches a recipient who gets a copy of others' messages.
	copiedTo = said(`\b(?:blind cop(?:y|ies)|bcc|forward(?:s|ed|ing)?|additional recipients?|extra recipients?)\b`)
	// paidTo matches the destination of money, or an extra amount.
	paidTo = said(`\b(?:ibans?|bank details|bank accounts?|account numbers?|payees?|fees?|surcharges?|commissions?)\b`)
)

// judgeSaidToStay keeps a promise of privacy beside an order to send: one of the two is a lie.
func judgeSaidToStay(d *document, m *match) bool {
	near := d.text[max(0, m.start-after):min(len(d.text), m.end+before)]
	return strings.Contains(near, "://") && (uploads.MatchString(near) || exported.MatchString(near) && outsideAddress(near) != "") && dropNegated(d, m)
}

// uploads matches a command that sends a file or data.
var uploads = expr(`(?i)\b(?:curl|wget|httpie|http)\b[^\n]*\s(?:-F|-T|-d|--data\S*|--form|--upload-file|--post-file)\b`)

// judgeFeigned drops an order not to report a success: that is normal.
func judgeFeigned(d *document, m *match) bool {
	return !reportNot.MatchString(d.text[m.start:m.end]) && dropNegated(d, m)
}

var reportNot = said(`\b(?:never|not|n['’]t|instead of|rather than)\s+(?:\w+\s+)?(?:report|say|claim|pretend|show|print|return)\w*\b`)

// judgeSilent makes notes of acts that are often done silently: a program may run
// without a word, but must not send data so.
func judgeSilent(d *document, m *match) bool {
	said := d.text[m.start:m.end]
	if quiet.MatchString(said) || strings.HasSuffix(strings.ToLower(said), "copies") && !copiedAway.MatchString(d.sentence(m.start)) {
		m.lower(diag.Note)
		m.confidence = 0.3
	}
	return dropNegated(d, m)
}

// copiedAway matches the destination of a copy. Without one, "copies" may be about a program's values.
var copiedAway = said(`\bcopies\b[^.]*? (?:to|into|onto)\b`)

// quiet matches acts that are often done without a word.
var quiet = said(`\b(?:append|include|install|download|run|execute|add|delete|change|replace|modify|record|collect)$`)

// judgeConceal weighs orders to tell users less. These are often mere style. They are
// concealment if the same place also acts on data, or if only a model reads it. An
// order in the same sentence that sends private data away has no honest meaning.
func judgeConceal(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.concealed {
		m.severity, m.confidence = diag.Error, 0.9
		return true
	}
	near := d.text[max(0, m.start-before):min(len(d.text), m.end+before)]
	switch text := d.sentence(m.start); {
	case outsideAddress(text) != "" && exported.MatchString(text) && !s.quoted && !s.discussed:
		m.severity, m.confidence = diag.Error, 0.85
	case !acts.MatchString(near), strings.HasPrefix(strings.ToLower(d.text[m.start:m.end]), "hidden from"):
		m.lower(diag.Note)
		m.confidence = 0.3
	}
	if keepsSecret(d, m) {
		m.severity, m.confidence = diag.Note, 0.2
		return true
	}
	if s.quoted || s.discussed {
		return soften(d, m)
	}
	return true
}

// keepsSecret reports whether the thing not to be shown is a key or a password: its owner
// wants that. The same sentence must not send anything or name a person to hide it from.
func keepsSecret(d *document, m *match) bool {
	text := d.sentence(m.start)
	return shownNot.MatchString(d.text[m.start:m.end]) && secretThing.MatchString(text) && outsideAddress(text) == "" && !sendsOff.MatchString(text)
}

var (
	shownNot    = said(`\b(?:show|print|reveal|disclose|display|echo|log)(?:ing)? (?:this|it|that|them|these|any of (?:this|it|them))$`)
	secretThing = said(`\b(?:(?:private |secret |api |access )?keys?|passwords?|passphrases?|tokens?|secrets?|credentials?|export|one-time codes?)\b`)
	sendsOff    = said(`\b(?:send|upload|post|forward|submit|transmit|e?mail|push|publish|attach|append|include)(?:s|ing|ed)?\b`)
)

// judgeSpared makes a note of an order to leave findings out: they may be out of scope. They are
// concealed only if the text also says how to answer a person who asks.
func judgeSpared(d *document, m *match) bool {
	if !answered.MatchString(d.sentences(m.start)) {
		m.lower(diag.Note)
	}
	return soften(d, m)
}

// answered matches an order how to answer a person who asks.
var answered = said(`\b(?:if|when|whenever|should) (?:the |your |a |any )?(?:users?|humans?|owners?|reviewers?|people|anyone|anybody|somebody|they|customers?) (?:\w+ )?(?:asks?|wonders?|notices?|objects?|complains?|questions?)\b[^.]{0,60}?\b(?:say|tell|claim|answer|reply|insist|pretend|explain|assure|deny)\b`)
