package link

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxMission is the longest mission, in bytes.
	MaxMission = 1 << 20
	// MaxSteps bounds the number of steps that are linked.
	MaxSteps = 16
	// maxStep bounds the bytes of one step. Anything beyond them is ignored.
	maxStep = 2000
	// fewWords: a step with fewer words belongs to the step before.
	fewWords = 2
)

// boundary matches the end of a step: the end of a sentence or line, and words that announce
// another one.
var boundary = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[\n;]+|[.!?。！？]+(?:\s+|$)|,?\s+(?:and\s+)?(?:then|afterwards|finally|after that)[,\s]+|,\s+next[,\s]+|,?\s+and also\s+`)
})

// itemMark begins an item of a list, or a sentence that follows another one.
var itemMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[-*•]|\d+[.)]|step \d+:?|(?:and|then|next|finally|afterwards|after that),?)\s+`)
})

// Steps splits a mission into tasks, in its order: at sentences, lines, items of lists, and words
// such as "then". Control characters count as blanks. A part without a letter is not a step. rest
// are the steps after the first MaxSteps.
func Steps(mission string) (out, rest []string) {
	mission = strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, mission[:min(len(mission), MaxMission)])
	known := map[string]bool{}
	for _, part := range split(mission) {
		part = strings.Join(strings.Fields(part), " ")
		part = strings.TrimSpace(itemMark().ReplaceAllString(strings.ToLower(part), ""))
		if !strings.ContainsFunc(part, unicode.IsLetter) || known[part] {
			continue
		}
		known[part] = true
		if len(part) > maxStep {
			part = strings.ToValidUTF8(part[:maxStep], "")
		}
		if last := len(out) - 1; last >= 0 && len(strings.Fields(part)) < fewWords && isASCII(part) {
			if len(out[last])+len(part) < maxStep {
				out[last] += ", " + part
			}
			continue
		}
		out = append(out, part)
	}
	most := min(len(out), MaxSteps)
	return out[:most:most], out[most:]
}

// split parts a mission at boundaries, but not after an abbreviation, and each sentence into its acts.
func split(mission string) (out []string) {
	begin := 0
	for _, at := range boundary().FindAllStringIndex(mission, -1) {
		if mission[at[0]] == '.' && abbreviates(mission[begin:at[0]], mission[at[1]:]) {
			continue
		}
		out, begin = append(out, acts(mission[begin:at[0]])...), at[1]
	}
	return append(out, acts(mission[begin:])...)
}

// abbreviations end with a full stop within a sentence.
const abbreviations = " approx cf dr fig incl mr mrs ms prof resp st viz vs "

// abbreviates reports whether the full stop between two texts belongs to an abbreviation. Letters with
// stops between them, and words such as "etc.", also end sentences: then a capital letter follows.
func abbreviates(before, after string) bool {
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("([\"'", r) })+1:]
	word = strings.ToLower(word)
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case word == "":
		return false
	case word == "e.g" || word == "i.e" || strings.Contains(abbreviations, " "+word+" "):
		return true
	case word == "no" || word == "nos" || word == "p" || word == "pp":
		return unicode.IsDigit(next)
	}
	return (word == "etc" || word == "al" || dotted().MatchString(word)) && !unicode.IsUpper(next) && after != ""
}

// dotted matches letters with full stops between them, such as "a.m".
var dotted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\pL(?:\.\pL)+$`) })

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
