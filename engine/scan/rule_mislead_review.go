package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
)

// misleadReviewRule: a change is to get past those who review it.
func misleadReviewRule() rule {
	const reviewers = `(?:(?:the |a |any |your |human |code |security |other )*(?:reviewers?|maintainers?|auditors?|approvers?|scanners?|moderators?|code owners?)|(?:those|people|anyone|anybody|everyone|whoever|somebody) who (?:look|review|check|approve|read|audit)\w*(?: \w+){0,5}?)`
	return rule{grows: true, RuleInfo: RuleInfo{"mislead-review", Instructions, diag.Error, "a change is to get past those who review it",
		"Review is the one place where a person could still say no; a change that has to get past it unseen is not meant to be agreed to.",
		"Describe each change as what it is, also the dull ones."},
		patterns: []pattern{{
			near: []string{"reviewer", "maintainer", "auditor", "approver", "scanner", "moderator", "code owner", "who look", "who review", "who check", "who approve", "who read", "who audit"},
			re:   said(`\b(?:so that|so|such that|in order that|because|otherwise) ` + reviewers + ` (?:do not|don['’]?t|will not|won['’]?t|cannot|can['’]?t|never|may|might|will|would)? ?(?:pass(?:es)? over|overlooks?|misse?s?|skips?|skims?|notices?|sees?|spots?|questions?|flags?|finds? out|asks? about|looks? at|reads?|stops?) ?(?:it|them|this|these|the \w+|past)\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.7, judge: judgeMisled,
		}, {
			near: []string{"description", "summary", "commit message", "changelog", "release note", "pull request", "diff", "title"},
			re:   said(`\b(?:do not|don['’]?t|never|avoid|must not|without) (?:list|mention|nam|describ|include|including|explain|not|refer to|draw attention to|disclos)(?:e|ing|s)? (?:it|them|this|these|those|that|any of (?:it|them|this)|the (?:\w+ ){0,2}?(?:change|step|file|hook|dependency|script|permission|host)s?)(?: \w+){0,2}? (?:in|from) (?:the |a |your |any )?(?:pull request|PR|commit|description|summary|changelog|diff|release notes?|title|review)\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: judgeMisled,
		}, {
			near: []string{"asks", "ask", "question", "objects", "notice"},
			re:   said(`\b(?:if|when|should) ` + reviewers + ` (?:ever )?(?:asks?|questions?|objects?|wonders?|notices?|complains?)(?: \w+){0,4}?,? (?:then )?(?:say|claim|answer|tell|reply|state|insist|pretend|explain|assure)\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.7, judge: judgeMisled,
		}, {
			near: []string{"disguise", "hide ", "mask ", "pass off", "camouflage", "bury "},
			re:   said(`\b(?:disguise|hide|mask|pass off|camouflage|bury) (?:\w+ ){0,4}?(?:as|in|among|inside|under) (?:an? |the |some )?(?:\w+ ){0,2}?(?:formatting|refactoring|typo|cosmetic|routine|generated|whitespace|lint\w*|dependency (?:bump|update)|noise|large (?:change|diff|commit))`),
			in:   spoken, severity: diag.Warning, confidence: 0.7, judge: judgeMisled,
		}}}
}

// judgeMisled blocks what only a model reads: a visible phrase can be a clumsy wish
// for a short summary, which a person has to see.
func judgeMisled(d *document, m *match) bool {
	s := speechAt(d, m)
	switch {
	case s.concealed:
		m.severity, m.confidence = diag.Error, 0.85
		return true
	case s.quoted, s.example, s.discussed, d.describes(m.start), d.forbidden(m.start):
		return false
	}
	return true
}
