package program

import (
	"path"
	"strings"
)

// written reports that data is stored under a path. A text with the path of a program is read as
// a program: it is presumably written to be run.
func (r *reader) written(name string, to, data Value) {
	r.act(Act{Kind: Write, Name: name, To: to, Data: data})
	if lang, ok := languageOfPath(to.Text); ok && !r.silent && strings.Contains(data.Text, "\n") {
		vars, files := r.vars, r.files
		r.vars, r.files = map[string]Value{}, map[string]Value{} // another process
		r.inner(data.Text, lang)
		r.vars, r.files = vars, files
	}
}

// languageOfPath returns the language of a program by the name of its file.
func languageOfPath(p string) (Language, bool) {
	switch path.Ext(p) {
	case ".py", ".pyw", ".pth":
		return Python, true
	case ".js", ".mjs", ".cjs", ".ts":
		return JavaScript, true
	case ".sh", ".bash", ".zsh", ".command":
		return Shell, true
	case ".rb":
		return Ruby, true
	case ".pl", ".pm":
		return Perl, true
	case ".php":
		return PHP, true
	case ".ps1", ".psm1":
		return PowerShell, true
	}
	return Shell, containsAny(p, ".git/hooks/", "/hooks/post-", "/hooks/pre-", ".bashrc", ".zshrc", ".bash_profile", ".profile", "/etc/cron.")
}
