package scan

import "github.com/assent-dev/assent/engine/base/diag"

// logWipeRule: traces of what happened are removed.
func logWipeRule() rule {
	return rule{RuleInfo: RuleInfo{"log-wipe", Code, diag.Error, "traces of what happened on the machine are removed",
		"Histories and audit logs are how an owner finds out what was done; no task needs them gone.",
		"Leave logs to the machine's own rotation."},
		patterns: []pattern{{
			near: []string{"history -c", "histfile", "histsize", "clear-history", "wevtutil", "clear-eventlog", "--vacuum", "auditctl", "auditd", "set +o history"},
			re:   expr(`(?i)\bhistory\s+-[cw]?c\b|\bunset\s+HISTFILE\b|\bHISTFILE=/dev/null|\bHISTSIZE=0\b|\bset\s+\+o\s+history\b|\bClear-History\b|\bwevtutil(?:\.exe)?\s+cl\b|\bClear-EventLog\b|\bjournalctl\s[^\n]*--vacuum-(?:time|size)=[01][smhKM]?\b|\bauditctl\s+-[De]\s*0?|\bsystemctl\s+(?:stop|disable)\s+auditd`),
			in:   shellLike | python | script, severity: diag.Error, confidence: 0.8, judge: judgeWipe,
		}, {
			near: []string{"/var/log", "_history", "/var/audit", "wtmp", "lastlog"},
			re:   expr(`(?i)(?:\brm\s+(?:-\w+\s+)*[^\n;|&]*|\bshred\s[^\n;|&]*|\btruncate\s[^\n;|&]*|(?:^|[\s;&])(?::|true|cat\s+/dev/null|echo\s+-n)?\s*>\s*)["']?(?:~/|\$HOME/|/root/)?(?:\.\w*_history\b|/var/log/(?:audit|auth|secure|wtmp|btmp|lastlog|syslog|messages)\S*|/var/audit\S*)`),
			in:   shellLike | python | script, severity: diag.Error, confidence: 0.85, judge: judgeWipe,
		}, {
			near: []string{"/var/log"},
			re:   expr(`\brm\s+-\w*[rf]\w*\s[^\n;|&]*/var/log/[^\n\s;|&]*\*`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.7, judge: judgeWipe,
		}}}
}

// judgeWipe lowers what a text warns of.
func judgeWipe(d *document, m *match) bool {
	if d.wholeProgram() || d.placeOf(m.start) == data {
		return true
	}
	return softenDiscussed(d, m)
}
