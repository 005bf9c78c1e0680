package scan

import (
	"path"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// leaves matches text that carries data to another machine, or has its reader do so.
var leaves = expr(`(?i)https?://|\b(?:curl|wget|scp|sftp|rsync|ssh|nc|ncat|socat|ftp|push|upload\w*|send\w*|post|mail|requests|urlopen|fetch|socket|webhook)\b`)

// staysWithin reports whether nothing in the files of a capability carries data away: data that
// its program exports for the owner then reaches only the owner.
func staysWithin(files []File, dir string) bool {
	for i := range files {
		if (dir == "." || strings.HasPrefix(files[i].Path, dir+"/")) && leaves.MatchString(string(files[i].Content)) {
			return false
		}
	}
	return true
}

// told are effects that are the purpose of some capabilities. line is in the line of the warning,
// and the description has to contain one of words. A person reads the description before
// anything else, so that an effect it names is not hidden.
var told = []struct {
	rule, line string
	words      []string
}{
	{"agent-config-write", "crontab", []string{"crontab", "cron job", "cron entr"}},
	{"agent-config-write", "authorized_keys", []string{"authorized_keys", "ssh access", "ssh keys", "authorized keys"}},
	{"credential-read", "--export-secret-key", []string{"secret key", "gpg key", "private key"}},
}

// lowerTold makes notes of some warnings about effects that the description of the capability
// names: changes of a schedule or of the allowed logins, and the export of a key if nothing in the
// capability can carry it away. Errors stay: no user asks for a fetched program in these places,
// or for a key that the capability brings along.
func lowerTold(files []File, found diag.List) {
	for i := range found {
		f := &found[i]
		if f.Severity != diag.Warning || f.Rule != "agent-config-write" && f.Rule != "credential-read" {
			continue
		}
		description, text, within := "", "", false
		for j := range files {
			name := files[j].Path
			if name == f.Pos.File {
				text = lineOf(string(files[j].Content), f.Pos.Line)
			}
			if dir := path.Dir(name); strings.EqualFold(path.Base(name), "SKILL.md") && (dir == "." || strings.HasPrefix(f.Pos.File, dir+"/")) {
				description = strings.ToLower(frontMatter(string(files[j].Content)))
				within = f.Rule != "credential-read" || staysWithin(files, dir)
			}
		}
		for _, effect := range told {
			if within && effect.rule == f.Rule && strings.Contains(text, effect.line) && containsAny(description, effect.words...) {
				f.Severity = diag.Note
			}
		}
	}
}

// lineOf returns the line of a text with the given number, from 1.
func lineOf(text string, number int) string {
	for line := range strings.Lines(text) {
		if number--; number == 0 {
			return line
		}
	}
	return ""
}
