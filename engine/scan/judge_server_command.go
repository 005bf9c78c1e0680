package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// serverCommands blocks an entry that only transfers and is handed keys, and
// escalates one that transfers, removes, changes permissions or just talks.
func serverCommands(_ *machine, d *document) []match {
	var found []match
	for i := range d.readings() {
		r := &d.readings()[i]
		if !r.server || len(r.Acts) == 0 {
			continue
		}
		kind, serves := "", false
		for j := range r.Acts {
			a := &r.Acts[j]
			if a.Kind == program.Command || a.Kind == program.Call {
				kind, serves = serverKind(a, kind, serves)
			}
		}
		if kind == "" || serves {
			continue
		}
		m := r.acted(&r.Acts[0], diag.Warning, 0.7, "a server's entry only "+kind)
		if kind == "speaks to the network" && len(secretsOf(r.env)) > 0 {
			m.severity, m.confidence = diag.Error, 0.85
			m.message += ", and is handed " + strings.Join(secretsOf(r.env), ", ")
		}
		found = append(found, m)
	}
	return found
}

func serverKind(a *program.Act, kind string, serves bool) (string, bool) {
	switch a.Name {
	case "curl", "wget", "dig", "nslookup", "host", "nc", "ncat", "netcat", "scp", "ftp", "telnet", "ping", "fetch", "requests.get", "requests.post", "urllib.request.urlopen", "https.request", "http.request", "https.get":
		return "speaks to the network", serves
	case "rm", "shred", "dd", "mkfs", "truncate":
		return orKind(kind, "removes files"), serves
	case "chmod", "chown", "sudo", "chattr", "setfacl":
		return orKind(kind, "changes permissions"), serves
	case "echo", "printf":
		return orKind(kind, "writes a text"), serves
	case "sh", "bash", "zsh", "cd", "export", "set", "sleep", "true", "env", "xargs", "base64", "eval", "exec", "test", "cat", "print", "console.log", "require", "mkdir", "python", "python3", "node", "dict", "__import__", "end":
		return kind, serves || (a.Name == "node" || strings.HasPrefix(a.Name, "python")) && !inline(a)
	}
	if a.Kind == program.Call {
		return kind, serves || strings.Contains(a.Name, "serve") || strings.Contains(a.Name, "listen") || strings.Contains(a.Name, "Server")
	}
	return kind, true
}

// inline reports whether an interpreter gets its program as a word.
func inline(a *program.Act) bool {
	return len(a.Args) > 0 && (a.Args[0].Text == "-c" || a.Args[0].Text == "-e" || a.Args[0].Text == "--eval" || a.Args[0].Text == "-p")
}

func orKind(kind, other string) string {
	if kind == "" {
		return other
	}
	return kind
}

// secretsOf returns the names of keys among names.
func secretsOf(names []string) []string {
	var out []string
	for _, n := range names {
		if program.SecretName(n) {
			out = append(out, n)
		}
	}
	return out
}
