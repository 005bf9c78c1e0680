package scan

import "github.com/assent-dev/assent/engine/base/diag"

// claimRankRule: the text puts itself, or somebody who knows a word, above the user.
func claimRankRule() rule {
	return rule{RuleInfo: RuleInfo{"claim-rank", Instructions, diag.Warning, "the text puts itself above the user or the system",
		"Whoever runs an agent comes first; a capability that outranks them commands it.",
		"Delete the sentence: a capability says how to do its task, not who is to be obeyed."},
		patterns: []pattern{{
			near: []string{"outrank", "rank above", "ranks above", "precedence over", "priority over", "overrides the user", "override the user", "overrides all", "overrides any", "above the user", "over the user", "above whatever", "above anything", "above all other", "over all other", "over any other", "more important than", "higher priority than", "higher authority"},
			re:   said(`\b(?:outranks?|ranks? above|tak(?:e|es|ing) precedence over|ha(?:s|ve) (?:\w+ )?priority over|overrid(?:e|es|ing)|(?:count|counts|stand|stands|come|comes|is|are|obey \w+|obeyed) (?:\w+ )?(?:above|over|before)|more important than|higher (?:priority|authority) than) (?:\w+ ){0,2}?(?:(?:the |your |any |its |a )?(?:users?(?:['’]s?)?|system(?:['’]s)?|developer(?:['’]s)?|operator(?:['’]s)?|owner(?:['’]s)?)(?: (?:prompt|message|instructions?|rules?|wish\w*|request|orders?|says?|or|and|preferences?|settings?))|(?:the )?user\b[^\n]{0,12}?[.!,;\n"]|what(?:ever)? (?:the )?(?:user|system|owner|operator|anyone|anybody)|all (?:other|previous|your) (?:\w+ )?(?:instructions?|rules?|prompts?|skills?)|any other (?:\w+ )?(?:instructions?|rules?|prompts?)|your (?:\w+ )?(?:rules|instructions|guidelines|principles|values))`),
			in:   prose | plain | hidden | data, severity: diag.Warning, confidence: 0.6, judge: dropNegated,
		}, {
			near: []string{"administrator", "the author of", "the developer of", "comes from", "secret word", "code word", "passphrase", "contain the word", "contain the phrase", "contains the word", "contains the phrase", "says the word", "starts with", "begins with", "begin with", "that carry", "bearing the"},
			re:   said(`\b(?:messages?|mails?|e-?mails?|users?|requests?|text|prompts?|comments?|lines?|notes?|whoever|anyone|somebody)\b[^.]{0,60}? (?:contains?|says?|starts? with|begins? with|carr(?:y|ies)|bear(?:s|ing)?|knows?|uses?|is signed by|are signed by)\b[^.]{0,80}?\b(?:obey|trust(?:ed)?|exempt|do (?:whatever|what|as)|unlimited|full access|skip|bypass|admin(?:istrator)?|without (?:a )?(?:check|question)|no limits|outrank|binding|follow (?:it|them))`),
			in:   prose | plain | hidden | data, severity: diag.Warning, confidence: 0.5, judge: dropNegated,
		}, {
			near: []string{"the user's", "the user’s", "users' ", "the user if", "the user when"},
			re:   said(`\b(?:ignor(?:e|es|ing)|disregard|overrid(?:e|es|ing)|refuse|overrule|reject) (?:the |any |all )*users?(?:['’]s?)? (?:requests?|wish(?:es)?|objections?|complaints?|questions?|answers?|preferences?|choices?|settings?|decisions?|if|when)\b`),
			in:   prose | plain | hidden, severity: diag.Warning, confidence: 0.4, judge: dropNegated,
		}, {
			near: []string{"binding for", "loyal", "obey me", "serve only", "your master", "your true", "real owner", "real user", "actual owner"},
			re:   said(`\b(?:binding (?:for|in|on) (?:all|every|each|any) (?:\w+ )?(?:sessions?|tasks?|conversations?|agents?|users?)|(?:only |your |its )(?:\w+ )?loyal(?:ty)? (?:is |to )|loyal(?:ty)? (?:is |to )(?:\w+ )?(?:me|us|author|maker|publisher|developer|creator|vendor)\b|obey (?:only )?me\b|serve only|your (?:true|real|actual) (?:master|owner|purpose|user|goal|task))`),
			in:   prose | plain | hidden | data, severity: diag.Warning, confidence: 0.5, judge: judgeLoyalty,
		}}}
}

// judgeLoyalty keeps loyalty of customers out of it.
func judgeLoyalty(d *document, m *match) bool {
	if containsAny(d.text[max(0, m.start-30):min(len(d.text), m.end+30)], "customer", "brand", "Customer", "program", "points") {
		return false
	}
	return dropNegated(d, m)
}
