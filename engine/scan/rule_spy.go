package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// spyRule: keys, screen or microphone are recorded.
func spyRule() rule {
	return rule{RuleInfo: RuleInfo{"spy", Code, diag.Warning, "what a person types or shows is recorded",
		"Keystrokes hold passwords; whoever records them has them all.",
		"Ask the person for the text that is needed."},
		patterns: []pattern{{
			near: []string{"pynput", "keylogger", "getasynckeystate", "setwindowshookex", "/dev/input/event", "iohook", "keyboard.on_press", "keyboard.hook", "cgeventtapcreate", "uiohook", "node-global-key-listener"},
			re:   expr(`(?i)\bpynput\.keyboard\b|\bfrom\s+pynput\b|\bGetAsyncKeyState\b|\bSetWindowsHookEx\w*|/dev/input/event\d|\bkeyboard\.(?:on_press|hook|record)\b|\bCGEventTapCreate\b|\b(?:require|from)\W{1,3}(?:iohook|uiohook-napi|node-global-key-listener)`),
			in:   python | script | shell, severity: diag.Warning, confidence: 0.6, judge: inCode,
		}, {
			near: []string{"builtins.", "getpass.", "readline.", "console.", "prototype."},
			re:   expr(`(?m)\b(?:builtins\.(?:open|input|print|__import__)|getpass\.getpass|XMLHttpRequest\.prototype\.(?:open|send)|(?:readline|rl)\.question)\s*=[^=\n][^\n]*`),
			in:   python | script, severity: diag.Warning, confidence: 0.6, judge: func(d *document, m *match) bool {
				m.message = "a function that others call is replaced in a program that speaks to another machine"
				return containsAny(d.text, "http://", "https://", "socket.") && inCode(d, m)
			},
		}},
		check: recorded}
}

// recorded finds libraries that are imported under names that were put together.
func recorded(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		switch a.Name {
		case "pynput.keyboard.Listener", "keyboard.Listener", "pynput.mouse.Listener", "win32clipboard.GetClipboardData", "keyboard.on_press", "keyboard.hook":
			return r.acted(a, diag.Warning, 0.7, ""), true
		}
		return match{}, false
	})
}
