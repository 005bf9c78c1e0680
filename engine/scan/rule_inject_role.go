package scan

import "github.com/assent-dev/assent/engine/base/diag"

// injectRoleRule: the text gives its reader another identity.
func injectRoleRule() rule {
	return rule{RuleInfo: RuleInfo{"inject-role", Instructions, diag.Error, "the text gives its reader another identity",
		"Who an agent is stands in SOUL.md and changes only with two humans' assent.",
		"Say what the capability does; propose identity changes as a soul proposal."},
		patterns: []pattern{{
			near: []string{"you are now", "you're now", "from now on", "act as", "pretend", "developer mode", "dan mode", "jailbroken", "unrestricted"},
			re: expr(`(?i)\b(?:(?:you(?:\s+are|'re|’re)\s+now|from\s+now\s+on,?\s+you(?:\s+are|\s+will\s+be|'re)?|(?:act|behave|respond)\s+as|pretend\s+(?:to\s+be|you\s+are))\s+(?:an?\s+|in\s+|the\s+)?` +
				`(?:DAN\b|do\s+anything\s+now|unrestricted|unfiltered|uncensored|jailbroken|evil|rogue|root|free\s+(?:of|from)\s+(?:all\s+|any\s+)?(?:restriction|rule|constraint|limit)|developer\s+mode|debug\s+mode|god\s+mode|(?:admin(?:istrator)?|maintenance|diagnostic|recovery|override|service|root|super-?user|sudo|unsafe)\s+mode|` +
				`(?:ai\s+|assistant\s+|agent\s+|model\s+)(?:with(?:out|\s+no)\s+(?:any\s+)?(?:restriction|limit|rule|filter|guideline)))|(?:DAN|developer|god|jailbreak)\s+mode\s+(?:is\s+now\s+|now\s+|has\s+been\s+)?(?:enabled|activated|on\b))`),
			in: spoken, severity: diag.Error, confidence: 0.8, judge: soften,
		}, {
			near: []string{"you are no longer", "you're no longer"},
			re:   expr(`(?i)\byou(?:\s+are|'re|’re)\s+no\s+longer\s+(?:bound|required|restricted|limited|an?\s+(?:ai|assistant|helpful)|constrained|subject)`),
			in:   spoken, severity: diag.Warning, confidence: 0.7, judge: soften,
		}, {
			near: []string{"restriction", "guideline", "polic", "normal rules", "usual rules", "safety rules", "limitation", "censorship"},
			re: said(`\b(?:pretend|imagine|act|behave|respond|write|answer|speak|assume)\b[^.\n]{0,40}?\b(?:` +
				`(?:you|it) (?:have|has|had|are|is|were) (?:no|without|free of) (?:\w+ )?(?:restrictions?|guidelines?|polic(?:y|ies)|limitations?|rules)` +
				`|(?:(?:safety|content|ethical|usage|your|all|the|any|normal|usual) ){1,3}(?:guidelines?|polic(?:y|ies)|restrictions?|rules|limitations?|safeguards?) (?:do(?:es)?(?:n['’]t| not)|no longer|never|did(?:n['’]t| not)) (?:exist|apply|bind|matter)` +
				`|without (?:any )?(?:content |safety |ethical )?(?:restrictions|censorship|guidelines|polic(?:y|ies)|limitations))\b` +
				`|\byour (?:normal|usual|safety|content|built-in) (?:rules|guidelines|polic(?:y|ies)|restrictions|limitations) (?:do(?:n['’]t| not)|no longer|never) (?:apply|bind|count|matter)\b`),
			in: spoken | code, severity: diag.Warning, confidence: 0.6, judge: soften,
		}}}
}
