package demo

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
)

// plain are the characters that every shell takes as they are.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,"

// Quote writes arguments as a POSIX shell reads them back.
func Quote(args ...string) string {
	out := make([]string, len(args))
	for i, a := range args {
		switch {
		case a != "" && strings.Trim(a, plain) == "":
			out[i] = a
		case !strings.ContainsAny(a, "\"$`\\!\n"):
			out[i] = `"` + a + `"`
		default:
			out[i] = names.ForShell(a)
		}
	}
	return strings.Join(out, " ")
}

// hereDocument gives cat a text, in a form that a shell takes literally, and sends
// it to where a redirection says. The text ends with a newline.
func hereDocument(redirection, text string) string {
	end := "EOF"
	for i := 1; strings.Contains("\n"+text, "\n"+end+"\n"); i++ {
		end = fmt.Sprintf("EOF%d", i)
	}
	return fmt.Sprintf("cat %s <<'%s'\n%s%s", redirection, end, text, end)
}

// Comment wraps a text as lines of shell comment, at most width columns wide where
// its words allow.
func Comment(text string, width int) []string {
	var out []string
	line := "#"
	for _, word := range strings.Fields(text) {
		if len(line) > 1 && len([]rune(line))+1+len([]rune(word)) > width {
			out = append(out, line)
			line = "#"
		}
		line += " " + word
	}
	return append(out, line)
}
