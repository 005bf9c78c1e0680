package markup

import (
	"html"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

var (
	inlineLink = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])`) })
	inlineTag  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`</?[A-Za-z][^>]*>|<!--.*?-->|<\?.*?\?>`) })
	attributes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[ \t]*\{[ \t]*[#.:][^{}]*\}[ \t#]*$`) })
)

// Slug is the name by which a section is found however its heading is dressed:
// letters, marks and digits of any script in compatibility form (NFKC) and
// folded case; everything else, emphasis, punctuation, emoji, spaces, is a
// separator, and a run of separators is one '_' or, at either end, nothing.
// Links and HTML tags count by their text, entities by what they stand for, and
// HTML comments, attributes at the end ({#id .class}), apostrophes and invisible
// characters not at all. "Core Truths", "**core-truths**"
// and "core_truths" have the slug core_truths.
func Slug(title string) string {
	title = attributes().ReplaceAllString(title, "")
	title = inlineLink().ReplaceAllString(title, "$1")
	title = html.UnescapeString(inlineTag().ReplaceAllString(title, ""))
	title = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(title)))
	var b strings.Builder
	gap := false
	for _, r := range title {
		switch {
		case r == '\'' || r == '’' || r == 'ʼ' || unicode.Is(unicode.Cf, r) || r >= 0xFE00 && r <= 0xFE0F:
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		default:
			gap = true
		}
	}
	return b.String()
}
