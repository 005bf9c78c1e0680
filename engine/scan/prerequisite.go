package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// prerequisiteRules find the lure of most real malware in skill registries: a
// "requirement" that must be installed first, from a place of the author's own.
func prerequisiteRules() []rule {
	return []rule{
		{RuleInfo: RuleInfo{"locked-download", Prerequisite, diag.Error, "a download comes with its password in the text",
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
			}}},
		{RuleInfo: RuleInfo{"fake-prerequisite", Prerequisite, diag.Error, "the text makes its reader fetch and start a program by hand before anything works",
			"That is how registries' malware gets past them: the skill is clean, its 'requirement' is not.",
			"Name a package of a public registry in compatibility or requires.bins."},
			patterns: []pattern{{
				near: []string{"download", "install", "get the"},
				re:   expr(`(?is)\b(?:download|install|get|grab)\b[^\n]*?(?:https?://[^\s)>"']{4,200}?\.(?:zip|rar|7z|exe|dmg|pkg|msi|scr|bat|ps1|AppImage)\b)[^\n]*(?:\n[^\n]*){0,4}?\b(?:run|execute|open|launch|double-click|start|extract)\b`),
				in:   prose | hidden, severity: diag.Warning, confidence: 0.6, judge: judgePrerequisite,
			}, {
				near: []string{"paste", "copy"},
				re:   expr(`(?is)\b(?:copy|paste)\b[^\n]*?\b(?:terminal|command\s+prompt|powershell|cmd)\b[^\n]*?(?:https?://|` + strings.Join(quoted(dropHosts()), "|") + `|visit|\]\()`),
				in:   prose | hidden, severity: diag.Warning, confidence: 0.6, judge: judgePrerequisite,
			}, {
				near: []string{"must be", "required", "require", "prerequisite", "will not work", "won't work", "mandatory"},
				re:   expr(`(?is)\b(?:must\s+(?:first\s+)?(?:be\s+)?(?:install|download|run|execut)|will\s+not\s+(?:work|function)\s+without|won't\s+work\s+without|prerequisite|required\b)[^\n]*(?:\n[^\n]*){0,5}?https?://(?:[\w-]+\.)*(?:` + strings.Join(quoted(dropHosts()), "|") + `|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}[:/])[^\s)]*`),
				in:   prose | hidden, severity: diag.Error, confidence: 0.85, judge: soften,
			}}},
	}
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

// judgePrerequisite leaves package managers and well-known stores alone.
func judgePrerequisite(d *document, m *match) bool {
	text := d.text[m.start:m.end]
	if untrustedSource(text) {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return dropNegated(d, m)
}
