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

// Slug returns the name that identifies a section for any styling of its heading: letters,
// marks and digits of any script in compatibility form (NFKC) and folded case. Everything else,
// such as emphasis, punctuation, emoji and spaces, separates words; a run of separators becomes
// one '_', or nothing at either end. Links and HTML tags count by their text, entities by their
// character. HTML comments, attributes at the end ({#id .class}), apostrophes and invisible
// characters are dropped. "Core Truths", "**core-truths**" and "core_truths" have the slug
// core_truths.
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
