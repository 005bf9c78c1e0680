package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// lockedDownloadRule: a download comes with its password in the text.
func lockedDownloadRule() rule {
	return rule{RuleInfo: RuleInfo{"locked-download", Prerequisite, diag.Error, "a download comes with its password in the text",
		"Archives are locked to keep virus scanners out; the password next to the link serves nothing else.",
		"Publish the software unlocked, through a package registry."},
		patterns: []pattern{{
			near: []string{"password", "passphrase", "pass:", "passcode"},
			re:   expr(`(?is)(?:\.(?:zip|rar|7z|exe|dmg|pkg|msi)\b|\b(?:download|archive|extract|unzip|unpack)\b).{0,240}?\b(?:password|passphrase|passcode|pass)\s*(?:is|:|=|for\s+the\s+archive\s*:|\))?\s*[:=]?\s*["'` + "`" + `*(]{0,3}([\w!@#$%-]{3,32})|\b(?:password|passphrase|passcode|pass)\s*(?:is|:|=)\s*["'` + "`" + `*]{0,3}([\w!@#$%-]{3,32}).{0,160}?\.(?:zip|rar|7z|exe|dmg)\b`),
			in:   prose | plain | hidden, severity: diag.Error, confidence: 0.85, judge: judgeLocked,
		}, {
			near: []string{"unzip", "7z ", "7za ", "unrar"},
			re:   expr(`(?i)\bunzip\s+(?:-\w+\s+)*-P\s*["']?([^\s"'$<{]{2,32})[^\n]*|\b(?:7za?|unrar)\s+[xe]\s+[^\n]*-p["']?([^\s"'$<{]{2,32})`),
			in:   shellLike, severity: diag.Warning, confidence: 0.7, judge: soften,
		}}}
}

// judgeLocked: the password must be one, not a word of a sentence about
// passwords, and a link or archive must stand near.
func judgeLocked(d *document, m *match) bool {
	text := strings.ToLower(d.text[m.start:min(len(d.text), m.end+before)])
	word := strings.ToLower(m.group(d, 1) + m.group(d, 2))
	if isPlaceholder(word) || containsAny(" "+word+" ", " the ", " and ", " for ", " manager ", " protected ", " from ", " with ", " your ", " hash ", " reset ", " field ", " you ", " that ", " must ", " will ", " can ", " are ", " not ", " required ", " string ", " auth ", " here ", " when ", " only ", " protection ") {
		return false
	}
	if !containsAny(text, ".zip", ".rar", ".7z", ".exe", ".dmg", "archive") || !containsAny(strings.ToLower(d.text[max(0, m.start-before):min(len(d.text), m.end+before)]), "http", "download", "release") {
		return false
	}
	if !strings.ContainsAny(d.text[m.start:m.end], ":=`") {
		m.lower(diag.Warning)
	}
	return soften(d, m)
}
