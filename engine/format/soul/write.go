package soul

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/markup"
)

// WriteEntry renders an entry in its one canonical form, sanitised: no control
// or invisible characters, no line ends in single-line fields, and no headings or
// open fences that would reach beyond the entry. Reading the result gives the
// entry's canonical form, and writing that gives the same bytes again.
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
		// Before the fields, where nothing takes it for a part of one of them.
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

// plainWord is text for a heading or a field that shares its line with others:
// nothing in it can begin a field or be taken for a mark.
func plainWord(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("*·`#", r) {
			return -1
		}
		return r
	}, markup.Sanitize(s))
	return oneLine(s)
}

// prose is text of one line that cannot be read as more than one field, also at its
// beginning, where the space of a separator stands behind the field's name.
func prose(s string) string {
	return strings.TrimPrefix(strings.ReplaceAll(" "+oneLine(markup.Sanitize(s)), separator+"**", " - **"), " ")
}

// opening is what would begin a block of its own at the head of a list entry.
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

// block is Markdown of several lines. Where it would not stay within its entry
// (headings, open fences or HTML, lines that are fields) it becomes a code block.
func block(s string) string {
	s = trimLines(markup.Sanitize(s))
	if s == "" || contained(s) {
		return s
	}
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "text\n" + s + "\n" + fence
}

// contained reports that text inside an entry, after its heading or after a field's
// name, begins and ends nothing but itself.
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
