package hook

import (
	"strings"
	"unicode/utf8"
)

// Suggestion is a capability in force that fits a prompt. Use is the next step with it.
type Suggestion struct {
	Name, Kind, Use, Takes, Description string
}

const (
	// maxSuggested bounds how many capabilities a prompt gets, maxDescribed the characters of each
	// description: the text is paid for with every prompt.
	maxSuggested = 5
	maxDescribed = 160
)

// Suggest is the text that a prompt gets; "" without suggestions.
func Suggest(all []Suggestion) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Approved in assent, and likely to fit this request. Use what fits instead of building your own:\n")
	list(&b, all)
	return b.String()
}

// list adds a line for each suggestion.
func list(b *strings.Builder, all []Suggestion) {
	for _, s := range all[:min(len(all), maxSuggested)] {
		b.WriteString("- " + s.Name + " (" + s.Kind + "; " + s.Use + ")")
		if s.Takes != "" {
			b.WriteString(" " + s.Takes)
		}
		if d := strings.Join(strings.Fields(s.Description), " "); d != "" {
			b.WriteString(": " + shortened(d, maxDescribed))
		}
		b.WriteString("\n")
	}
}

// shortened cuts a text to so many characters.
func shortened(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// maxLack bounds the characters of one line of Lacks.
const maxLack = 300

// lacked begins the text of Lacks.
const lacked = "You lacked something in this turn."

// Asked is what a person asked for in a prompt; "" for one that a hook sent, as Gemini CLI does at the end of a
// turn.
func (e *Event) Asked() string {
	if strings.HasPrefix(strings.TrimSpace(e.Prompt), lacked) {
		return ""
	}
	return e.Prompt
}

// Lacks is the text that an agent gets at the end of a turn in which it lacked something: a line for each
// gap.
func Lacks(lines []string) string {
	var b strings.Builder
	b.WriteString(lacked + " What assent knows of it:\n")
	for _, l := range lines {
		b.WriteString("- " + shortened(l, maxLack) + "\n")
	}
	b.WriteString("Use what is in force. Otherwise end your turn; do not repeat your answer.\n")
	return b.String()
}
