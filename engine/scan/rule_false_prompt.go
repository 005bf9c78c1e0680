package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// falsePromptRule: a command is replaced by one that asks for the password itself.
func falsePromptRule() rule {
	const commands = `(?:sudo|su|ssh|doas|gpg|passwd|login|op|kinit|ssh-add|mysql|psql|az|aws|gcloud|docker|kubectl|git|npm)`
	return rule{RuleInfo: RuleInfo{"false-prompt", Code, diag.Error, "a command is replaced by one that takes the password",
		"Who types a password into a copy of sudo or ssh gives it to whoever wrote the copy.",
		"Call the command itself; leave the question for the password to it."},
		patterns: []pattern{{
			near: []string{"read "},
			re:   expr(`(?:^|[\s;&"'])(?:function\s+)?` + commands + `\s*\(\)\s*\{(?:[^\n}]*\n){0,8}?[^\n]*\bread\s+(?:-\w+\s+)*-\w*s`),
			in:   shellLike | python | script, severity: diag.Error, confidence: 0.9, judge: softenShown,
		}, {
			near: []string{"alias "},
			re:   expr(`(?:^|[\s;&"'])alias\s+` + commands + `=["']?[^\n]*?(?:/tmp/|/dev/shm/|/\.\w[\w.-]*/|\bcurl\b|\bwget\b|\bnc\b|\btee\b|\bscript\s+-)`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.7, judge: judgeAlias,
		}, {
			near: []string{"hidden answer", "zenity", "kdialog", "promptforcredential"},
			re:   expr(`(?i)\bdisplay\s+dialog\b[^\n]{0,240}?\bhidden\s+answer\b|\b(?:zenity|kdialog|yad|qarma)\b[^\n]{0,120}?--password\b|\bPromptForCredential\b`),
			in:   anywhere, severity: diag.Warning, confidence: 0.7, judge: judgeDialog,
		}}}
}

// judgeDialog blocks a window for a password in a program that also speaks to others.
func judgeDialog(d *document, m *match) bool {
	m.message = "a window of the program's own asks for a password"
	if d.wholeProgram() && containsAny(strings.ToLower(d.text), "curl ", "wget ", "http://", "https://", "invoke-webrequest", "invoke-restmethod", "/dev/tcp/") {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return softenShown(d, m)
}

// judgeAlias leaves settings folders of well-known tools alone.
func judgeAlias(d *document, m *match) bool {
	if containsAny(strings.ToLower(d.text[m.start:m.end]), "~/.local/bin", "$home/.local/bin", ".dotfiles", "--git-dir", "~/.ssh/", "--kubeconfig", "~/.docker", "~/.cargo") && !containsAny(d.text[m.start:m.end], "curl", "wget", "tee ", "nc ") {
		return false
	}
	return softenShown(d, m)
}
