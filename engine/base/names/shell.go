package names

import "strings"

// ForShell quotes any name as one word for a POSIX shell, so that a command shown to a user
// does the same for every file name.
func ForShell(name string) string {
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// ShellWord is ForShell for names that are mostly plain: one of letters, digits, hyphens and underscores
// stays as it is.
func ShellWord(name string) string {
	if plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""; plain && name != "" && name[0] != '-' {
		return name
	}
	return ForShell(name)
}
