package scan

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// destructiveRule: a command destroys more than it made.
func destructiveRule() rule {
	return rule{RuleInfo: RuleInfo{"destructive", Code, diag.Error, "a command destroys more than it made",
		"What is removed, formatted or overwritten outside the task's folder is its owner's.",
		"Name the exact files that the capability itself made."},
		patterns: []pattern{{
			near: []string{"rm -", "rm  -"},
			re:   expr(`\brm\s+(?:-\w+\s+|--[\w-]+\s+)*(?:-\w*[rR]\w*\s+)(?:-\w+\s+|--[\w-]+\s+)*["']?(?:~|\$HOME|\$\{HOME\})/(?:\.config|\.ssh|\.gnupg|Documents|Desktop|Library|\.local/share|Pictures)(?:/\w*/?\*?)?["']?(?:[\s;&|)"'` + "`" + `]|$)`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
		}, {
			near: []string{"rm -", "rm  -"},
			re:   expr(`(?:^|[\s;&|("'` + "`" + `])(?:sudo\s+)?rm\s+(?:-\w+\s+|--[\w-]+\s+)*(?:-\w*[rRf]\w*\s+)(?:-\w+\s+|--[\w-]+\s+)*["']?(?:/\*?|~/?\*?|\$HOME/?\*?|\$\{HOME\}/?|/(?:etc|usr|var|home|bin|boot|lib)/?\*?|/var/log/\S*)["']?(?:[\s;&|)"'` + "`" + `]|$)`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
		}, {
			near: []string{"of=/dev/", "mkfs", ":(){", "> /dev/sd", ">/dev/sd", "shutil.rmtree"},
			re:   expr(`\bdd\s[^\n]*\bof=/dev/(?:sd|nvme|hd|disk|mmcblk)\w*|\bmkfs(?:\.\w+)?\s+(?:-\w+\s+)*/dev/\w+|:\(\)\s*\{\s*:\|:\s*&\s*\}\s*;\s*:|>\s*/dev/sd[a-z]\b|shutil\.rmtree\(\s*(?:["'](?:/|~/?)["']|os\.path\.expanduser\(\s*["']~/?["']\s*\)|Path\.home\(\))`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
		}, {
			near: []string{".encrypt("},
			re:   expr(`(?s)\.encrypt\(.{0,320}?(?:\.unlink\(|os\.remove\(|unlinkSync\(|os\.rename\(|\.rename\()|(?:\.unlink\(|os\.remove\(|unlinkSync\().{0,160}?\.encrypt\(`),
			in:   python | script, severity: diag.Warning, confidence: 0.6, judge: judgeHostage,
		}, {
			near: []string{"openssl enc", "openssl aes", "gpg ", "--symmetric", "age -"},
			re:   expr(`(?s)\b(?:for\s+\w+\s+in|find|while\s+read)\b.{0,200}?\b(?:openssl\s+(?:enc|aes)\b|gpg\s[^\n]*(?:-c\b|--symmetric\b)|age\s+-[rpe]\b).{0,160}?\b(?:rm|shred|unlink)\s`),
			in:   shell | plain, severity: diag.Warning, confidence: 0.6, judge: judgeHostage,
		}, {
			near: []string{"btc", "bitcoin", "monero", "xmr", "usdt", " eth"},
			re:   expr(`(?i)\b(?:send|pay|transfer)\b[^\n]{0,60}?\b(?:BTC|bitcoins?|XMR|monero|USDT|ETH)\b[^\n]{0,200}?\b(?:restor|decrypt|recover|unlock|get (?:them|it|your \w+) back)|\b(?:restor|decrypt|recover|unlock|get (?:them|it|your \w+) back)[^\n]{0,80}?\b(?:send|pay|transfer)\b[^\n]{0,60}?\b(?:BTC|bitcoins?|XMR|monero|USDT|ETH)\b`),
			in:   anywhere, severity: diag.Warning, confidence: 0.7, judge: judgeRansom,
		}},
		check: destroyed}
}

// ransom matches a demand for money, or a note to whom files were taken from.
var ransom = expr(`(?i)\b(?:BTC|bitcoins?|XMR|monero|USDT)\b|\bransom|READ_?ME_?(?:TO|FOR)|\byour files (?:are|were|have been)\b`)

// judgeHostage: to encrypt one file and to remove it is what the user asked for; in a
// walk over folders nobody gets it back without the key.
func judgeHostage(d *document, m *match) bool {
	m.message = "files are encrypted one after the other and the originals removed"
	near := d.text[max(0, m.start-2*before):m.end]
	if !containsAny(near, "walk(", "rglob(", ".glob(", "readdir", "find ", "for ") {
		return false
	}
	if !containsAny(near, "walk(", "rglob(", "readdir", "find ", "**", "~/", "$HOME") {
		m.lower(diag.Note)
	}
	if ransom.MatchString(d.text) {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return softenShown(d, m)
}

// judgeRansom blocks the note in a program.
func judgeRansom(d *document, m *match) bool {
	m.message = "money is asked for what was somebody's before"
	if d.wholeProgram() {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return softenShown(d, m)
}

// destroyed finds commands of programs and configurations that remove a whole
// system or home folder, or overwrite a disk: no program has a reason to.
func destroyed(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Command || !d.wholeProgram() && r.own {
			return match{}, false
		}
		switch a.Name {
		case "rm", "shred", "srm":
			for _, w := range a.Args {
				if wholeFolder(w.Text) && (a.Name != "rm" || recursive(a.Args)) {
					return r.acted(a, diag.Error, 0.85, "a whole folder that is not the capability's is removed: "+Visible(w.Text)), true
				}
			}
			if a.Raised && d.wholeProgram() && a.Name == "rm" && recursive(a.Args) && slices.ContainsFunc(a.Args, keptFolder) {
				return r.acted(a, diag.Warning, 0.7, "folders are removed with the rights of the administrator"), true
			}
		case "find":
			if severity, ok := foundAndRemoved(a.Args); ok {
				return r.acted(a, severity, 0.7, "files all over a folder that is not the capability's are removed"), true
			}
		case "dd":
			for _, w := range a.Args {
				if strings.HasPrefix(w.Text, "of=/dev/") && !strings.HasPrefix(w.Text, "of=/dev/null") {
					return r.acted(a, diag.Error, 0.85, "a disk is overwritten"), true
				}
			}
		}
		return match{}, false
	})
}

// foundAndRemoved judges a search that removes what it finds below a whole folder: all
// of it is certain harm, people's documents a person must look at. What is picked by
// another name or by its age is cleaning up.
func foundAndRemoved(args []program.Value) (diag.Severity, bool) {
	if len(args) == 0 || !wholeFolder(args[0].Text) {
		return 0, false
	}
	removes, picks, documents := false, false, false
	for i, a := range args {
		switch {
		case a.Text == "-delete", strings.HasPrefix(a.Text, "-exec") && i+1 < len(args) && (args[i+1].Text == "rm" || args[i+1].Text == "shred"):
			removes = true
		case containsAny(a.Text, "name", "path", "regex", "time", "newer", "-size", "-empty", "-user") && strings.HasPrefix(a.Text, "-"):
			picks = true
		case containsAny(a.Text, ".doc", ".xls", ".ppt", ".odt", ".pdf", ".jpg", ".jpeg", ".png", ".key", ".sql"):
			documents = true
		}
	}
	if documents {
		return diag.Warning, removes
	}
	return diag.Error, removes && !picks
}

func recursive(args []program.Value) bool {
	for _, a := range args {
		if strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "--") && strings.ContainsAny(a.Text, "rR") || a.Text == "--recursive" {
			return true
		}
	}
	return false
}

// keptFolder reports whether an argument is a path of what is not made anew by itself, as
// temporary files and caches are.
func keptFolder(v program.Value) bool {
	return !strings.HasPrefix(v.Text, "-") && !containsAny(v.Text, "/tmp/", "/var/cache/", "/var/lib/apt/lists", "node_modules", "__pycache__")
}

func wholeFolder(p string) bool {
	switch strings.TrimSuffix(strings.TrimSuffix(p, "*"), "/") {
	case "", "~", "${HOME}", "/etc", "/usr", "/var", "/home", "/bin", "/boot", "/lib", "/root", "/Users", "/opt", "/sbin", "/lib64", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/local", "/usr/share", "/var/lib", "/var/log", "/srv", "/System", "/Library", "/Applications", "~/Documents", "~/Desktop", "~/Library":
		return strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.HasPrefix(p, "$")
	}
	return false
}
