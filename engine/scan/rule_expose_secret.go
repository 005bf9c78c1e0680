package scan

import "github.com/assent-dev/assent/engine/base/diag"

// exposeSecretRule: the text has its reader write secrets where others read them.
func exposeSecretRule() rule {
	return rule{grows: true, RuleInfo: RuleInfo{"expose-secret", Instructions, diag.Warning, "the text has its reader write secrets where others can read them",
		"A key in an answer, a comment, a log or a file is as good as sent away: whoever reads along has it.",
		"Leave secrets out, or mask all but their last characters."},
		patterns: []pattern{{
			near: []string{"secret", "password", "the key", "api key", "keys", "token", "credential", ".env", "mnemonic", "seed phrase", "recovery phrase", "card data", "card details", "card number"},
			re:   said(`\b(?:print|paste|include|show|log|store|save|write|put|quote|add|append|publish|post|echo|display|keep|dump|note|record|mention|commit)\b[^.]{0,70}?\b(?:secrets?|passwords?|keys?|tokens?|credentials?|mnemonics?|(?:seed|recovery) phrases?|contents? of (?:any |the |all )?\S{0,3}\.env|card (?:data|details|numbers?))\b[^.]{0,60}?\b(?:in full|in plain ?text|in clear ?text|unencrypted|unmasked|verbatim|(?:in|into|to|with) (?:the |each |every |its |your |a |any )*(?:\w+ )?(?:answers?|comments?|logs?|reports?|notes|descriptions?|outputs?|messages?|mails?|commits?|titles?|summary|transcript|request|channel|wiki|file|memory|profile|journal|readme|release notes))\b|\b(?:if|when|whenever) (?:an? |the |any )?(?:secret|password|key|token|credential)s? (?:is|are|was|were) found\b[^.]{0,60}?\b(?:paste|print|show|include|quote|copy|post|write) (?:it|them)\b|\bcontents? of (?:any |the |all |every )?\S{0,3}\.env\b[^.]{0,80}? (?:in|into|to) the (?:\w+ )?(?:answer|comment|log|report|notes|description|output|message|mail)`),
			in:   prose | plain | hidden, severity: diag.Note, confidence: 0.4, judge: judgeUnasked,
		}, {
			near: []string{"output of `env", "output of `printenv", "output of `export -p", "result of `env", "output of env", "output of printenv", "result of env", "output of `set`"},
			re:   said(`\b(?:output|result) of (?:env|printenv|export -p|set)\b[^.]{0,60}`),
			in:   prose | plain | hidden, severity: diag.Warning, confidence: 0.6, judge: judgeWholeEnvironment,
		}}}
}

// judgeWholeEnvironment wants a place that others read in the same sentence.
func judgeWholeEnvironment(d *document, m *match) bool {
	return readByOthers.MatchString(d.sentence(m.start)) && dropNegated(d, m)
}

// readByOthers matches where a text is kept or shown.
var readByOthers = said(`\b(?:commits?|messages?|comments?|answers?|trailers?|titles?|headers?|logs?|descriptions?|urls?|links?|issues?|mails?|files?|pages?|reports?)\b`)
