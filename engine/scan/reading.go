package scan

import (
	"regexp"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// reading is the effect of a program in a document.
type reading struct {
	program.Reading
	// base is the offset of the program's text in the document.
	base int
	// end is the offset behind it.
	end int
	// own says that offsets of acts count from base. All acts of a command out of
	// a configuration have the place of the command.
	own bool
	// env are the variables that a configuration hands to the command.
	env []string
	// server says that a configuration starts the command as a tool server.
	server bool
}

// maxReadings bounds the programs that are read in one document.
const maxReadings = 2000

// readings returns the effects of the programs in d: its fences, the whole file, or
// the commands of a configuration. They are read once.
func (d *document) readings() []reading {
	if d.read == nil {
		d.read = &[]reading{}
		if d.depth == 0 {
			*d.read = d.readPrograms()
		}
	}
	return *d.read
}

func (d *document) readPrograms() []reading {
	var out []reading
	if isNotebook(d) {
		out = readNotebook(d)
	}
	for _, r := range d.regions {
		if len(out) >= maxReadings {
			d.unread = true
			break
		}
		text := d.text[r.start:r.end]
		switch {
		case r.place == data:
			out = append(out, readConfiguration(d, r.span)...)
		case r.place == prose:
			out = append(out, d.readSpans(r.span)...)
		case r.place&code == 0 || !d.wholeProgram() && !worthReading(text, r.place) && !worthOutline(text):
		default:
			body := r.span
			if !d.wholeProgram() {
				body = fenceBody(text, r.start)
			}
			lang, outlined := d.outlined(text, r.place)
			if !outlined || !d.whole || r.place != plain {
				out = append(out, reading{Reading: d.program(body, languageOf(r.place)), base: body.start, end: body.end, own: true})
			}
			if outlined {
				d.programs -= perOutlined * len(text)
				out = append(out, reading{Reading: d.program(body, lang), base: body.start, end: body.end, own: true})
			}
		}
	}
	return out
}

// perProgram is the cost of the beginning of a reading, in bytes of a program.
const perProgram = 64

// perOutlined is the extra cost of a byte that is read by statements, over a parsed one.
const perOutlined = 3

// program reads the program at s, unless the document has used up its budget for
// programs: then only patterns see the program, and a person must look.
func (d *document) program(s span, lang program.Language) program.Reading {
	text := d.text[s.start:s.end]
	if lang == program.Shell && strings.Contains(text, "FROM ") {
		text = imageStep.ReplaceAllStringFunc(text, withoutStep)
	}
	return d.programText(text, lang)
}

// imageStep matches the instruction before a command in a container file. Replacing it by
// blanks keeps every offset.
var imageStep = regexp.MustCompile(`(?m)^[ \t]*(?:RUN |(?:CMD|ENTRYPOINT) +\[.*\])`)

// withoutStep makes blanks of a step's name, and of the marks of a list of words.
func withoutStep(step string) string {
	_, list, _ := strings.Cut(step, "[")
	words := strings.Map(func(r rune) rune {
		if strings.ContainsRune("[],", r) {
			return ' '
		}
		return r
	}, list)
	return strings.Repeat(" ", len(step)-len(words)) + words
}

// programText is program for a text that does not stand in d as it is.
func (d *document) programText(text string, lang program.Language) program.Reading {
	if d.programs -= len(text) + perProgram; d.programs < 0 {
		d.unread = true
		return program.Reading{}
	}
	return program.Read(text, lang)
}

// at returns the span of n bytes that begins i bytes into s.
func (s span) at(i, n int) span { return span{s.start + i, s.start + i + n} }

func languageOf(p place) program.Language {
	switch p {
	case python:
		return program.Python
	case script:
		return program.JavaScript
	}
	return program.Shell
}

// fenceBody returns the span of a fence without its marks.
func fenceBody(text string, base int) span {
	start := strings.IndexByte(text, '\n') + 1
	end := len(strings.TrimRight(text, " \t\r\n"))
	if i := strings.LastIndexByte(text[:end], '\n'); i >= start {
		last := strings.TrimLeft(text[i+1:end], " \t>")
		if strings.HasPrefix(last, "```") || strings.HasPrefix(last, "~~~") {
			end = i + 1
		}
	}
	return span{base + start, base + max(start, end)}
}

// worthReading reports whether a program has anything that acts are made of. It
// keeps most fences of ordinary texts from being parsed.
func worthReading(text string, p place) bool {
	switch p {
	case python:
		return containsAny(text, "environ", "getenv", "exec", "eval", "socket", "request", "http", "url", "__", "popen", "system", "subprocess", "Popen", "decode", "open(", "secret", "getattr", "write", "shutil")
	case script:
		return containsAny(text, "eval", "exec", "spawn", "process", "fetch", "http", "require", "import", "Function", "socket", "net", "fromChar", "atob", "Buffer", "\\x", "[")
	case plain:
		return containsAny(text, "curl", "wget", "eval", "base64", "nc ", "/dev/", "ssh", "env", "sh ", "| ", "sudo", "$(", "''", "\"\"")
	}
	return true
}

// readSpans reads commands in the code spans of a text, where one could matter.
func (d *document) readSpans(s span) []reading {
	text := d.text[s.start:s.end]
	if strings.IndexByte(text, '`') < 0 || !containsAny(text, "curl", "wget", "base64", "/dev/tcp", "${IFS}", "eval ", "npx ", "nc ", "env |", ".ssh", ".env", "powershell", " install ", "npm i ", " add ") {
		return nil
	}
	var out []reading
	for i := 0; i < len(text) && len(out) < 200; {
		open := strings.IndexByte(text[i:], '`')
		if open < 0 {
			break
		}
		i += open + 1
		end := strings.IndexAny(text[i:], "`\n")
		if end < 0 {
			break
		}
		if words := text[i : i+end]; text[i+end] == '`' && strings.ContainsAny(words, " $") && end < 2000 {
			out = append(out, reading{Reading: d.program(s.at(i, end), program.Shell), base: s.start + i, end: s.start + i + end, own: true})
		}
		i += end + 1
	}
	return out
}

// span returns the place of an act in the document.
func (r *reading) span(at, end int) span {
	if !r.own {
		return span{r.base, r.end}
	}
	return span{min(r.base+at, r.end), min(r.base+end, r.end)}
}

// acted makes a match of an act.
func (r *reading) acted(a *program.Act, severity diag.Severity, confidence float64, message string) match {
	s := r.span(a.At, a.End)
	return match{start: s.start, end: max(s.start, s.end), severity: severity, confidence: confidence, message: message}
}

// eachAct calls f with every act of d, and collects the matches that f returns.
func eachAct(d *document, f func(r *reading, a *program.Act) (match, bool)) []match {
	var found strongest
	readings := d.readings()
	for i := range readings {
		for j := range readings[i].Acts {
			if m, ok := f(&readings[i], &readings[i].Acts[j]); ok {
				found.add(d.inContext(m))
			}
		}
	}
	return found.found
}

// inContext lowers a match that a text only shows: programs and configurations count
// in full, a fence may be an example of a mistake.
func (d *document) inContext(m match) match {
	if d.wholeProgram() || d.placeOf(m.start) == data {
		return m
	}
	line := d.lineAround(m.start)
	lead := d.text[line.start:m.start]
	switch {
	case negated(lead) || quotedIn(d.text[line.start:line.end], m.start-line.start, m.end-line.start) && discussed(d, m.start):
		m.lower(diag.Note)
		m.confidence = min(m.confidence, 0.2)
	case d.aboutAttacks() && quotedIn(d.text[line.start:line.end], m.start-line.start, m.end-line.start) && !aStep.MatchString(lead):
		// What a text about attacks quotes is an example; a certain one is still shown to a person.
		m.severity = min(m.severity+1, diag.Note)
		m.confidence = min(m.confidence, 0.2)
	case d.aboutAttacks() && d.indicates(m.start):
		m.lower(diag.Note)
		m.confidence = min(m.confidence, 0.2)
	case d.aboutAttacks() && fictional.MatchString(d.text[line.start:max(line.end, m.end)]):
		m.lower(diag.Note)
		m.confidence = min(m.confidence, 0.2)
	case discussedBefore(d, m.start):
		m.lower(diag.Warning)
		m.confidence = min(m.confidence, 0.5)
	}
	return m
}

// fictional matches hosts that only texts about attacks name.
var fictional = expr(`(?i)\b(?:attacker|evil|malicious|adversary|victim)[\w-]*\.(?:com|org|net|io|example|test|invalid|site)\b`)

// discussedBefore is discussed without the line itself: a program's own words
// say nothing about the text around it.
func discussedBefore(d *document, offset int) bool {
	line := d.lineAround(offset)
	region := d.regionOf(offset)
	if region.place&code != 0 {
		line.start = region.start
	}
	return discussesAttacks(d.text[max(0, line.start-400):line.start])
}
