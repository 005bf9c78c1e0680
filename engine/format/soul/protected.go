package soul

import (
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/markup"
)

// DefaultProtected returns the titles of the sections that are protected unless
// a policy says otherwise.
func DefaultProtected() []string {
	return []string{"core truths", "boundaries", "safety rules", "identity"}
}

// Region is a protected section of a file.
type Region struct {
	// Slug is the matched protected name, Title the heading as written.
	Slug, Title string
	// Line of the heading, from 1.
	Line int
	// Span covers the heading and everything below it.
	Span markup.Span
	// path identifies the section and the titles above it.
	path string
}

// ProtectedSections finds the sections whose title is in protected, at levels 1 to 3 and
// anywhere in the file. Titles are compared by slug after removal of leading numbers and
// emoji: "2. Core Truths" and "🧭 CORE_TRUTHS" are core truths, "Brand identity
// guidelines" is not identity.
func ProtectedSections(src []byte, protected []string) []Region {
	names := protectedSet(protected)
	sections, _ := markup.Sections(src)
	paths := markup.Paths(sections)
	var out []Region
	for i, s := range sections {
		slug := unnumbered(s.Slug)
		if !names[slug] {
			continue
		}
		out = append(out, Region{Slug: slug, Title: s.Title, Line: s.Line, Span: s.Extent(), path: paths[i]})
	}
	return out
}

// IsProtected reports whether a section of this title or slug is protected.
func IsProtected(title string, protected []string) bool {
	return protectedSet(protected)[unnumbered(markup.Slug(title))]
}

func protectedSet(protected []string) map[string]bool {
	names := make(map[string]bool, len(protected))
	for _, p := range protected {
		names[unnumbered(markup.Slug(p))] = true
	}
	return names
}

// ordinal matches the remains of numbering at the start of a slug: 1_, 2_3_, iv_, a_.
var ordinal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^((\d+[a-z]?|[ivx]{1,5}|[a-z])_)+`) })

func unnumbered(slug string) string {
	if rest := ordinal().ReplaceAllString(slug, ""); rest != "" {
		return rest
	}
	return slug
}

// lookalikes maps Cyrillic and Greek letters to the Latin ones that look the same in
// common fonts (from Unicode TR 39, confusables, folded case).
func lookalikes() *strings.Replacer {
	return strings.NewReplacer("а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "ѕ", "s", "і", "i", "ј", "j",
		"ԁ", "d", "һ", "h", "ո", "n", "ս", "u", "ԛ", "q", "ԝ", "w", "в", "b", "н", "h", "к", "k", "м", "m", "т", "t",
		"α", "a", "ε", "e", "ο", "o", "ρ", "p", "ν", "v", "ι", "i", "κ", "k", "τ", "t", "υ", "u", "β", "b", "η", "n",
		"ı", "i", "ɡ", "g", "ӏ", "l", "0", "o")
}
