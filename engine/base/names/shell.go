package names

import "strings"

// ForShell quotes any name as one word for a POSIX shell, so that a command shown to a user
// does the same for every file name.
func ForShell(name string) string {
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// ShellWord is ForShell for names that are mostly plain: one of letters, digits and a few marks that no shell
// interprets stays as it is. Every text with a command for people to type puts names into it by ShellWord or ForShell
// (TestPrintedCommandsAreQuoted).
func ShellWord[T ~string](name T) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@+,"
	if text := string(name); strings.Trim(text, plain) == "" && text != "" && text[0] != '-' {
		return text
	}
	return ForShell(string(name))
}
