package trial

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/assent-dev/assent/engine/base/plaintext"
)

// Secret replaces a secret, home a user's folder.
const (
	Secret = "[secret]"
	home   = "~"
)

// maxSanitised is how much of a text is looked at. Only its beginning is kept.
const maxSanitised = 16 << 10

// shape matches text that looks like a secret. Such text contains one of the cues, in lower case. The groups of re are kept.
type shape struct {
	cues []string
	re   *regexp.Regexp
}

// secretShapes are wide on purpose: a summary loses little if a word is missing, and journals are kept for
// long. They include the narrower shapes by which the scanner (engine/scan) judges files.
var secretShapes = sync.OnceValue(func() (out []shape) {
	for _, s := range [][2]string{
		{"private key", `(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`},
		{"akia,asia", `\b(?:AKIA|ASIA)[A-Z0-9]{12,}`},
		{"_,-,.,aiza", `\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|xapp-|sk-|[sr]k_live_|pk_live_|gsk_|do[op]_v1_|shp(?:at|ss|ca)_|whsec_|ya29\.|AIza|SG\.|dp\.pt\.|hvs\.|AGE-SECRET-KEY-)[A-Za-z0-9_.=-]{8,}`},
		{"key-,npm_,pypi-,hf_", `\b(?:key-[a-f0-9]{16,}|npm_[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{20,}|pypi-[A-Za-z0-9_-]{30,})`},
		{"sk", `\bSK[a-f0-9]{32}\b`},
		{":aa", `\b\d{8,10}:AA[A-Za-z0-9_-]{20,}`},
		{"eyj", `\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,2}`},
		{"bearer,basic,token", `(?i)(\b(?:bearer|basic|token)\s+)["'\x60]?(?:[A-Za-z._~+/=-]{3,}[0-9][A-Za-z0-9._~+/=-]*|[0-9][A-Za-z0-9._~+/=-]{7,})`},
		{" is , was ", `(?i)(\b(?:pass(?:word|phrase)?|secret|token|key|pin)\s+(?:is|was)\s+)["'\x60]?[A-Za-z._~+/=!#$%&*-]*[0-9][^\s"'\x60]{3,}`},
		{"//", `(?i)((?:\b[a-z][a-z0-9+.-]*:)?//)(?:[^\s/@"'<>]*:[^\s"'<>]*|[^\s/@"'<>]+)(@)`},
		{"pass,secret,token,key,authorization,credential,cookie,session", `(?i)([a-z0-9_-]*(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|authorization|credentials?|cookie|session[_-]?id)["']?\s*(?:=>|[:=])\s*)(?:(?:bearer|basic|token|digest)\s+)?(?:"[^"]*"?|'[^']*'?|[^\s,;&}]+)`},
		{"cookie", `(?i)(\b(?:set-)?cookie:\s*)[^\s"'][^\r\n"']*`},
		{"pwd", `(?i)(\bpwd\s*=\s*)[^\s;,"']+`},
		{"?,&", `(?i)([?&](?:key|auth|code|sig|signature|sid)=)[^\s&#"']+`},
		{"login,sqlcmd,ldap", `(?i)(\b(?:login\b[^|;&]*?\s-p|sqlcmd\b[^|;&]*?\s-p|ldap\w+\b[^|;&]*?\s-w)[ =]?["']?)[^\s"'-][^\s"']*`},
		{"--", `(?i)(--[a-z-]*(?:password|passwd|passphrase|secret|token|api-?key|access-?key)\s+)(?:"[^"]*"?|'[^']*'?|[^\s"'-][^\s"']*)`},
		{"-u,--user", `(\s(?:-u|--user)[ =]?["']?[^\s:"'/]+:)[^\s"']+`},
		{"mysql,mariadb,sshpass,redis-cli", `(\b(?:mysql\w*|mariadb|sshpass|redis-cli)\b[^|;&]*?\s-[pa] ?["']?)[^\s"'-][^\s"']*`},
	} {
		out = append(out, shape{strings.Split(s[0], ","), regexp.MustCompile(s[1])})
	}
	return out
})

var (
	// longShape finds runs of characters that may be a key of no known form.
	longShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9+/_=-]{24,}`) })
	// escapes are the control sequences of ECMA-48: of colours, of titles and links, of character sets.
	escapes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[PX^_][^\x1b]*(?:\x1b\\\\)?|[ -/]+[0-~]|[0-~])")
	})
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
	text = visible(Unescaped(text[:min(len(text), maxSanitised)]))
	for _, dir := range homes {
		if len(dir) > 1 {
			text = strings.ReplaceAll(text, dir, home)
		}
	}
	text = homeShape().ReplaceAllString(text, home)
	text = Unsecret(text)
	if runes := []rune(text); len(runes) > MaxSummary {
		text = strings.TrimRight(string(runes[:MaxSummary-1]), " ") + "…"
	}
	return text
}

// Masked replaces what has the form of a secret: a key of a known form, a password in an address, a header or an
// assignment. A masked text has none, so that masking it again changes nothing.
func Masked(text string) string {
	const most = 4 // the quotation marks around a secret go one after the other
	for range most {
		next := masked(text)
		if next == text {
			break
		}
		text = next
	}
	return text
}

func masked(text string) string {
	lower := strings.ToLower(text)
	for _, s := range secretShapes() {
		if !slices.ContainsFunc(s.cues, func(cue string) bool { return strings.Contains(lower, cue) }) {
			continue
		}
		//defence:secrets-of-words-stay-here
		text = s.re.ReplaceAllString(text, "${1}"+Secret+"${2}")
	}
	return text
}

// Unsecret is Masked, and also replaces words that look random, such as keys of no known form and commit hashes. It drops
// invisible characters and escape sequences of terminals, which could hide the form.
func Unsecret(text string) string {
	text = strings.Map(func(r rune) rune {
		if plaintext.Unseen(r) {
			return -1
		}
		return r
	}, Unescaped(text))
	return longShape().ReplaceAllStringFunc(Masked(text), func(s string) string {
		if random(s) {
			return Secret
		}
		return s
	})
}

// Unescaped is a text without the control sequences of terminals. Without their first character, what is left of them would
// hide the form of a secret, or be taken for words.
func Unescaped(text string) string { return escapes().ReplaceAllString(text, "") }

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
