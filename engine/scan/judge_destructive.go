package scan

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// ransom matches a demand for money, or a note to the owner of the files.
var ransom = expr(`(?i)\b(?:BTC|bitcoins?|XMR|monero|USDT)\b|\bransom|READ_?ME_?(?:TO|FOR)|\byour files (?:are|were|have been)\b`)

// judgeHostage raises encryption with removal of the originals. For one file the user
// asked for it; after a walk over folders, the files are lost without the key.
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

// caches matches folders whose removed content a program creates again.
var caches = expr(`(?i)/(?:caches?|trash|deriveddata|tmp)(?:/\*?)?["']?\s*$`)

// judgeRemoved drops removals of caches.
func judgeRemoved(d *document, m *match) bool {
	return !caches.MatchString(d.text[m.start:m.end]) && softenDiscussed(d, m)
}

// judgeDisk makes a note of a text's command for a disk that its reader has to name.
func judgeDisk(d *document, m *match) bool {
	if !d.wholeProgram() && strings.HasSuffix(d.text[m.start:m.end], "/dev/sdX") {
		m.lower(diag.Note)
	}
	return softenDiscussed(d, m)
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
		if a.Kind == program.Call && d.wholeProgram() && removesTree(a.Name) && len(a.Args) > 0 && a.Args[0].Below(wholeFolder) {
			return r.acted(a, diag.Warning, 0.7, "what lies in a whole folder that is not the capability's is removed"), true
		}
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

// removesTree reports whether a function removes a folder with all its content.
func removesTree(name string) bool {
	switch name {
	case "shutil.rmtree", "fs.rmSync", "fs.rm", "fs.rmdirSync", "fs/promises.rm", "rmSync", "rimraf", "rimraf.sync":
		return true
	}
	return false
}

// foundAndRemoved judges a search that removes the files it finds below a whole folder.
// Removing all files is certain harm. Removing people's documents needs a person's look.
// Removing files picked by another name or by age is cleaning up.
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

// keptFolder reports whether an argument is a path of files that no program creates again,
// unlike temporary files and caches.
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

// judgeRemovedTree keeps only removals of a whole folder: R's unlink removes single files as well.
func judgeRemovedTree(d *document, m *match) bool {
	line := d.lineAround(m.start)
	text := strings.ToLower(d.text[line.start:line.end])
	if strings.HasPrefix(strings.ToLower(d.text[m.start:m.end]), "unlink") && !strings.Contains(text, "recursive") || strings.Contains(text, "remove-item") && !strings.Contains(text, "-rec") {
		return false
	}
	return d.wholeProgram() && !d.inComment(m.start) && softenShown(d, m)
}
