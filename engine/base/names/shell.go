package names

import "strings"

// ForShell writes a name as one word for a POSIX shell, whatever it holds: what a
// person is told to run must do to a file that somebody else named what it says.
func ForShell(name string) string {
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
