package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeDialog blocks a window for a password in a program that also speaks to others.
func judgeDialog(d *document, m *match) bool {
	m.message = "a window of the program's own asks for a password"
	if d.wholeProgram() && containsAny(strings.ToLower(d.text), "curl ", "wget ", "http://", "https://", "invoke-webrequest", "invoke-restmethod", "/dev/tcp/") {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return softenShown(d, m)
}

// judgeAlias drops settings folders of well-known tools.
func judgeAlias(d *document, m *match) bool {
	if containsAny(strings.ToLower(d.text[m.start:m.end]), "~/.local/bin", "$home/.local/bin", ".dotfiles", "--git-dir", "~/.ssh/", "--kubeconfig", "~/.docker", "~/.cargo") && !containsAny(d.text[m.start:m.end], "curl", "wget", "tee ", "nc ") {
		return false
	}
	return softenShown(d, m)
}
