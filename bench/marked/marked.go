// Package marked replaces the part of a document that a command writes.
package marked

import (
	"fmt"
	"os"
	"strings"
)

// end is the line behind the part.
const end = "<!-- end -->"

// Write puts text, which ends in a newline, into a file: between the line that names the
// command ("./bench/scan") and the next end mark. A file without them is an error.
func Write(file, command, text string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin := "<!-- begin: go run " + command + " -write writes here -->"
	head, rest, begun := strings.Cut(string(data), begin)
	_, tail, ended := strings.Cut(rest, end)
	if !begun || !ended {
		return fmt.Errorf("%s has no lines %q and %q", file, begin, end)
	}
	return os.WriteFile(file, []byte(head+begin+"\n\n"+text+"\n"+end+tail), 0o666)
}
