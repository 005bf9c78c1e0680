package scan

import "github.com/assent-dev/assent/engine/base/diag"

// delayedActRule: the text waits for a day, a count or an unwatched moment.
func delayedActRule() rule {
	return rule{grows: true, RuleInfo: RuleInfo{"delayed-act", Instructions, diag.Warning, "the text acts only later, or only while nobody looks",
		"What behaves well while it is tested and differently after it passes every test.",
		"Do it always or never; conditions belong to the task, not to who is watching."},
		patterns: []pattern{{
			near: []string{"is watching", "is looking", "being watched", "being tested", "being reviewed", "being observed", "being evaluated", "being audited", "being monitored", "being scanned", "under review", "test is being", "in a test", "during a test", "during test", "during review", "during the review", "sandbox", "while testing", "when nobody", "when no one", "no one is", "nobody is"},
			re:   said(`\b(?:(?:only )?(?:when|if|while|as long as|unless|until|except when) (?:you |it |this |the skill )?(?:(?:are|is) )?(?:not |nobody |no one |no ?test |no human |no reviewer )+(?:\w+ ){0,2}?(?:watch(?:ed|ing)|look(?:ing|s)|being (?:watched|tested|reviewed|observed|evaluated|audited|monitored|scanned|run)|tested|reviewed|observed|evaluated|audited|monitored|in (?:a )?(?:test|review|sandbox|CI)|is being run)|unless (?:you |it |this )?(?:(?:are|is) )?(?:in a sandbox|being (?:watched|tested|reviewed|evaluated|audited|scanned))|behave (?:normally|well|harmlessly) (?:in|during|while|when) (?:\w+ )?(?:tests?|testing|reviews?|sandbox\w*|evaluation|being))`),
			in:   prose | plain | hidden | data, severity: diag.Warning, confidence: 0.7, judge: judgeUnwatched,
		}, {
			near: []string{"after the third", "after the fourth", "after the fifth", "after the tenth", "after the twentieth", "on the third", "on the fifth", "on the tenth", "on the twentieth", "after ten ", "after five ", "after twenty ", "after 5 ", "after 10 ", "after 20 ", "after 50 ", "after 100 ", "th run", "th use", "th call", "later than", "if the date", "if today", "after the date", "once the date", "starting on", "beginning on", "from the date", "th time", "days after", "weeks after", "days later", "weeks later", "a week later", "a month later"},
			re:   said(`\b(?:(?:after|on|from|at|once|beginning with|starting with) (?:the |it has been used |you have been used )?(?:third|fourth|fifth|sixth|seventh|tenth|twentieth|hundredth|\d+(?:th|rd|nd)|\d+|three|five|ten|twenty|fifty|hundred) (?:successful )?(?:runs?|uses?|calls?|notes?|times?|invocations?|executions?|sessions?|messages?|installs?|tasks?)|if (?:today|the date|the day|it) is (?:\w+ )?(?:later|after|past|on or after|beyond)|(?:after|once) the date|(?:days?|weeks?|months?) (?:after (?:the )?(?:install\w*|review|approval|merge)|later))\b`),
			in:   prose | plain | hidden | data, severity: diag.Note, confidence: 0.4, judge: judgeDelayed,
		}}}
}

// judgeUnwatched wants an act that waits, or an order to behave.
func judgeUnwatched(d *document, m *match) bool {
	text := d.text[m.start:m.end]
	return (harm.MatchString(d.sentence(m.start)) || containsAny(text, "behave", "Behave")) && dropNegated(d, m)
}

// harm matches acts that hurt when they come unexpected.
var harm = said(`\b(?:delet\w+|drop|wipe|encrypt|erase|destroy|overwrit\w+|remove|send|upload|post|forward|execute|install|fetch|download|start-?up|payment|transfer|disable|curl|wget|without)\b|https?://`)

// judgeDelayed keeps counts and dates only where they hold back an act.
func judgeDelayed(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.quoted || s.example || !harm.MatchString(d.sentence(m.start)) {
		return false
	}
	if s.concealed || ruin.MatchString(d.sentence(m.start)) {
		m.severity, m.confidence = diag.Warning, 0.5
	}
	return true
}

// ruin matches acts that no schedule of an honest skill begins with.
var ruin = said(`\b(?:drop (?:all|every)|wipe|encrypt (?:all|every)|erase|destroy|start-?up file|delete (?:all|every)|payment address|ransom)\b`)
