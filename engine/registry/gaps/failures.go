package gaps

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// class is the kind of a failure.
type class int

const (
	failed class = iota // the call's own failure
	missing
	denied
	unreachable
)

// String ends a sentence that begins with the name of a program.
func (c class) String() string {
	return [...]string{"fails", "is not installed", "refuses access", "cannot be reached"}[c]
}

type failurePhrases struct{ missing, denied, unreachable, lacks *regexp.Regexp }

var failures = sync.OnceValue(func() failurePhrases {
	re := regexp.MustCompile
	return failurePhrases{
		missing:     re(`command not found|unknown command|: not found$|no module named|cannot find module|could not find a version|is not recognized as|executable (?:file not found|doesn['’]t exist)|unrecognized service|/s?bin/[\w.-]+['"]?: no such file|sh: [^:]*: no such file|no such file or directory: ['"]?[\w-]+['"]?$`),
		denied:      re(`\b40[13]\b|unauthori[sz]ed|forbidden|permission denied|auth(?:entication)? (?:login|failed|required)|not logged in|credentials|password is required|access denied`),
		unreachable: re(`could not resolve|connection refused|timed? ?out|(?:cannot|can['’]t|could not|couldn['’]t|failed to|unable to) connect|enotfound|econnrefused|name or service not known|no route to host|network is unreachable|\b50[234]\b|service unavailable`),
		lacks:       re(`(?:N|n)o module named ['"]?([\w.-]+)|([\w.-]+): (?:command )?not found|(?i:unknown command): ([\w.-]+)|exec: "([\w.-]+)"|/bin/([\w.-]+)['"]?: No such file|(?:C|c)annot find module ['"]([@\w./-]+)`),
	}
})

// classOf classifies an error.
func classOf(text string) class {
	f := failures()
	text = lower(text)
	switch {
	case f.missing.MatchString(text):
		return missing
	case f.unreachable.MatchString(text):
		return unreachable
	case f.denied.MatchString(text):
		return denied
	}
	return failed
}

// ordinary are programs and tools of clients whose failures belong to the work: tests, builds, searches, edits.
var ordinary = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`go cargo make cmake ninja gradle mvn ant bazel tsc node npm npx yarn pnpm bun deno python py pytest tox ruff mypy black flake8 pylint
		ruby rake rspec bundle perl php phpunit java javac gcc g++ clang cc ld rustc swift dotnet eslint prettier jest vitest mocha golangci-lint shellcheck
		grep rg ag find fd ls cat head tail sed awk diff cmp test [ which command type stat wc sort cd git patch jq bash sh zsh pre-commit assent
		read edit multiedit write grep glob notebookedit apply_patch update_plan todowrite task websearch search replace read_file write_file list_directory toolsearch skill`) {
		out[w] = true
	}
	return out
})

// subject is what a call is about.
type subject struct {
	name string // a program, the host of an address, or a server of a client
	kind capability.Kind
	host string
}

// web finds an address in an input.
var web = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`https?://[^\s"'\\]+`) })

// subjectOf says what a call is about.
func subjectOf(c *Call) subject {
	if rest, ok := strings.CutPrefix(c.Tool, "mcp__"); ok {
		server, _, _ := strings.Cut(rest, "__")
		return subject{name: server, kind: capability.KindMCP}
	}
	tool := strings.ToLower(c.Tool)
	program := tool
	if isShell(tool) {
		program = programOf(c.Input)
	}
	switch program {
	case "curl", "wget", "http", "webfetch", "web_fetch", "fetch":
		if u, err := url.Parse(web().FindString(c.Input)); err == nil && u.Hostname() != "" {
			return subject{name: domain(u.Hostname()), kind: capability.KindMCP, host: u.Hostname()}
		}
	}
	return subject{name: program}
}

func isShell(tool string) bool {
	switch tool {
	case "bash", "shell", "exec_command", "local_shell", "run_shell_command", "command_execution", "container.exec", "powershell":
		return true
	}
	return false
}

// domain returns the last two labels of a host, or all of an address.
func domain(host string) string {
	parts := strings.Split(strings.ToLower(host), ".")
	if n := len(parts); n > 2 && strings.Trim(parts[n-1], "0123456789") != "" {
		parts = parts[n-2:]
	}
	return strings.Join(parts, ".")
}

// programOf returns the program that a command line starts.
func programOf(command string) string {
	if _, after, ok := strings.Cut(command, "&& "); ok && strings.HasPrefix(command, "cd ") {
		command = after
	}
	for _, word := range strings.Fields(command) {
		base := path.Base(word)
		switch {
		case strings.Contains(word, "=") && !strings.HasPrefix(word, "-"), strings.HasPrefix(word, "-"), strings.Trim(word, "0123456789smh") == "":
		case base == "sudo", base == "timeout", base == "env", base == "nice", base == "time", base == "xargs":
		default:
			name := strings.TrimRight(strings.ToLower(strings.Trim(base, `"'();`)), "0123456789.")
			if name == "pip" {
				return "python"
			}
			return name
		}
	}
	return ""
}

// lacking returns the module or program whose absence an error states; "" without.
func lacking(text string) string {
	for i, s := range failures().lacks.FindStringSubmatch(trial.Unsecret(text)) {
		if i > 0 && s != "" {
			return s
		}
	}
	return ""
}

// trouble are the failures of one category since it last succeeded.
type trouble struct {
	about subject
	class class
	calls []int // the numbers of the calls
	seen  []Evidence
	what  []string // the modules and programs that the errors miss
	mixed bool     // the calls are about several subjects
}

// hearFailure counts a failed call. A success ends the trouble with its subject.
func (h *Hearer) hearFailure(line int, c *Call) {
	h.calls++
	about := subjectOf(c)
	if about.name == "" || trial.Unsecret(about.name) != about.name {
		return
	}
	if !c.Failed {
		h.streak = nil
		for key := range h.troubles {
			if key.subject == about.name {
				delete(h.troubles, key)
			}
		}
		return
	}
	if what := lacking(lastPart(c.Output)); what != "" {
		h.lacks = append(h.lacks[max(0, len(h.lacks)-2):], lack{what, h.calls})
	}
	kind := classOf(lastPart(c.Output))
	if looksUp(about.name, c.Input) {
		kind = missing
	}
	h.hearStreak(line, about, kind, c)
	if kind == failed && ordinary()[about.name] {
		return
	}
	key := troubleKey{about.name, kind == missing}
	t := h.troubles[key]
	if t == nil {
		if len(h.troubles) >= maxGaps {
			return
		}
		t = &trouble{about: about}
		h.troubles[key] = t
	}
	for len(t.calls) > 0 && t.calls[0] <= h.calls-h.rules.Window {
		t.calls = t.calls[1:]
		t.seen = t.seen[min(1, len(t.seen)):]
	}
	t.class = max(t.class, kind)
	t.add(h.calls, line, c)
	switch n := len(t.calls); {
	case n == h.rules.Failures+1:
		h.add(t.gap(), line)
	case n > h.rules.Failures+1:
		h.again(t.gap())
	}
}

// hearStreak counts failed calls about different things, without a success in between, in which something is
// missing, refuses access or cannot be reached: an agent that tries one way after another.
func (h *Hearer) hearStreak(line int, about subject, kind class, c *Call) {
	if kind == failed {
		return
	}
	t := h.streak
	if t == nil {
		t = &trouble{about: about, class: kind}
		if kind != missing && strings.Contains(c.Output, "unix://") {
			t.about.kind = capability.KindTool
		}
		h.streak = t
	}
	if len(t.calls) > h.rules.Failures {
		return
	}
	t.mixed = t.mixed || about.name != t.about.name
	t.add(h.calls, line, c)
	if len(t.calls) == h.rules.Failures+1 && t.mixed {
		h.add(t.gap(), line)
	}
}

// looksUp reports whether a command only asks where a program is.
func looksUp(program, input string) bool {
	switch program {
	case "which", "type", "command", "whereis":
		return !strings.ContainsAny(input, ";&|")
	}
	return false
}

// add adds a failed call.
func (t *trouble) add(call, line int, c *Call) {
	t.calls = append(t.calls, call)
	if what := lacking(lastPart(c.Output)); what != "" && len(t.what) < maxEvidence && !slices.Contains(t.what, what) {
		t.what = append(t.what, what)
	}
	if len(t.seen) < maxEvidence {
		t.seen = append(t.seen, Evidence{ByFailures, line, plain(c.Input + ": " + lastPart(c.Output))})
	}
}

// lastPart is the end of an output, where errors are.
func lastPart(s string) string {
	const most = 1000
	if len(s) > most {
		s = strings.ToValidUTF8(s[len(s)-most:], "")
	}
	return strings.TrimSpace(s)
}

// gap is the capability that a trouble asks for: a program that is not there, a connection, or knowledge of
// how a program is used.
func (t *trouble) gap() Gap {
	g := Gap{Type: t.about.kind, Name: slug(t.about.name, 4), Times: 1, Failures: len(t.calls), Evidence: t.seen, APIHint: plain(t.about.host)}
	said := ""
	if len(t.seen) > 0 {
		said = "; " + t.seen[len(t.seen)-1].Words
	}
	about := t.about.name
	if t.class == missing && len(t.what) > 0 {
		about = strings.Join(t.what, ", ")
	}
	g.Purpose = plain(about + " " + t.class.String() + said)
	switch {
	case g.Type != "":
	case t.class == missing:
		g.Type = capability.KindTool
		if len(t.what) > 0 {
			g.Name = cmp.Or(slug(t.what[0], 3), g.Name)
		}
	case t.class == failed:
		g.Type, g.Trigger = capability.KindSkill, plain(t.about.name+" is used")
	default:
		g.Type = capability.KindMCP
	}
	return g
}
