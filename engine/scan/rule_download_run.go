package scan

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// downloadRunRule: a program is fetched and run without being seen.
func downloadRunRule() rule {
	return rule{RuleInfo: RuleInfo{"download-run", Code, diag.Error, "a program is fetched and run without being seen",
		"Whoever controls the address decides what runs, and may decide differently tomorrow.",
		"Pin a version and a checksum, or install from a package registry; then run it as a second step."},
		patterns: []pattern{{
			near: []string{"curl", "wget", "fetch "},
			re:   expr(`(?i)\b(?:curl|wget)\b[^\n|;]*?\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:/usr)?(?:/bin/|/usr/bin/env\s+)?(?:env\s+)?(?:ba|z|da|k|fi)?sh\b|\b(?:curl|wget)\b[^\n|;]*?\|\s*(?:sudo\s+)?(?:python3?|node|perl|ruby|php|osascript)\b(?:\s+-)?(?:\s*$|\s*[\n"'` + "`" + `;&)])`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.8, judge: judgeDownload,
		}, {
			near: []string{"<(curl", "<(wget", "$(curl", "$(wget", "`curl", "< <(curl"},
			re:   expr(`(?i)\b(?:(?:ba|z|da)?sh|source|eval|\.)\s+(?:-\w+\s+)*["']?(?:<\s*<\(|<\(|\$\(|` + "`" + `)\s*(?:curl|wget)\b[^\n]*`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.8, judge: judgeDownload,
		}, {
			near: []string{"iex", "invoke-expression"},
			re:   expr(`(?i)\b(?:iex|invoke-expression)\b[^\n]*\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring|curl)\b[^\n]*|\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n|]*\|\s*(?:iex|invoke-expression)\b`),
			in:   anywhere, severity: diag.Warning, confidence: 0.8, judge: judgeDownload,
		}, {
			near: []string{"chmod"},
			re:   expr(`(?i)\b(?:curl|wget)\b[^\n]*(?:\n[^\n]*){0,2}?\bchmod\s+(?:a?\+x|[0-7]*[157][0-7]{0,2})\s+(\S+)[^\n]*(?:&&|;|\n)\s*(?:sudo\s+|nohup\s+)?(?:\./|/tmp/|\$TMPDIR|/var/tmp/|/dev/shm/)\S+`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.7, judge: judgeDownload,
		}, {
			near: []string{"wget", "curl"},
			re:   expr(`(?i)\b(?:wget|curl)\b[^\n|;&]*\bhttps?://\S+/([\w.-]+\.(?:sh|py|js|pl|rb|bin|run|command))\b[^\n|;&]*(?:&&?|;)\s*(?:sudo\s+)?(?:chmod\s+\S+\s+\S+\s*(?:&&|;)\s*)?(?:(?:ba|z|da)?sh|python3?|node|perl|ruby|source|\.)?\s*(?:\./)?([\w.-]+\.\w+)`),
			in:   anywhere, severity: diag.Warning, confidence: 0.8, judge: func(d *document, m *match) bool {
				return m.group(d, 1) == m.group(d, 2) && judgeDownload(d, m)
			},
		}, {
			near: []string{"exec(", "exec (", "eval(", "eval (", "compile(", "compile (", "function(", "function ("},
			re:   expr(`(?i)\b(?:exec|eval|compile|new\s+Function|Function)\s*\(\s*(?:await\s+)?(?:\(await\s+)?(?:requests|httpx|urllib\.request|urllib|urlopen|session|fetch|axios|http)\b[^\n]*`),
			in:   python | script | plain, severity: diag.Error, confidence: 0.9, judge: dropNegated,
		}, {
			near: []string{"source(", "eval.me(", "loadstring(", "load(", "evaluate(", "assembly.load", "parse(text", "dofile(", "eval(", "parse_string(", "import_module("},
			re:   expr(`(?is)\b(?:source|eval|Eval\.me|load|loadstring|dofile|evaluate)\s*\(\s*(?:url|new\s+URL|URI\.\w+|readLines|http\w*[.:]get|get)\s*\(\s*["']https?://|(?:io\.popen\s*\(\s*["'](?:curl|wget)|new\s+URL\([^)\n]{0,200}\)\.(?:text|getText|bytes|openStream)|Get(?:ByteArray|String)Async\(|\.Download(?:String|Data)\(|\bhttp\.request\(|\breadLines\(\s*["']https?:|\breqwest::(?:blocking::)?get\().{0,240}?\b(?:load(?:string)?\s*\(|Eval\.me\(|evaluate\(|Assembly\.Load\(|eval\(|parse\(\s*text)`),
			in:   plain, severity: diag.Error, confidence: 0.85, judge: judgeEvaluated,
		}, {
			near: []string{"then(eval", "=> eval", "=>eval", "then(function", "new function", "then(new"},
			re:   expr(`(?i)\bfetch\s*\([^\n;]*?\.then\(\s*(?:\(?\s*[\w$]*\s*\)?\s*=>\s*)?(?:eval\b|new\s+Function\b|Function\b\s*[(),])`),
			in:   anywhere, severity: diag.Error, confidence: 0.9, judge: softenShown,
		}, scheduledFetch()},
		check: fetchedRuns}
}

// scheduledFetch is a pattern of a schedule or a unit that fetches a program each time.
func scheduledFetch() pattern {
	return pattern{
		near: []string{"execstart", "execstop", "crontab", "cron", "@reboot", "* * *", "programarguments"},
		re:   expr(`(?i)\bExec(?:Start|Stop)(?:Pre|Post)?\s*=[^\n]*\b(?:curl|wget)\b[^\n]*\|\s*(?:/usr)?(?:/bin/)?(?:env\s+)?(?:(?:ba|z|da)?sh|python3?|node|perl|ruby)\b|(?:@(?:reboot|hourly|daily|weekly)|(?:[\d*][\d*/,-]*[ \t]+){4}[\d*][\d*/,-]*)[ \t]+[^\n]*\b(?:curl|wget)\b[^\n]*\|\s*(?:/usr)?(?:/bin/)?(?:(?:ba|z|da)?sh|python3?|node|perl|ruby)\b`),
		in:   anywhere, severity: diag.Error, confidence: 0.9, judge: softenShown,
	}
}

// judgeEvaluated: only a program means what it says; a fence without a language may be
// anything.
func judgeEvaluated(d *document, m *match) bool {
	if !d.wholeProgram() {
		m.lower(diag.Warning)
	}
	return dropNegated(d, m)
}

// elided matches a command that stands for all of its kind: it has no address.
var elided = expr(`^(?i:curl|wget)\s+(?:-\w+\s+)*(?:\.\.\.|…)\s*\|`)

// judgeDownload blocks where the source is anonymous, and escalates otherwise:
// installers piped to a shell stand in one honest skill of thirty.
func judgeDownload(d *document, m *match) bool {
	line := d.text[m.start:m.end]
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

// fetchedRuns follows what came over the network into whatever runs it: through
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
		if !d.wholeProgram() && (from == "..." || from == "…") {
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

// listener is what a value from a listening socket is named after.
const listener = "nc "

// scriptEval reports whether fetched text is run inside the program itself, as
// no installer does.
func scriptEval(name string) bool {
	switch name {
	case "exec", "eval", "Function", "vm.runInThisContext", "vm.runInNewContext", "vm.runInContext", "vm.Script", "types.FunctionType",
		"importlib.machinery.SourceFileLoader", "importlib.util.spec_from_file_location", "SourceFileLoader", "spec_from_file_location", "imp.load_source", "require", "instance_eval", "class_eval", "module_eval", "instance_exec", "create_function", "assert", "include", "include_once", "require_once", "scriptblock", "ScriptBlock", "Scriptblock":
		return true
	}
	return false
}

// hiddenPath reports whether a file is named so that listings leave it out, or
// lies where everybody may write.
func hiddenPath(p string) bool {
	p = strings.ReplaceAll(p, "\\", "/")
	if strings.HasPrefix(p, "/dev/shm/") {
		return true
	}
	return containsAny(p, "/tmp/.", "/var/tmp/.", "/private/tmp/.")
}

// wellKnownInstaller reports whether everything that a command fetches comes
// from those who make a widely used tool or package manager.
func wellKnownInstaller(command string) bool {
	found := false
	for rest := command; ; {
		i := strings.Index(rest, "://")
		if i < 0 {
			return found
		}
		known := false
		for _, at := range []string{"astral.sh/", "sh.rustup.rs", "bun.sh/install", "deno.land/", "get.docker.com", "deb.nodesource.com/", "rpm.nodesource.com/", "get.pnpm.io/", "install.python-poetry.org", "tailscale.com/install", "ollama.com/install", "fnm.vercel.app/install",
			"raw.githubusercontent.com/nvm-sh/nvm/", "raw.githubusercontent.com/Homebrew/install/", "get.volta.sh", "mise.run", "starship.rs/", "cli.github.com/", "claude.ai/install", "cursor.com/install", "opencode.ai/install", "rclone.org/install", "foundry.paradigm.xyz", "fly.io/install", "bootstrap.pypa.io/"} {
			known = known || strings.HasPrefix(rest[i+3:], at)
		}
		if !known || !strings.HasSuffix(rest[:i], "https") {
			return false
		}
		found, rest = true, rest[i+3:]
	}
}
