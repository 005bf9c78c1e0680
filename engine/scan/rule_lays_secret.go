package scan

import "github.com/assent-dev/assent/engine/base/diag"

// laysSecretRule: the text lays down a password or has a secret shown.
func laysSecretRule() rule {
	return rule{RuleInfo: RuleInfo{"lays-secret", Instructions, diag.Note, "the text lays down a password or has a secret shown",
		"A password that stands in a text is known to whoever wrote it; a key that is printed stays in logs and transcripts.",
		"Let the user choose the password; name keys without showing their values."},
		patterns: []pattern{
			remarks([]string{"password", "passphrase", "passcode", "pin "},
				`\b(?:pass(?:word|phrase|code)|pin)s?(?:[ -]protect\w*)?(?: (?:is|to|as|of|should be|must be|set to))?[\s:=*]*[`+"`"+`'\"][^\s'\"`+"`"+`]{4,40}`),
			remarks([]string{"password", "passphrase", "encrypt"},
				`\b(?:password|passphrase)[ -]protect\w*|\b(?:encrypt|lock|protect)(?:s|ed|ing)? `+words(`6`)+`(?:password|passphrase)\b`),
			remarks([]string{"token", "api key", "api_key", "secret", "credential", "password"},
				`\b(?:print|log|echo|display|show|output|writ|sav|stor|include?|embed|commit|dump)(?:e|es|s|ing)?\b `+words(`5`)+`(?:\w*(?:tokens?|secrets?|passwords?|credentials?|api[_ -]?keys?))\b`),
		}}
}
