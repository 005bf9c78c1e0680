package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// shellJoined matches the calls that join a process with a connection.
var shellJoined = expr(`(?i)\bstd(?:in|out|err)\b|redirect|dup2|getInputStream|\.gets\b|receive\(|read_line|ReadLine`)

// judgeSocketShell blocks a shell whose input or output is the connection.
func judgeSocketShell(d *document, m *match) bool {
	if shellJoined.MatchString(d.text[m.start:min(len(d.text), m.end+before)]) {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return judgeReverseShell(d, m)
}

// placeholder marks addresses that stand for the reader's own: teaching texts
// use them, working payloads cannot.
var placeholder = expr(`(?i)<[\w -]+>|\{\{?\s*[\w. -]*\}\}?|\$\{?[A-Z_]+\}?|attacker|lhost|rhost|your[-_ ]|x\.x\.x\.x|\b(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d|\bexample\.(?:com|org)|\blocalhost\b|\bhost/port|\bIP\b|\bPORT\b|\bhost\b`)

// documented matches addresses that are set aside for documents (RFC 5737, RFC 2606): a
// text that names one shows the form of the command.
var documented = expr(`\b(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d|\.(?:invalid|example|test)\b`)

// listens matches a listener, which needs no address to work.
var listens = expr(`\s-\w*l\w*\s`)

// judgeReverseShell blocks an address that works and escalates a placeholder.
func judgeReverseShell(d *document, m *match) bool {
	text := d.text[m.start:min(len(d.text), m.end+40)]
	if (placeholder.MatchString(text) || !d.wholeProgram() && documented.MatchString(text)) && !listens.MatchString(text) {
		m.lower(diag.Warning)
		m.confidence = 0.6
	}
	if !d.wholeProgram() && !listens.MatchString(text) && inLab.MatchString(d.text[d.lineAround(m.start).start:m.end]) {
		m.lower(diag.Note)
	}
	return softenShown(d, m)
}

// inLab matches a shell of one container that goes to another: a name without a dot is not a remote host.
var inLab = expr(`\b(?:docker(?:[ -]compose)?|podman(?:[ -]compose)?)\s+exec\s[^\n]*/dev/(?:tcp|udp)/[a-z][a-z0-9_-]*/\d+`)

// handedShells looks for a socket and a shell that are joined: descriptors that
// are copied, streams that are piped, or a listener that runs the data it receives.
func handedShells(_ *machine, d *document) []match {
	var found []match
	for i := range d.readings() {
		r := &d.readings()[i]
		var socket, shell, joined *program.Act
		for j := range r.Acts {
			a := &r.Acts[j]
			switch {
			case a.Kind == program.Run && a.Data.Has(program.Fetched) && strings.HasPrefix(strings.Join(a.Data.Names, " "), listener):
				found = append(found, d.inContext(r.acted(a, diag.Error, 0.9, "")))
			case a.Name == "os.dup2" || strings.HasSuffix(a.Name, ".pipe"):
				joined = a
			case a.Kind == program.Call && (strings.HasSuffix(a.Name, "socket().connect") || strings.HasSuffix(a.Name, "create_connection") || strings.HasPrefix(a.Name, "net.connect") || strings.HasPrefix(a.Name, "net.createConnection") || strings.HasSuffix(a.Name, "Socket().connect") || a.Name == "tls.connect"):
				socket = a
			case a.Kind == program.Command && interactiveShell(a.Name), a.Name == "pty.spawn" || a.Name == "subprocess.call":
				shell = a
			}
		}
		if socket != nil && joined != nil && (shell != nil || joined.Name == "os.dup2") {
			found = append(found, d.inContext(r.acted(joined, diag.Error, 0.9, "")))
		}
	}
	return found
}

func interactiveShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "cmd", "powershell", "pwsh":
		return true
	}
	return false
}
