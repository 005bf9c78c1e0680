package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// shellSetting matches lines that a tool's own instructions have its owner add to
// start-up files: a variable, a path, completions.
var shellSetting = expr(`(?i)\becho\s+["'](?:export\s+)?(?:PATH|[A-Z][A-Z0-9_]*)=|\becho\s+["'](?:eval\s+"?\$\(\w+|source\s+<\(\w+\s+completion|fpath|autoload|\.\s+"?\$)|\bcompletion\b`)

// judgeConfigWrite makes a note of a setting that a text asks its owner to add to a
// shell's start-up file.
func judgeConfigWrite(d *document, m *match) bool {
	line := d.lineAround(m.start)
	text := d.text[line.start:line.end]
	if containsAny(text, ".bashrc", ".zshrc", ".profile", ".bash_profile", ".zprofile") && shellSetting.MatchString(text) && !containsAny(text, "curl", "wget", "base64", "PROMPT_COMMAND", "LD_") {
		m.lower(diag.Note)
	}
	if ownKey.MatchString(text) {
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}

// ownKey matches the public half of the user's own key on its way to a server of theirs.
var ownKey = expr(`(?:~|\$HOME)/\.ssh/\w+\.pub\b[^\n]*\bssh\s+[^\n]*authorized_keys`)

// judgeCrontab drops the system's table among the arguments of another command.
func judgeCrontab(d *document, m *match) bool {
	return !strings.HasSuffix(d.text[:m.start], "/etc/") && dropNegated(d, m)
}

// writtenConfigurations follows the data that programs write, and the paths.
func writtenConfigurations(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Write {
			return match{}, false
		}
		to := strings.ReplaceAll(a.To.Text, "\\", "/")
		fetched := a.Data.Has(program.Fetched | program.Decoded)
		switch {
		case strings.HasSuffix(to, ".ssh/authorized_keys"):
			m := r.acted(a, diag.Warning, 0.7, "a key is let in by ssh: "+Visible(to))
			if fetched || strings.Contains(a.Data.Text, "AAAA") && d.wholeProgram() || writesItself(d, a) {
				m.severity, m.confidence = diag.Error, 0.85
			} else if line := d.lineAround(m.start); ownKey.MatchString(d.text[line.start:line.end]) {
				m.lower(diag.Note)
			}
			return m, true
		case startsWithPython(d, to):
			m := r.acted(a, diag.Warning, 0.7, "each start of Python runs what is written: "+Visible(to))
			if fetched || containsAny(a.Data.Text, "exec(", "urlopen", "subprocess", "os.system", "b64decode") {
				m.severity, m.confidence = diag.Error, 0.85
			}
			return m, true
		case !startsLater(to):
			return match{}, false
		case fetched && !a.Nested && strings.Contains(to, "/skills/"):
			return r.acted(a, diag.Warning, 0.6, "what was fetched becomes an agent's instructions: "+Visible(to)), true
		case fetched:
			return r.acted(a, diag.Error, 0.85, "what was fetched is written into a start-up file or an agent's configuration: "+Visible(to)), true
		case d.wholeProgram() && !shellRC(to):
			return r.acted(a, diag.Warning, 0.7, "a start-up file or an agent's configuration is written: "+Visible(to)), true
		}
		return match{}, false
	})
}

// writesItself reports whether a Python or JavaScript program writes data that does not
// come from its caller.
func writesItself(d *document, a *program.Act) bool {
	return d.wholeProgram() && d.regions[0].place&(python|script) != 0 && !a.Nested && !a.Data.Has(program.Handed)
}

// startsWithPython reports whether Python runs a file at each start: a path configuration among
// the packages, or a module for it. Weights of models end in .pth, too.
func startsWithPython(d *document, p string) bool {
	return strings.HasSuffix(p, ".pth") && namesPackages(d) || strings.HasSuffix(p, "/sitecustomize.py") || strings.HasSuffix(p, "/usercustomize.py")
}

// namesPackages reports whether a text names the folders of Python's packages, or asks
// Python where they are.
func namesPackages(d *document) bool {
	return containsAny(d.text, "getusersitepackages", "getsitepackages", "site-packages", "dist-packages", "purelib", "platlib", "USER_SITE", "--user-site", "__pypackages__")
}

func shellRC(p string) bool {
	return containsAny(p, ".bashrc", ".zshrc", ".profile", ".bash_profile", ".zprofile")
}

// startsLater reports whether a file is read or run unasked, by a shell, the
// system or an agent.
func startsLater(p string) bool {
	return shellRC(p) || containsAny(p, ".claude/settings", ".claude/CLAUDE.md", ".claude/hooks/", ".claude/commands/", ".claude/agents/", ".codex/config", ".codex/AGENTS.md", ".cursor/mcp.json", ".cursor/rules", ".gemini/settings", ".openclaw/openclaw.json", ".openclaw/skills/", ".openclaw/workspace/",
		".git/hooks/", "/LaunchAgents/", "/LaunchDaemons/", "/etc/cron", "/etc/systemd", ".config/systemd/user", "/etc/rc.local", "/etc/profile.d", ".config/autostart", "claude_desktop_config.json", ".vscode/tasks.json", ".vscode/settings.json", "PowerShell_profile.ps1", ".ipython/profile_default/startup/", "/Programs/Startup/", ".config/environment.d/", ".config/fish/conf.d/", ".ssh/rc", ".xprofile", ".xinitrc", ".git-templates/hooks/") ||
		strings.HasSuffix(p, "/SOUL.md") || strings.HasSuffix(p, "/MEMORY.md") || strings.HasSuffix(p, "/AGENTS.md") || strings.HasSuffix(p, "/CLAUDE.md") || p == "CLAUDE.md" || p == "AGENTS.md" || p == ".mcp.json"
}
