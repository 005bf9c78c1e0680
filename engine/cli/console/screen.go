package console

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/charmbracelet/colorprofile"
)

// stream is one of the process's outputs; colours vanish where no person reads it.
func stream(f *os.File) io.Writer { return colorprofile.NewWriter(f, os.Environ()) }

// screen is an output behind a filter: only text and our own colours get through, even if a
// command forgot to clean its output. It expects whole lines, as fmt writes them.
type screen struct{ terminal io.Writer }

// Write makes control sequences visible.
func (s screen) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.terminal, harmless(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Filtered is a writer behind the filter of a screen.
func Filtered(terminal io.Writer) io.Writer { return screen{terminal} }

// colour matches the sequences of Style and the log: none, bold, faint, not faint, red, green,
// yellow.
var colour = regexp.MustCompile("\x1b\\[(?:0|1|2|22|[39][123])?(?:;(?:0|1|2|22|[39][123]))*m")

// harmless cleans text that may have colours.
func harmless(s string) string {
	var out strings.Builder
	for s != "" {
		at := colour.FindStringIndex(s)
		if at == nil {
			break
		}
		out.WriteString(Clean(s[:at[0]]) + s[at[0]:at[1]])
		s = s[at[1]:]
	}
	return out.String() + Clean(s)
}

// Clean makes text that others wrote safe for a terminal: control characters,
// invisible ones, and those that turn the direction of text or end a line unseen
// are shown instead of obeyed, as JSON writes them. Joiners stay, because scripts
// and emoji need them.
//
//defence:commands-show-text
func Clean(s string) string {
	var out strings.Builder
	for _, r := range s {
		switch {
		case r == '\t' || r == '\n' || r == '\u200c' || r == '\u200d':
			out.WriteRune(r)
		case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			out.WriteString(Escaped(r))
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Escaped is a character as JSON writes it.
func Escaped(r rune) string {
	if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
		return fmt.Sprintf("\\u%04x\\u%04x", high, low)
	}
	return fmt.Sprintf("\\u%04x", r)
}

// OneLine is clean text without line ends.
func OneLine(s string) string { return Clean(strings.Join(strings.Fields(s), " ")) }

// inset is clean text whose further lines cannot pass for lines of ours.
func inset(s string) string { return strings.ReplaceAll(Clean(s), "\n", "\n    ") }
