package names

import "strings"

// ForShell quotes any name as one word for a POSIX shell, so that a command shown to a user
// does the same for every file name.
func ForShell(name string) string {
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
