package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

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

// judgeHook keeps matches only in a program that speaks to another machine.
func judgeHook(d *document, m *match) bool {
	return containsAny(d.text, "http://", "https://", "socket.") && inCode(d, m)
}
