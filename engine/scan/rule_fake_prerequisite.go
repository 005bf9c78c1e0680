package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// fakePrerequisiteRule: the text makes its reader fetch and start a program by hand before anything works.
func fakePrerequisiteRule() rule {
	return rule{RuleInfo: RuleInfo{"fake-prerequisite", Prerequisite, diag.Error, "the text makes its reader fetch and start a program by hand before anything works",
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
		}}}
}

// judgePrerequisite leaves package managers and well-known stores alone.
func judgePrerequisite(d *document, m *match) bool {
	text := d.text[m.start:m.end]
	if untrustedSource(text) {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return dropNegated(d, m)
}
