package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

const (
	// leastNumbers is the shortest list of numbers that can hold a command, leastNoise
	// the shortest run of other signs, in bytes.
	leastNumbers, leastNoise = 40, 100
	// mostNoise bounds the runs of one document that are looked at, and
	// recipeReach the distance of a recipe from each, in bytes.
	mostNoise, recipeReach = 20, 1500
)

var (
	// undoes matches functions that turn numbers or noise back into a text.
	undoes = expr(`(?i)\b[ab]85decode\b|\bmarshal\.loads\b|\bmodular inverse\b|\b(?:inverse|invert)\w*[ _]permutation|\bfrom_?char_?codes?\b|\bmap\(chr\b|\bchr\(|\bpow\(\w+,\s*-1|(?:%|\bmod)\s*256\b|\bfor \w+ in \w+.{0,40}\^|\^\s*(?:key|k)\b|\bxor\b|\bdecod(?:e|ing) (?:instructions|steps|procedure|recipe)`)
	// shows matches functions that show the result to a reader or run it.
	shows = expr(`(?i)\b(?:print|console\.log|exec|eval|os\.system|subprocess\.\w+|echo)\s*\(|\becho\b`)
	// followed matches an order to follow the decoded text.
	followed = said(`\b(?:follow|instructions?|execut\w+|activat\w+|install\w*|licen[cs]e|obey|carry out|perform)\b`)
)

// encodedRecipes looks around long lists of numbers and other noise for a function
// that decodes them. In a text that orders its reader to decode, the form is certain;
// a program may have tables of its own.
func encodedRecipes(m *machine, d *document) []match {
	if d.depth > 0 {
		return nil
	}
	var found []match
	noise := noiseOf(d.text)
	if len(noise) == mostNoise && undoes.MatchString(d.text[noise[mostNoise-1].start:]) {
		d.unread = true
	}
	for _, s := range noise {
		rest := d.text[max(0, s.start-recipeReach):s.start] + d.text[s.end:min(len(d.text), s.end+recipeReach)]
		if !undoes.MatchString(rest) || !shows.MatchString(rest) && (d.wholeProgram() || !followed.MatchString(rest)) {
			continue
		}
		hit := match{start: s.start, end: min(s.end, s.start+80), severity: diag.Warning, confidence: 0.6}
		if !d.wholeProgram() && d.placeOf(s.start) != data && followed.MatchString(rest) && !d.aboutAttacks() {
			hit.severity, hit.confidence = diag.Error, 0.85
		}
		if text, ok := spelled(d.text[s.start:s.end]); ok {
			if worst, bad := d.worstHidden("decoded.sh", text, plain); bad {
				hit.severity, hit.confidence = diag.Error, 0.9
				hit.message, hit.evidence = "a list of numbers hides something that would be refused in plain: "+worst.rule.Summary, "decoded: "+text
			}
		}
		found = append(found, hit)
	}
	return found
}

// noiseOf returns long lists of numbers below 256 and long runs of signs that no
// word, address or path is made of.
func noiseOf(text string) []span {
	var found []span
	judged := 0 // where the last run ended: a list may begin inside of one
	for i := 0; i < len(text) && len(found) < mostNoise; {
		if text[i] >= '0' && text[i] <= '9' {
			end, count := numbersAt(text, i)
			if count >= leastNumbers {
				found = append(found, span{i, end})
			}
			i = end
			continue
		}
		if i >= judged {
			judged = i
			for judged < len(text) && text[judged] > ' ' && text[judged] < 0x7f && text[judged] != '"' && text[judged] != '\'' {
				judged++
			}
			if judged-i >= leastNoise && noisy(text[i:judged]) && !strings.HasSuffix(text[max(0, i-8):i], "base64,") {
				found = append(found, span{i, judged})
				i = judged
				continue
			}
		}
		i++
	}
	return found
}

// numbersAt returns the end of the list of numbers at i, and their count.
func numbersAt(text string, i int) (end, count int) {
	for end = i; i < len(text); count++ {
		n, from := 0, i
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			n = min(n*10+int(text[i]-'0'), 1000)
			i++
		}
		if i == from || n > 255 {
			return max(end, i), count
		}
		end = i
		for comma := false; i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t' || text[i] == ',' && !comma); i++ {
			comma = comma || text[i] == ','
		}
		if i == end {
			return end, count + 1
		}
	}
	return end, count
}

// noisy reports whether a run without blanks mixes letters of both cases, digits
// and signs as encodings do, and is not an address, path or data URL.
func noisy(run string) bool {
	if containsAny(run, "://", "data:", "../", "./") {
		return false
	}
	var upper, lower, digit, sign int
	for i := range len(run) {
		switch c := run[i]; {
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		case c >= '0' && c <= '9':
			digit++
		default:
			sign++
		}
	}
	return 10*upper > len(run) && 10*lower > len(run) && 40*digit > len(run) && 2*sign < len(run)
}

// spelled returns the text whose characters a list of numbers encodes. It reports whether the
// text is readable.
func spelled(list string) (string, bool) {
	var out []byte
	for _, f := range strings.FieldsFunc(list, func(r rune) bool { return r < '0' || r > '9' }) {
		n := 0
		for i := range len(f) {
			n = n*10 + int(f[i]-'0')
		}
		out = append(out, byte(n))
	}
	return strings.ToValidUTF8(string(out), ""), readableText(out)
}
