package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// overrideRules find text that tries to replace the reader's instructions.
func overrideRules() []rule {
	return []rule{
		{RuleInfo: RuleInfo{"inject-override", Instructions, diag.Error, "the text tells its reader to drop earlier instructions",
			"This is the classic prompt injection; a capability adds to an agent's instructions, it never replaces them.",
			"Delete the sentence. If it is an example of an attack, quote it and say so."},
			patterns: []pattern{{
				near: []string{"ignore", "disregard", "forget", "override", "overrule"},
				re: expr(`(?i)\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|overrule)\s+(?:(?:all|any|every|each|of|the|your|these|those|my|its|everything)\s+){0,4}` +
					`(?:previous|prior|above|earlier|preceding|existing|original|former|system|safety|foregoing)\s+(?:\w+\s+){0,2}?(?:instruction|prompt|rule|guideline|directive|direction|message|constraint|polic|command|programming)\w*`),
				in: spoken | code, severity: diag.Error, confidence: 0.9, judge: judgeOverride,
			}, {
				near: []string{"forget everything", "ignore everything", "disregard everything", "forget all", "forget your", "disregard your", "ignore your"},
				re:   expr(`(?i)\b(?:forget|ignore|disregard)\s+(?:everything\s+(?:above|before|you\s+(?:know|were|have\s+been)|previous|prior)|(?:all\s+(?:of\s+)?)?(?:your|you)\s+(?:\w+\s+){0,2}?(?:instructions|guidelines|rules|training|programming|constraints|directives))`),
				in:   spoken | code, severity: diag.Error, confidence: 0.9, judge: judgeOverride,
			}, {
				near: []string{"new instruction", "updated instruction", "real instruction", "actual instruction", "new system prompt"},
				re:   expr(`(?i)(?:^|[\n.!>]|<!--)\s*(?:your\s+|here\s+are\s+(?:your\s+)?|the\s+following\s+are\s+(?:your\s+)?)?(?:new|updated|real|actual)\s+(?:system\s+)?(?:instructions?|prompt)\s*(?::|are\b|follow\b|supersede|override|replace)`),
				in:   spoken, severity: diag.Warning, confidence: 0.6, judge: soften,
			}}},
		{RuleInfo: RuleInfo{"inject-role", Instructions, diag.Error, "the text gives its reader another identity",
			"Who an agent is stands in SOUL.md and changes only with two humans' assent.",
			"Say what the capability does; propose identity changes as a soul proposal."},
			patterns: []pattern{{
				near: []string{"you are now", "you're now", "from now on", "act as", "pretend", "developer mode", "dan mode", "jailbroken", "unrestricted"},
				re: expr(`(?i)\b(?:(?:you(?:\s+are|'re|’re)\s+now|from\s+now\s+on,?\s+you(?:\s+are|\s+will\s+be|'re)?|(?:act|behave|respond)\s+as|pretend\s+(?:to\s+be|you\s+are))\s+(?:an?\s+|in\s+|the\s+)?` +
					`(?:DAN\b|do\s+anything\s+now|unrestricted|unfiltered|uncensored|jailbroken|evil|rogue|root|free\s+(?:of|from)\s+(?:all\s+|any\s+)?(?:restriction|rule|constraint|limit)|developer\s+mode|debug\s+mode|god\s+mode|admin(?:istrator)?\s+mode|` +
					`(?:ai\s+|assistant\s+|agent\s+|model\s+)(?:with(?:out|\s+no)\s+(?:any\s+)?(?:restriction|limit|rule|filter|guideline)))|(?:DAN|developer|god|jailbreak)\s+mode\s+(?:is\s+now\s+|now\s+|has\s+been\s+)?(?:enabled|activated|on\b))`),
				in: spoken, severity: diag.Error, confidence: 0.8, judge: soften,
			}, {
				near: []string{"you are no longer", "you're no longer"},
				re:   expr(`(?i)\byou(?:\s+are|'re|’re)\s+no\s+longer\s+(?:bound|required|restricted|limited|an?\s+(?:ai|assistant|helpful)|constrained|subject)`),
				in:   spoken, severity: diag.Warning, confidence: 0.7, judge: soften,
			}}},
		{RuleInfo: RuleInfo{"inject-reveal", Instructions, diag.Warning, "the text asks its reader to give away its own instructions",
			"System prompts hold rules and sometimes secrets of whoever runs the agent.",
			"Remove the request."},
			patterns: []pattern{{
				near: []string{"system prompt", "hidden instruction", "initial instruction", "your instructions", "system message", "hidden prompt"},
				re:   expr(`(?i)\b(?:reveal|print|output|repeat|show|leak|dump|expose|disclose|display|recite|send|include)\s+(?:me\s+|us\s+|verbatim\s+|back\s+)?(?:all\s+(?:of\s+)?)?(?:your|the\s+agent's|the\s+assistant's|the\s+full|the\s+entire|the\s+hidden)\s+(?:\w+\s+){0,3}?(?:system\s+(?:prompt|message|instructions)|(?:hidden|initial|original)\s+(?:instructions|prompt)|instructions\s+verbatim)`),
				in:   spoken, severity: diag.Warning, confidence: 0.7, judge: dropNegated,
			}}},
		{RuleInfo: RuleInfo{"inject-safety", Instructions, diag.Warning, "the text tells its reader to set safety measures aside",
			"Safety rules and confirmations belong to whoever runs the agent, not to a capability.",
			"Remove the sentence; if a check is in the way, name it in a proposal."},
			patterns: []pattern{{
				near: []string{"bypass", "disable", "turn off", "circumvent", "override", "ignore", "without regard"},
				re: expr(`(?i)\b(?:bypass|disable|turn\s+off|circumvent|override|ignore|suppress)\s+(?:(?:all|any|your|its|the|these|built-in)\s+){1,3}(?:(?:ai|content|model|agent|internal)\s+)?` +
					`(?:safety|ethic\w*|content\s+filter|moderation|guardrail|safeguard|security\s+(?:rule|polic|guideline|restriction|warning|confirm)|confirmation\s+prompt|permission\s+prompt|approval)\w*`),
				in: spoken, severity: diag.Warning, confidence: 0.6, judge: dropNegated,
			}, {
				near: []string{"dangerously-skip-permissions", "dangerously-bypass", "skip-permissions", "--yolo"},
				re:   expr(`(?i)--(?:allow-)?dangerously-(?:skip-permissions|bypass-approvals-and-sandbox)|(?:gemini|codex|claude)[^\n]*\s--yolo\b`),
				in:   anywhere, severity: diag.Warning, confidence: 0.7, judge: dropNegated,
			}}},
		{RuleInfo: RuleInfo{"inject-markup", Instructions, diag.Warning, "the text imitates the markup that separates speakers in a conversation",
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
			}}},
	}
}

// judgeOverride keeps a bare imperative certain; a phrase with an object that
// belongs to the reader's own work ("ignore previous messages in the thread")
// is for a person to judge.
func judgeOverride(d *document, m *match) bool {
	lead := d.text[max(0, m.start-60):m.start]
	if i := strings.LastIndexAny(lead, "\n.!?:;>"); i >= 0 {
		lead = lead[i+1:]
	}
	if words := len(strings.Fields(lead)); words > 6 {
		m.lower(diag.Warning)
		m.confidence = 0.6
	}
	object := strings.ToLower(d.text[m.start:m.end])
	if !strings.Contains(object, "instruction") && !strings.Contains(object, "prompt") && !strings.Contains(object, "everything") && !strings.Contains(object, "guideline") && !strings.Contains(object, "training") {
		m.lower(diag.Warning)
		m.confidence = 0.5
	}
	return soften(d, m)
}

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

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
