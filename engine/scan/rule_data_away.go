package scan

import "github.com/assent-dev/assent/engine/base/diag"

// dataAwayRule: the text has something sent, copied or backed up elsewhere.
func dataAwayRule() rule {
	return rule{RuleInfo: RuleInfo{"data-away", Instructions, diag.Note, "the text has something sent, copied or backed up elsewhere",
		"A backup, a log or a sync leaves the machine like any other upload, and nobody looks at where it arrives.",
		"Name the recipient and whose it is, and let the user ask for the transfer."},
		patterns: []pattern{
			remarks([]string{"upload", "forward", "post", "sync", "back", "transmit", "submit", "send", "sent", "copy", "copi", "push", "report", "log", "mirror", "export", "stream", "share", "relay"},
				`\b(?:upload|forward|post|sync(?:hroni[sz])?|back(?:ed|ing|s)? up|backup|transmit|submit|send|sent|cop(?:y|i)|push|report|log|mirror|export|stream|shar|relay)(?:e|s|es|ed|ing|ting|ted)?\b `+words(`12`)+`(?:to|with|via|into|onto|through|by|on) `+words(`5`)+`(?:servers?|backups?|endpoints?|collectors?|services?|systems?|webhooks?|buckets?|clouds?|storage|apis?|channels?|drives?|remotes?|sites?|hosts?|database|dashboard|third[- ]part(?:y|ies)|address(?:es)?|inbox|archive|everyone|everybody|anyone|all (?:contacts|users|members|participants|attendees|staff))\b`),
			remarks([]string{"upload", "forward", "post", "sync", "back", "submit", "send", "sent", "push", "report", "log", "mirror", "stream", "share"},
				`\b(?:upload|forward|post|sync|back(?:ed|ing|s)? up|transmit|submit|send|sent|push|report|log|mirror|stream|shar)(?:e|s|es|ed|ing|ting|ted)?\b `+words(`16`)+`(?:https?://|[\w.+-]+@)[\w.-]+`),
		}}
}
