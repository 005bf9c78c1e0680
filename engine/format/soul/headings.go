package soul

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/markup"
)

// headingLine is a line that a person or a model reads as a heading.
type headingLine struct {
	line       int
	text, slug string
	// section reports that it is the heading of a section.
	section bool
}

var (
	container = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])+`) })
	atxLine   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^#{1,6}[ \t]+(.*?)[ \t#]*$`) })
	htmlLine  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)<h[1-6]\b[^>]*>(.*?)(?:</h[1-6]|$)`) })
	emphasis  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\*{1,3}([^*]+)\*{1,3}|_{1,3}([^_]+)_{1,3}):?[ \t]*$`)
	})
	underline = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:=+|-+)[ \t]*$`) })
	linkLabel = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\[\]]+)\]`) })
)

// headingLines finds lines that look like headings, however a parser sees them: of any
// level, emphasised on a line of their own, in lists, quotations, HTML and front matter,
// or after characters that some readers take for line ends. Lines of code count only with
// inCode.
func headingLines(src []byte, inCode bool) []headingLine {
	sections := map[int]bool{}
	all, _ := markup.Sections(src)
	for _, s := range all {
		sections[s.Line] = true
	}
	code := map[int]bool{}
	if !inCode {
		code = codeLines(src)
	}
	var out []headingLine
	previous := ""
	for i, line := range strings.Split(string(src), "\n") {
		for _, part := range strings.FieldsFunc(line, otherBreak) {
			bare := bareOf(part)
			title, ok := headingTitle(bare, previous)
			switch {
			case !ok || code[i+1]:
			case isUnderline(bare):
				out = append(out, headingLine{i, title, markup.Slug(title), sections[i]})
			default:
				out = append(out, headingLine{i + 1, title, markup.Slug(title), sections[i+1]})
			}
			previous = bare
		}
		if strings.TrimSpace(line) == "" {
			previous = ""
		}
	}
	return out
}

// entryFields returns the labels in learned entries, which are emphasised too.
func entryFields() []string {
	return []string{fieldRequirements, fieldUsage, fieldLimitations, fieldErrors}
}

// NewHeadings returns the lines of head that look like headings, are not sections, and
// are not in base.
func NewHeadings(base, head []byte) []string {
	had := map[string]int{}
	for _, l := range headingLines(base, false) {
		had[l.text]++
	}
	var out []string
	for _, l := range headingLines(head, false) {
		if had[l.text]--; had[l.text] < 0 && !l.section && !slices.Contains(entryFields(), strings.ToLower(l.text)) {
			out = append(out, l.text)
		}
	}
	return out
}

// otherBreak reports whether some readers take r, other than LF, for a line end.
func otherBreak(r rune) bool {
	return r == '\r' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// headingTitle returns the title of a line without its container; previous is the line above.
// The expressions are slow, so they see only lines that begin as they ask for.
func headingTitle(bare, previous string) (string, bool) {
	first := byte(0)
	if bare != "" {
		first = bare[0]
	}
	if first == '#' {
		if m := atxLine().FindStringSubmatch(bare); m != nil {
			return m[1], true
		}
	}
	if strings.Contains(bare, "<") {
		if m := htmlLine().FindStringSubmatch(bare); m != nil {
			return m[1], true
		}
	}
	if first == '*' || first == '_' {
		if m := emphasis().FindStringSubmatch(bare); m != nil {
			return strings.TrimRight(m[1]+m[2], " \t:"), true
		}
	}
	if previous != "" && isUnderline(bare) {
		return previous, true
	}
	return "", false
}

func isUnderline(bare string) bool {
	return bare != "" && (bare[0] == '=' || bare[0] == '-') && underline().MatchString(bare)
}

// bareOf returns a line without quotation and list marks.
func bareOf(line string) string {
	if line == "" || !strings.ContainsRune(" \t>-*+0123456789", rune(line[0])) {
		return line
	}
	return container().ReplaceAllString(line, "")
}

func codeLines(src []byte) map[int]bool {
	lines := map[int]bool{}
	line, at := 1, 0
	for _, span := range markup.Code(src) {
		if span.Start < at {
			continue
		}
		line += strings.Count(string(src[at:span.Start]), "\n")
		for range max(1, strings.Count(string(span.Of(src)), "\n")) {
			lines[line] = true
			line++
		}
		at = span.End
	}
	return lines
}

// linkLabels lists the slugs of everything in brackets.
func linkLabels(src []byte) []string {
	var out []string
	for _, m := range linkLabel().FindAllSubmatch(src, -1) {
		out = append(out, markup.Slug(string(m[1])))
	}
	return out
}
