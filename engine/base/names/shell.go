package names

import "strings"

// ForShell writes a name as one word for a POSIX shell, whatever it holds: what a
// person is told to run must do what it says to a file with any name.
func ForShell(name string) string {
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
