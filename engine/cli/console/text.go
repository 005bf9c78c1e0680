package console

import (
	"fmt"
	"strings"
	"time"
)

// Words joins names for a help text or a message.
func Words[T ~string](list []T) string {
	var out []string
	for _, w := range list {
		out = append(out, string(w))
	}
	return strings.Join(out, ", ")
}

// NonNil is never nil, so that machines always get a list.
func NonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Optional shows a field that has a value.
func (c *Console) Optional(name, value string) {
	if value != "" {
		c.Field(name, OneLine(value))
	}
}

// Sentence is an error in one line; "" for none.
func Sentence(err error) string {
	if err == nil {
		return ""
	}
	return OneLine(err.Error())
}

// Plural counts things: "1 file", "3 files", "2 capabilities".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		noun = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Field prints a name and a value.
func (c *Console) Field(name, value string) {
	c.Printf("  %-10s %s\n", c.Style.Dim(name)+Pad(name, 10), value)
}

// Pad compensates for the escape sequences that %-10s counts.
func Pad(name string, width int) string { return strings.Repeat(" ", max(0, width-len(name))) }

// Ago says how long before now something happened: "3 min ago". A later time is
// given as it is.
func Ago(now, at time.Time) string {
	d := now.Sub(at)
	switch {
	case d <= -time.Minute:
		return at.Local().Format("2006-01-02 15:04")
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}
