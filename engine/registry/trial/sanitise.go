package trial

import (
	"math"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/assent-dev/assent/engine/base/plaintext"
)

// masked replaces a secret, home a user's folder.
const (
	masked = "[secret]"
	home   = "~"
)

// maxSanitised is how much of a text is looked at. Only its beginning is kept.
const maxSanitised = 16 << 10

// secretShapes match text that looks like a secret. Groups are kept.
//
// The list is wide on purpose: a summary loses little by one word too few, and a journal is
// never quite forgotten. The scanner (engine/scan) judges files by a narrower one.
var secretShapes = sync.OnceValue(func() []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, shape := range []string{
		`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)`,
		`\b(?:AKIA|ASIA)[A-Z0-9]{12,}`,
		`\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|xapp-|sk-|sk_live_|rk_live_|pk_live_|npm_|pypi-|hf_|dop_v1_|shpat_|ya29\.|AIza|SG\.|key-|whsec_)[A-Za-z0-9_.=-]{8,}`,
		`\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}`,
		`(?i)(\b(?:bearer|basic|token)\s+)["']?(?:[A-Za-z._~+/=-]{3,}[0-9][A-Za-z0-9._~+/=-]*|[0-9][A-Za-z0-9._~+/=-]{7,})`,
		`([a-z][a-z0-9+.-]*://)[^\s/@"'<>]+(@)`,
		`(?i)([a-z0-9_-]*(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization|credentials?|cookie|session[_-]?id)["']?\s*(?:=>|[:=])\s*)(?:(?:bearer|basic|token|digest)\s+)?(?:"[^"]*"?|'[^']*'?|[^\s,;&}]+)`,
	} {
		out = append(out, regexp.MustCompile(shape))
	}
	return out
})

var (
	// longShape finds runs of characters that may be a key of no known form.
	longShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9+/_=-]{24,}`) })
	homeShape = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:/home/|/Users/|/var/home/|[a-z]:[\\/]+Users[\\/]+)[^\s/\\:"'<>|]+|/root\b`)
	})
)

// Sanitise makes a text one line of at most MaxSummary characters, without text that looks like
// a secret, without paths of users' homes, and without invisible characters. homes are further
// folders that count as a home.
//
// It recognises secrets by their form. The secrets that a program got are removed before, by
// value.
func Sanitise(text string, homes ...string) string {
	text = visible(text)
	for _, dir := range homes {
		if len(dir) > 1 {
			text = strings.ReplaceAll(text, dir, home)
		}
	}
	text = homeShape().ReplaceAllString(text, home)
	for _, shape := range secretShapes() {
		text = shape.ReplaceAllString(text, "${1}"+masked+"${2}")
	}
	text = longShape().ReplaceAllStringFunc(text, func(s string) string {
		if random(s) {
			return masked
		}
		return s
	})
	if runes := []rune(text); len(runes) > MaxSummary {
		text = strings.TrimRight(string(runes[:MaxSummary-1]), " ") + "…"
	}
	return text
}

// visible is the text on one line, without control and invisible characters.
func visible(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxSanitised)], "")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case plaintext.Unseen(r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// random reports whether a run of letters and digits looks like a key rather than a word or
// a path: letters and digits mixed, and as many different ones as chance gives.
func random(s string) bool {
	var lower, upper, digit, mark int
	var counts [128]int
	for i := range len(s) {
		c := s[i]
		counts[c]++
		switch {
		case c >= 'a' && c <= 'z':
			lower++
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= '0' && c <= '9':
			digit++
		default:
			mark++
		}
	}
	if digit == 0 || lower+upper == 0 {
		return false
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	if lower > 0 && upper > 0 {
		return bits >= 3.5
	}
	return mark <= 1 && digit >= 4 && bits >= 3
}
