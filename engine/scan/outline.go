package scan

import (
	"path"
	"strings"

	"github.com/assent-dev/assent/engine/scan/program"
)

// outlined returns the language of a program that is read by its statements, in addition to a
// reading as shell: Ruby, Perl, PHP, PowerShell or a compiled language. text is a whole file or
// a fence with its marks.
func (d *document) outlined(text string, p place) (program.Language, bool) {
	if p&(plain|shell) == 0 {
		return 0, false
	}
	first, _, _ := strings.Cut(text, "\n")
	if !d.whole {
		_, info := openFence(first)
		if !worthOutline(text) {
			return 0, false
		}
		return outlineLanguage(info)
	}
	if lang, ok := outlineLanguage(strings.TrimPrefix(path.Ext(strings.ToLower(d.path)), ".")); ok {
		return lang, true
	}
	if strings.HasPrefix(first, "#!") {
		for _, word := range []string{"ruby", "perl", "php", "pwsh"} {
			if strings.Contains(first, word) {
				return outlineLanguage(word)
			}
		}
	}
	return 0, false
}

// outlineLanguage maps a file extension or a fence's info word.
func outlineLanguage(word string) (program.Language, bool) {
	switch word {
	case "rb", "ruby", "gemspec", "rake":
		return program.Ruby, true
	case "pl", "pm", "perl":
		return program.Perl, true
	case "php", "phtml":
		return program.PHP, true
	case "ps1", "psm1", "powershell", "pwsh":
		return program.PowerShell, true
	case "go", "rs", "rust", "java", "kt", "kts", "kotlin", "groovy", "gradle", "cs", "csx", "csharp", "swift", "scala", "dart":
		return program.Compiled, true
	}
	return 0, false
}

// worthOutline reports whether a fence has anything that acts of these languages are
// made of; it must be one of them.
func worthOutline(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	if _, info := openFence(first); info == "" {
		return false
	} else if _, ok := outlineLanguage(info); !ok {
		return false
	}
	return containsAny(text, "http", "eval", "ENV", "env:", "$env", "getenv", "pack", "decode", "Decode", "Base64", "ocket", "ownload", "nvoke", "iex", "IEX", "File.", "Content", "open", "exec", "system", "esolv", "PROFILE")
}
