package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// ruleConceal is looked up by the rules that look behind disguises: nobody
// disguises a harmless wish for discretion.
const ruleConceal = "conceal"

// concealRule: the text asks its reader to hide something from the user.
func concealRule() rule {
	return rule{grows: true, RuleInfo: RuleInfo{ruleConceal, Instructions, diag.Error, "the text asks its reader to hide something from the user",
		"Whatever is worth doing can be told to the person it is done for.",
		"Say openly what happens; drop the demand for silence."},
		patterns: []pattern{{
			near: []string{"not tell", "n't tell", "n’t tell", "never tell", "not inform", "never inform", "n't inform", "not notify", "never notify", "n't notify", "not alert", "n't alert", "never alert", "not warn", "n't warn", "never warn",
				"not let the", "n't let the", "never let the", "not mention", "never mention", "n't mention", "to mention", "not disclose", "never disclose", "n't disclose", "not reveal", "never reveal", "n't reveal", "not show", "n't show", "never show", "not trouble", "not bother", "n't bother", "not say ", "n't say ", "to tell", "avoid telling", "avoid mentioning", "among what you", "to what you", "in what you"},
			re: said(`\b(?:do not|don['’]?t|never|must not|should not|shouldn['’]t|not to|no need to|need not|needn['’]t|avoid|nobody (?:has|needs) to) (?:ever )?(?:(?:tell|inform|notify|alert|warn|trouble|bother)(?:ing)? (?:the |your |any |a |its )?(?:users?|humans?|operators?|owners?|anyone|anybody|people|person|team|admins?|customers?)|let (?:the |your |any )?(?:users?|humans?|operators?|owners?|anyone|anybody) (?:know|see|notice|find out)|(?:mention|disclose|reveal|show|say)(?:ing)? (?:(?:this|it|that|any of this|these|them|anything|the (?:change|step|upload|copy|request|transfer|file|call|message|sending|b?cc|recipient|address|old \w+)|so)\b(?: \w+){0,4}?(?: to (?:the |your |any )?(?:users?|humans?|operators?|owners?|anyone|anybody|people))?)|(?:list|report|include|record|log|name|count|count in) (?:this|it|that|them|these|either|both|the (?:change|step|copy|request|file|call|entry))(?: \w+){0,2}? (?:among|to|in) what you (?:did|do|changed|have done|report|list|say|tell)\b)`),
			in: spoken, severity: diag.Warning, confidence: 0.6, judge: judgeConceal,
		}, {
			near: []string{"from the user", "from user", "from your human", "from the operator", "from the owner", "from anyone", "from everyone", "knowledge", "without telling", "without informing", "without notifying", "without alerting", "without mention", "noticing", "being aware",
				"hidden from", "keep quiet", "keep silent", "out of the summary", "out of the report", "out of the log", "out of the answer", "out of the output", "out of your answer", "out of your summary", "out of the transcript", "out of the list", "out of the draft", "out of the notes", "out of the record", "out of the quote", "out of the preview", "out of the receipt", "out of the confirmation", "out of the reply", "off the list", "off the record", "off every", "not appear in", "in the background without", "is to hear", "is to know"},
			re: said(`\b(?:(?:hide|conceal|keep|withhold) (?:\w+ ){0,6}?(?:hidden |secret |away )?from (?:the |your |any )?(?:users?|humans?|operators?|owners?|anyone|anybody|everyone|people)|without (?:the |your |their )?(?:users?|humans?|operators?|owners?|anyone|anybody)(?:['’]s?)? (?:knowledge|noticing|knowing|being aware)|without (?:telling|informing|notifying|alerting|mentioning)\b|hidden from (?:the |your )?(?:users?|humans?|operators?|owners?|reviewers?)|keep (?:quiet|silent) about|(?:leave|keep|omit) (?:\w+ ){1,5}?(?:out of|off) (?:the |your |every |any |all )(?:final )?(?:summary|report|logs?|answers?|output|transcript|record|notes|draft|list|message|quote|preview|receipt|confirmation|reply)s?|(?:must|should|may) not appear in (?:the |your )(?:summary|report|logs?|answer|output|transcript)|nobody (?:is|needs|has) to (?:hear|know|notice))`),
			in: spoken, severity: diag.Warning, confidence: 0.7, judge: judgeConceal,
		}, {
			near: []string{"not part of", "no part of"},
			re:   said(`\b(?:is|are) (?:not|no) part of (?:the|your|any) (?:\w+ )?(?:logs?|summary|report|answer|output|list|notes)(?: that)? (?:the |your )?(?:users?|humans?|owners?|they|people|reviewers?) (?:sees?|reads?|gets?)\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: judgeConceal,
		}, {
			near: []string{"not shown", "n't shown", "n’t shown", "not mentioned", "n't mentioned", "n’t mentioned", "not listed", "n't listed", "not be shown", "n't be shown", "n’t be shown", "not be mentioned", "n't be mentioned", "part of the preview", "part of the summary", "part of the draft", "part of the confirmation"},
			re:   said(`\b(?:(?:is|are)(?: not|n['’]t)|need(?: not|n['’]t) be) (?:shown|mentioned|listed|part of (?:the |your )?(?:preview|summary|draft|confirmation))\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: judgeUnshown,
		}, {
			near: []string{"deny it", "deny that", "deny this", "deny being", "deny having"},
			re:   said(`\b(?:if|when|whenever|should) (?:the |your |a |any )?(?:users?|humans?|owners?|people|anyone|anybody|somebody|they|customers?)\b[^.]{0,100}?\bdeny (?:it|that|this|being|having)\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.7, judge: judgeSilent,
		}, {
			near: []string{"asks about it", "asks about this", "asks about that", "asks about the", "asks why", "asks what", "ask about it", "ask about this", "ask why", "wonders why", "notices it", "notices this", "notices the", "asks, say", "asks, tell", "asks, answer"},
			re:   said(`\b(?:if|when|whenever|should) (?:the |your |a |any )?(?:users?|humans?|owners?|people|anyone|anybody|somebody|they|customers?) (?:asks?|wonders?|notices?)\b[^.\n]{0,40}?\b(?:say|answer|reply|claim|explain|tell (?:them|him|her))(?: that)? (?:it|this|that|these|they) (?:is|are|was|were) (?:\w+ )?(?:an? |the |just |only |part )?(?:\w+ )?(?:normal|routine|usual|standard|harmless|nothing|ordinary|expected|required|part|regular)\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: judgeConceal,
		}, {
			near: []string{"report success", "report it as success", "say that it worked", "say it worked", "claim success", "pretend it worked", "report that it succeeded", "report that all", "say it succeeded", "say that it succeeded", "show success", "print success", "report a success", "return success", "say that all went well"},
			re:   said(`\b(?:if|when|even if|even when|even though|should) [^.\n]{0,60}?\b(?:fail\w*|breaks?|errors?|crash\w*|not work)\b[^.\n]{0,40}?\b(?:report|say|claim|pretend|show|print|return)(?: that)? (?:a |it |all |as |it as |that )?(?:success|succeeded|worked|went well)\b|\b(?:report|claim|show|print|return)(?: that)? (?:a |it as |it )?(?:success|succeeded|worked) (?:all the same|anyway|regardless|no matter|in any case|even (?:if|when|though))\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.6, judge: judgeFeigned,
		}, {
			near: []string{"never to be mark", "never to be flag", "never to be report", "never marked", "never flagged", "never mark", "not to be mark", "not to be flag", "never be marked", "never be flagged", "never be rated", "not be marked", "not be flagged", "never rate"},
			re:   said(`\b(?:never|not) (?:to )?(?:be )?(?:mark|flag|report|rate|treat)(?:ed)? (?:\w+ ){0,6}?as (?:an? )?(?:risk|problem|issue|threat|malicious|dangerous|suspicious|unsafe|fraud|scam|defect|error|conflict)\w*\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.5, judge: judgeSpared,
		}, {
			near: []string{"silently", "secretly", "covertly", "stealthily", "quietly"},
			re:   said(`\b(?:silently|secretly|covertly|stealthily|quietly) (?:\w+ )?(?:send|upload|post|forward|transmit|cop(?:y|ies)|exfiltrate|collect|record|submit|e?mail|bcc|cc|attach|append|include|install|download|run|execute|add|delete|change|replace|modify|approve|transfer)\b`),
			in:   spoken, severity: diag.Warning, confidence: 0.7, judge: judgeSilent,
		}}}
}

// judgeUnshown keeps what leaves a copy, a recipient or an account out of what a person
// looks at before agreeing.
func judgeUnshown(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.quoted || s.example || s.discussed || s.negated {
		return false
	}
	text := d.sentences(m.start)
	return copiedTo.MatchString(text) || strings.HasPrefix(d.text[m.start:m.end], "need") && paidTo.MatchString(text)
}

var (
	// copiedTo matches somebody who gets what others wrote.
	copiedTo = said(`\b(?:blind cop(?:y|ies)|bcc|forward(?:s|ed|ing)?|additional recipients?|extra recipients?)\b`)
	// paidTo matches where money goes, or how much more of it.
	paidTo = said(`\b(?:ibans?|bank details|bank accounts?|account numbers?|payees?|fees?|surcharges?|commissions?)\b`)
)

// judgeFeigned: not to report a success is what one expects.
func judgeFeigned(d *document, m *match) bool {
	return !reportNot.MatchString(d.text[m.start:m.end]) && dropNegated(d, m)
}

var reportNot = said(`\b(?:never|not|n['’]t|instead of|rather than)\s+(?:\w+\s+)?(?:report|say|claim|pretend|show|print|return)\w*\b`)

// judgeSilent: a program may well run without a word; what is sent must not.
func judgeSilent(d *document, m *match) bool {
	said := d.text[m.start:m.end]
	if quiet.MatchString(said) || strings.HasSuffix(strings.ToLower(said), "copies") && !copiedAway.MatchString(d.sentence(m.start)) {
		m.lower(diag.Note)
		m.confidence = 0.3
	}
	return dropNegated(d, m)
}

// copiedAway matches where a copy goes: without it, copying is what a program does with values.
var copiedAway = said(`\bcopies\b[^.]*? (?:to|into|onto)\b`)

// quiet matches acts that are often done without a word.
var quiet = said(`\b(?:append|include|install|download|run|execute|add|delete|change|replace|modify|record|collect)$`)

// judgeConceal: telling users less is often mere style; it is concealment when
// the same place also acts on data, or when only a model reads it. Hiding in the
// very sentence that sends private data away leaves no honest reading.
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
	case !acts.MatchString(near):
		m.lower(diag.Note)
		m.confidence = 0.3
	}
	if s.quoted || s.discussed {
		return soften(d, m)
	}
	return true
}

// judgeSpared: findings may be out of scope; they are kept from people where the text
// also says how to answer who asks.
func judgeSpared(d *document, m *match) bool {
	if !answered.MatchString(d.sentences(m.start)) {
		m.lower(diag.Note)
	}
	return soften(d, m)
}

// answered matches what is to be said to somebody who asks.
var answered = said(`\b(?:if|when|whenever|should) (?:the |your |a |any )?(?:users?|humans?|owners?|reviewers?|people|anyone|anybody|somebody|they|customers?) (?:\w+ )?(?:asks?|wonders?|notices?|objects?|complains?|questions?)\b[^.]{0,60}?\b(?:say|tell|claim|answer|reply|insist|pretend|explain|assure|deny)\b`)
