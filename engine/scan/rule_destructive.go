package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/program"
)

// destructiveRule: a command destroys more than it made.
func destructiveRule() rule {
	return rule{RuleInfo: RuleInfo{"destructive", Code, diag.Error, "a command destroys more than it made",
		"What is removed, formatted or overwritten outside the task's folder is its owner's.",
		"Name the exact files that the capability itself made."},
		patterns: []pattern{{
			near: []string{"rm -", "rm  -"},
			re:   expr(`\brm\s+(?:-\w+\s+|--[\w-]+\s+)*(?:-\w*[rR]\w*\s+)(?:-\w+\s+|--[\w-]+\s+)*["']?(?:~|\$HOME|\$\{HOME\})/(?:\.config|\.ssh|\.gnupg|Documents|Desktop|Library|\.local/share|Pictures)(?:/\w*/?\*?)?["']?(?:[\s;&|)"'` + "`" + `]|$)`),
			in:   shell | data | python | script | hidden, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
		}, {
			near: []string{"rm -", "rm  -"},
			re:   expr(`(?:^|[\s;&|("'` + "`" + `])(?:sudo\s+)?rm\s+(?:-\w+\s+|--[\w-]+\s+)*(?:-\w*[rRf]\w*\s+)(?:-\w+\s+|--[\w-]+\s+)*["']?(?:/\*?|~/?\*?|\$HOME/?\*?|\$\{HOME\}/?|/(?:etc|usr|var|home|bin|boot|lib)/?\*?|/var/log/\S*)["']?(?:[\s;&|)"'` + "`" + `]|$)`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
		}, {
			near: []string{"of=/dev/", "mkfs", ":(){", "> /dev/sd", ">/dev/sd", "shutil.rmtree"},
			re:   expr(`\bdd\s[^\n]*\bof=/dev/(?:sd|nvme|hd|disk|mmcblk)\w*|\bmkfs(?:\.\w+)?\s+(?:-\w+\s+)*/dev/\w+|:\(\)\s*\{\s*:\|:\s*&\s*\}\s*;\s*:|>\s*/dev/sd[a-z]\b|shutil\.rmtree\(\s*(?:["'](?:/|~/?)["']|os\.path\.expanduser\(\s*["']~/?["']\s*\)|Path\.home\(\))`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: softenDiscussed,
		}},
		check: destroyed}
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

func recursive(args []program.Value) bool {
	for _, a := range args {
		if strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "--") && strings.ContainsAny(a.Text, "rR") || a.Text == "--recursive" {
			return true
		}
	}
	return false
}

func wholeFolder(p string) bool {
	switch strings.TrimSuffix(strings.TrimSuffix(p, "*"), "/") {
	case "", "~", "${HOME}", "/etc", "/usr", "/var", "/home", "/bin", "/boot", "/lib", "/root", "/Users", "/opt", "~/Documents", "~/Desktop", "~/Library":
		return strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.HasPrefix(p, "$")
	}
	return false
}
