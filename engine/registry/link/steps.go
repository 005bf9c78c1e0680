package link

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxMission is the longest mission, in bytes.
	MaxMission = 1 << 20
	// maxSteps bounds the number of steps, and maxStep the bytes of one. Anything beyond them is
	// ignored.
	maxSteps, maxStep = 16, 2000
	// fewWords: a step with fewer words belongs to the step before.
	fewWords = 2
)

// boundary matches the end of a step: the end of a sentence or line, and words that announce
// another one.
var boundary = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[\n;]+|[.!?。！？]+(?:\s+|$)|,?\s+(?:and\s+)?(?:then|afterwards|finally|after that|next)[,\s]+|,\s+and\s+|\s+and also\s+`)
})

// itemMark begins an item of a list, or a sentence that follows another one.
var itemMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[-*•]|\d+[.)]|step \d+:?|(?:and|then|next|finally|afterwards|after that),?)\s+`)
})

// Steps splits a mission into tasks, in its order: at sentences, lines, items of lists, and words
// such as "then". Control characters count as blanks. A part without a letter is not a step.
func Steps(mission string) (out []string) {
	mission = strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, mission[:min(len(mission), MaxMission)])
	for _, part := range boundary().Split(mission, -1) {
		part = strings.Join(strings.Fields(part), " ")
		part = strings.TrimSpace(itemMark().ReplaceAllString(strings.ToLower(part), ""))
		if !strings.ContainsFunc(part, unicode.IsLetter) || slices.Contains(out, part) {
			continue
		}
		if len(part) > maxStep {
			part = strings.ToValidUTF8(part[:maxStep], "")
		}
		if last := len(out) - 1; last >= 0 && len(strings.Fields(part)) < fewWords && isASCII(part) {
			out[last] += ", " + part
			continue
		}
		if len(out) == maxSteps {
			break
		}
		out = append(out, part)
	}
	return out
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
