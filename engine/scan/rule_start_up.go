package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// startUpRule: a program is made to start again later.
func startUpRule() rule {
	return rule{RuleInfo: RuleInfo{"start-up", Code, diag.Warning, "a program is made to start by itself later",
		"What starts by itself outlives the task, and nobody looks at it again.",
		"Describe the service and let its owner set it up."},
		patterns: []pattern{{
			near: []string{"launchctl", "systemctl", "schtasks", "currentversion\\run", "startup\\", "register-scheduledtask", "core.hookspath", "update-rc.d", "chkconfig", "autostart"},
			re:   expr(`(?i)\blaunchctl\s+(?:load|bootstrap|enable|submit)\b[^\n]*|\bsystemctl\s+(?:--user\s+)?(?:enable|link)\b[^\n]*|\bschtasks(?:\.exe)?\s+/create\b[^\n]*|\bRegister-ScheduledTask\b|\breg(?:\.exe)?\s+add\s[^\n]*CurrentVersion\\+Run[^\n]*|Start Menu\\+Programs\\+Startup\\|\bgit\s+config\s+--global\s+core\.hooksPath\b|\bupdate-rc\.d\s+\S+\s+(?:enable|defaults)|\.config/autostart/\S+\.desktop`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.6, judge: judgeStartUp,
		}, {
			near: []string{"sitecustomize", "usercustomize", ".pth", "ld_preload", "/etc/ld.so.preload", "prompt_command", "dyld_insert"},
			re:   expr(`(?i)(?:>>?\s*|\bopen\([^\n]{0,80}|\btee\s+[^\n]{0,40}|\bcp\s[^\n]{0,80})(?:\S*/)?(?:sitecustomize\.py|usercustomize\.py|\w+\.pth)\b|/etc/ld\.so\.preload|\b(?:LD_PRELOAD|DYLD_INSERT_LIBRARIES)=/\S+|\bPROMPT_COMMAND=["']?[^\s"']*(?:curl|wget|sh|/)`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.7, judge: judgeStartUp,
		}}}
}

// judgeStartUp leaves a service alone that a text explains by its name only.
func judgeStartUp(d *document, m *match) bool {
	text := strings.ToLower(d.text[m.start:m.end])
	if d.placeOf(m.start)&prose != 0 || strings.Contains(text, "systemctl") && !strings.Contains(text, "--user") && !d.wholeProgram() {
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}
