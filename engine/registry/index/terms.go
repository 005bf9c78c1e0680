package index

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// asking are the terms of words that occur in any question. In a query they count for
// little.
var asking = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(`
		able also any anything assist assistance available based best check come comprehensive consider could curious current currently detail
		detailed different ensure ever explain find get give go good hello help hey hi highly idea include including information interested just
		know latest let like look looking lot make many maybe much need new one option particular particularly perhaps please possible provide put
		question really recent recently recommend recommendation regarding related relevant see show some someone something specific specifically
		still such suggest suggestion sure take tell thank thing think today try urgently use various want way well wonder would
`) {
		out[english.Stem(word, true)] = true
	}
	return out
})

// term is the form in which a word is indexed: without its English ending. It is empty for
// words that say nothing, such as "the".
func term(word []byte) string {
	text := string(word)
	for _, r := range word {
		if r < 'a' || r > 'z' {
			return text
		}
	}
	switch {
	case english.IsStopWord(text), remains[text]:
		return ""
	case len(text) < 3:
		return text
	}
	return english.Stem(text, false)
}

// Terms returns the different terms of a text, sorted: its words without English endings and
// stop words.
func Terms(text string) []string {
	var out []string
	Words(text, func(word []byte) {
		if t := term(word); t != "" {
			out = append(out, t)
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// remains are the parts of "can't" and the like before the apostrophe, and endings of others.
var remains = map[string]bool{
	"don": true, "doesn": true, "didn": true, "isn": true, "aren": true, "wasn": true, "weren": true, "won": true, "wouldn": true, "couldn": true, "shouldn": true,
	"haven": true, "hasn": true, "hadn": true, "can": true, "cannot": true, "may": true, "might": true, "must": true, "shall": true, "could": true, "would": true, "s": true, "t": true, "m": true, "re": true, "ve": true, "ll": true, "d": true,
}

// wordsAndParts calls emit for each word of text as Words does, and after a word such as
// parseCSVFile for each of its parts.
func wordsAndParts(text string, emit func(word []byte, part bool)) {
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if !inWord(r) {
			text = text[size:]
			continue
		}
		end := size
		for end < len(text) {
			if r, size = utf8.DecodeRuneInString(text[end:]); !inWord(r) {
				break
			}
			end += size
		}
		run := text[:end]
		text = text[end:]
		Words(run, func(word []byte) { emit(word, false) })
		if len(run) <= maxWord {
			parts(run, func(part string) { Words(part, func(word []byte) { emit(word, true) }) })
		}
	}
}

func inWord(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return true
	case r < utf8.RuneSelf:
		return false
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// parts calls emit for the parts of a word in camel case: none for a word that has one part.
func parts(run string, emit func(part string)) {
	begin := 0
	for i := 1; i < len(run); i++ {
		rises := lower(run[i-1]) && upper(run[i])
		falls := i+1 < len(run) && upper(run[i-1]) && upper(run[i]) && lower(run[i+1])
		if rises || falls {
			emit(run[begin:i])
			begin = i
		}
	}
	if begin > 0 {
		emit(run[begin:])
	}
}

func lower(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
