package soul

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/markup"
)

// WriteEntry renders an entry in canonical form and sanitises it: no control or invisible
// characters, no line ends in single-line fields, and no headings or open fences that
// reach beyond the entry. Reading the result gives the entry's canonical form, which
// writes the same bytes.
func WriteEntry(e Entry) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s %s\n", entryPrefix, plainWord(e.Name))
	if facts := facts(e); len(facts) > 0 {
		b.WriteString(strings.Join(facts, separator) + "\n")
	}
	if d := prose(e.Description); d != "" {
		b.WriteString("\n**Description**: " + d + "\n")
	}
	writeList(&b, "Requirements", e.Requirements)
	if u := block(e.Usage); u != "" {
		b.WriteString("\n**Usage**:\n" + u + "\n")
	}
	writeList(&b, "Limitations", e.Limitations)
	writeList(&b, "Error Patterns", e.ErrorPatterns)
	out := b.String()
	if extra := block(e.Extra); extra != "" {
		// Extra goes before the fields, where it cannot be read as a part of one.
		head, rest, _ := strings.Cut(out, "\n")
		out = strings.TrimRight(head+"\n\n"+extra+"\n\n"+rest, "\n") + "\n"
	}
	return []byte(out)
}

func facts(e Entry) []string {
	var out []string
	add := func(name, value string) {
		if value != "" {
			out = append(out, "**"+name+"**: "+value)
		}
	}
	if isDate(e.Learned) {
		add("Learned", e.Learned)
	}
	if e.Mastery != nil && isScore(*e.Mastery) {
		add("Mastery Score", strconv.FormatFloat(*e.Mastery, 'f', -1, 64))
	}
	add("Status", plainWord(e.Status))
	add("Verified By", plainWord(e.VerifiedBy))
	return out
}

// plainWord returns text for a heading or a field that shares its line: nothing in it can
// begin a field or act as a mark.
func plainWord(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("*·`#", r) {
			return -1
		}
		return r
	}, markup.Sanitize(s))
	return oneLine(s)
}

// prose returns one line of text that cannot be read as several fields, even at its
// beginning, where the field's name ends with the space of a separator.
func prose(s string) string {
	return strings.TrimPrefix(strings.ReplaceAll(" "+oneLine(markup.Sanitize(s)), separator+"**", " - **"), " ")
}

// opening matches text that would begin a block of its own at the start of a list item.
var opening = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(#|>|<|```|~~~|\\[[^\\]]*\\]:)") })

func writeList(b *strings.Builder, name string, values []string) {
	var lines []string
	for _, v := range values {
		if v = prose(v); v != "" {
			lines = append(lines, "- "+opening().ReplaceAllString(v, `\$0`)+"\n")
		}
	}
	if len(lines) > 0 {
		b.WriteString("\n**" + name + "**:\n" + strings.Join(lines, ""))
	}
}

// block returns Markdown of several lines. Text that would leave its entry (headings,
// open fences or HTML, lines that are fields) becomes a code block.
func block(s string) string {
	s = trimLines(markup.Sanitize(s))
	if s == "" || contained(s) {
		return s
	}
	fence := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	return fence + "text\n" + s + "\n" + fence
}

// longestRun returns the length of the longest run of one character.
func longestRun(s string, c byte) int {
	most, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		most = max(most, run)
	}
	return most
}

// contained reports whether text in an entry, after its heading or a field's name, begins
// and ends nothing outside of itself.
func contained(s string) bool {
	for _, before := range []string{"# a\n\n", "# a\n\n**Usage**:\n"} {
		framed := []byte(before + s + "\n\n# b\n")
		if len(markup.Headings(framed)) != 2 || len(markup.CheckClosed("", framed)) > 0 {
			return false
		}
	}
	var r entryReader
	for line := range strings.SplitSeq(s, "\n") {
		if !r.inFence(line) && splitFields(line) != nil {
			return false
		}
	}
	return r.fence == ""
}
