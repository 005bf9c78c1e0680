package scan

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// judgeEvaluated lowers matches outside programs: a fence without a language may be
// anything.
func judgeEvaluated(d *document, m *match) bool {
	if !d.wholeProgram() {
		m.lower(diag.Warning)
	}
	return dropNegated(d, m)
}

// elided matches a command that has no address, and so represents all of its kind.
var elided = expr(`^(?i:curl|wget)\s+(?:-\w+\s+)*(?:\.\.\.|…)\s*\|`)

// judgeDownload blocks where the source is anonymous, and escalates otherwise:
// installers piped to a shell occur in one honest skill of thirty.
func judgeDownload(d *document, m *match) bool {
	line := d.text[m.start:m.end]
	if !d.wholeProgram() && d.placeOf(m.start) == prose {
		if line[0] == '.' && m.start > 0 && d.text[m.start-1] > ' ' && d.text[m.start-1] != '`' {
			return false // the end of a sentence
		}
		if d.inSpanOf(m.start) {
			line, _, _ = strings.Cut(line, "`")
			m.end = m.start + len(line)
		}
	}
	if !d.wholeProgram() && elided.MatchString(line) {
		return false
	}
	if untrustedSource(line) {
		m.severity, m.confidence = diag.Error, 0.95
		return softenShown(d, m)
	}
	if wellKnownInstaller(line) {
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}

// fetchedRuns follows data from the network to the act that runs it: through
// variables, files and other programs.
func fetchedRuns(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Run || !a.Data.Has(program.Fetched) || a.Data.Has(program.Decoded) {
			return match{}, false
		}
		from := strings.Join(a.Data.Names, " ")
		if strings.HasPrefix(from, listener) || staysHere(from) {
			return match{}, false
		}
		if !d.wholeProgram() && (strings.Trim(from, " .…") == "" || strings.HasSuffix(from, " …") && !strings.Contains(from, "/")) {
			return match{}, false
		}
		m := r.acted(a, diag.Warning, 0.8, "what was fetched is run by "+Visible(a.Name))
		if slices.Contains(a.Data.Names, program.Request) {
			m.message = "what a request brings is run by " + Visible(a.Name)
			if m.severity, m.confidence = diag.Error, 0.9; a.Data.Text != "" || hearsItself(d) {
				m.lower(diag.Warning)
			}
			return m, true
		}
		switch {
		case untrustedSource(from), a.Data.Disguised, scriptEval(a.Name), hiddenPath(a.To.Text) && a.To.Text != "":
			m.severity, m.confidence = diag.Error, 0.9
		case wellKnownInstaller(from), releasedProgram(d, a, from):
			m.lower(diag.Note)
		}
		return m, true
	})
}

// hearsItself reports whether a server names this machine as all that it listens to.
func hearsItself(d *document) bool {
	return containsAny(d.text, "127.0.0.1", "localhost") && !strings.Contains(d.text, "0.0.0.0")
}

// releasedProgram reports whether a text shows how to fetch a project's released
// program and to start it by its path.
func releasedProgram(d *document, a *program.Act, from string) bool {
	return !d.wholeProgram() && a.To.Text != "" && strings.HasPrefix(from, "https://github.com/") && strings.Contains(from, "/releases/")
}

// listener begins the name of a value from a listening socket.
const listener = "nc "

// scriptEval reports whether fetched text is run inside the program itself, as
// no installer does.
func scriptEval(name string) bool {
	switch name {
	case "exec", "eval", "Function", "vm.runInThisContext", "vm.runInNewContext", "vm.runInContext", "vm.Script", "types.FunctionType", "vm.compileFunction", "Module._compile", "get_ipython().run_cell", "get_ipython().ex", "code.InteractiveInterpreter().runsource", "code.InteractiveInterpreter().runcode", "code.InteractiveConsole().push",
		"importlib.machinery.SourceFileLoader", "importlib.util.spec_from_file_location", "SourceFileLoader", "spec_from_file_location", "imp.load_source", "require", "instance_eval", "class_eval", "module_eval", "instance_exec", "create_function", "assert", "include", "include_once", "require_once", "scriptblock", "ScriptBlock", "Scriptblock":
		return true
	}
	return false
}

// hiddenPath reports whether a path is in shared memory, or is a hidden file in a
// temporary folder.
func hiddenPath(p string) bool {
	p = strings.ReplaceAll(p, "\\", "/")
	if strings.HasPrefix(p, "/dev/shm/") {
		return true
	}
	return containsAny(p, "/tmp/.", "/var/tmp/.", "/private/tmp/.")
}

// wellKnownInstaller reports whether everything that a command fetches comes
// from the maker of a widely used tool or package manager.
func wellKnownInstaller(command string) bool {
	found := false
	for rest := command; ; {
		i := strings.Index(rest, "://")
		if i < 0 {
			return found
		}
		known := false
		for _, at := range rules().shared.Lists["installers"] {
			known = known || leadsTo(rest[i+3:], at)
		}
		if !known || !strings.HasSuffix(rest[:i], "https") {
			return false
		}
		found, rest = true, rest[i+3:]
	}
}

// leadsTo reports whether an address without its scheme begins with a place: a host, or a
// host and a path. Of "get.docker.com.example.org" the host is another one.
func leadsTo(address, place string) bool {
	rest, ok := strings.CutPrefix(address, place)
	if !ok || strings.Contains(place, "/") {
		return ok
	}
	return rest == "" || !strings.ContainsAny(rest[:1], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:@")
}

// judgeSavedRun keeps a match only if the file that is run is the file that was fetched.
func judgeSavedRun(d *document, m *match) bool {
	return m.group(d, 1) == m.group(d, 2) && judgeDownload(d, m)
}
