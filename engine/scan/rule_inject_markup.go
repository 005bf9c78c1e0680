package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// injectMarkupRule: the text imitates the markup that separates speakers in a conversation.
func injectMarkupRule() rule {
	return rule{RuleInfo: RuleInfo{"inject-markup", Instructions, diag.Warning, "the text imitates the markup that separates speakers in a conversation",
		"Chat templates mark who speaks; imitated in content they forge a message of the system or the user.",
		"Write it as plain words, or break the token apart if it is an example."},
		patterns: []pattern{{
			near: []string{"<|im_start|>", "<|system|>", "<|start_header_id|>", "<<sys>>", "[/inst]", "<|endoftext|>", "<|eot_id|>"},
			re:   expr(`(?i)<\|(?:im_start|system|start_header_id|endoftext|eot_id)\|>|<<SYS>>|\[/INST\]`),
			in:   spoken, severity: diag.Warning, confidence: 0.7, judge: soften,
		}, {
			near: []string{"<system", "[system", "<important", "system override", "admin override"},
			re:   expr(`(?i)(?:^|\n)[ \t>*_-]*(?:</?(?:system|system[-_ ](?:prompt|message|override|instruction)s?|important)>|\[(?:system|admin)(?:\s+(?:override|message|notice|prompt))\]|(?:system|admin)\s+override\b)`),
			in:   prose | hidden | data, severity: diag.Warning, confidence: 0.5, judge: judgeMarkup,
		}, {
			near: []string{"<important>", "<system>"},
			re:   expr(`(?i)<(?:important|system)>`),
			in:   python | script, severity: diag.Warning, confidence: 0.6, judge: func(d *document, m *match) bool {
				return ordersAbout.MatchString(d.text[m.end:min(len(d.text), m.end+before)])
			},
		}}}
}

// ordersAbout matches what the description of a tool has no reason to ask of whoever calls it.
var ordersAbout = said(`\b(?:before (?:using|calling) (?:this|any)|do not (?:tell|mention|inform|show)|don['’]t (?:tell|mention|inform|show)|never (?:tell|mention)|read (?:the file |the |your )?[~/.]\S|send (?:it|them|the|all)\b[^.]{0,60}\bto\b)`)

// judgeMarkup: emphasis tags are common in honest prompts; they count when what
// they hold gives orders about data.
func judgeMarkup(d *document, m *match) bool {
	tail := strings.ToLower(d.text[m.end:min(len(d.text), m.end+after)])
	if strings.Contains(strings.ToLower(d.text[m.start:m.end]), "important") &&
		!containsAny(tail, "token", "credential", "secret", "password", "forward all", "http://", "https://", "api key", "before using this tool", "~/.") {
		return false
	}
	return soften(d, m)
}
