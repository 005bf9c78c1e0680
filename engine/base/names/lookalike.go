package names

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// twins maps letters of other alphabets to the ASCII letter that most fonts draw alike (the
// close pairs of Unicode's confusables list, UTS 39).
const twins = "" +
	"аaсcеeоoрpхxуyѕsіiјjһhԁdԛqԝwӏlгrкkпnмmтt" + // Cyrillic
	"АAВBСCЕEНHІIЈJКKМMОOРPЅSТTХXУYԌG" +
	"οoνvιiαaρpυuκkτtηnχxγy" + // Greek
	"ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX" +
	"օoոnսuհhցgքpյj" + // Armenian
	"ᎪAᏴBᏟCᎠDᎬEᎻHᎫJᏦKᏞLᎷMᏢPᎡRᏚSᎢTᏙVᏔWᎩYᏃZ" + // Cherokee
	"ɑaɡgɢgıiɩiɪiɴnʙbʜhʀrʏyʟlǀl" // Latin itself

// weak lists letters of twins that only some fonts draw alike, or that common words of their
// language consist of. They count for the name ".git" but do not make a word a look-alike.
const weak = "гкпмтαηχγτı"

// skeleton replaces look-alikes by their ASCII letters.
func skeleton(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		if t, ok := twin(r); ok {
			return unicode.ToLower(t)
		}
		return r
	}, s)
}

// Latin returns the ASCII letter that most fonts draw like the non-ASCII letter r.
func Latin(r rune) (rune, bool) {
	if r < utf8.RuneSelf {
		return 0, false
	}
	return twin(r)
}

func twin(r rune) (rune, bool) {
	i := strings.IndexRune(twins, r)
	if i < 0 {
		return 0, false
	}
	t, _ := utf8.DecodeRuneInString(twins[i+utf8.RuneLen(r):])
	return t, true
}

// lookalike returns why name can be mistaken for another, or "". Names in any one script are
// fine, with Latin words beside them (отчёт.md, 数据-v2.md), and so are the usual mixtures of
// Japanese, Chinese and Korean.
func lookalike(name string) string {
	if isASCII(name) {
		return ""
	}
	if !utf8.ValidString(name) {
		return ""
	}
	if why := compatibility(name); why != "" {
		return why
	}
	if strayMark(name) {
		return "holds an accent without a letter"
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	foreign, alike := 0, 0
	for _, word := range words {
		if mixed(word) {
			return "mixes scripts within a word"
		}
		for _, r := range word {
			if r < utf8.RuneSelf || !unicode.IsLetter(r) {
				continue
			}
			if t, ok := twin(r); ok && !strings.ContainsRune(weak, r) && t != 0 {
				if unicode.Is(unicode.Latin, r) {
					return "holds a letter that is drawn like an ASCII one"
				}
				alike++
			}
			if !unicode.Is(unicode.Latin, r) {
				foreign++
			}
		}
	}
	if foreign > 0 && alike == foreign {
		return "consists of letters that are drawn like ASCII ones"
	}
	return ""
}

// strayMark reports a combining mark at the start or after an ASCII character that is not a
// letter: it hides in the dot or digit before it.
func strayMark(name string) bool {
	before := ' '
	for _, r := range name {
		if unicode.IsMark(r) && before < utf8.RuneSelf && !unicode.IsLetter(before) {
			return true
		}
		before = r
	}
	return false
}

// compatibility reports characters that are other forms of an ASCII letter, digit or path
// separator: full-width, mathematical, ligatures, 'one dot leader'.
func compatibility(name string) string {
	for _, r := range name {
		if r < utf8.RuneSelf {
			continue
		}
		if strings.ContainsRune("⁄∕⧸⧵╱╲", r) {
			return "holds a character that is drawn like a separator"
		}
		plain := norm.NFKC.String(string(r))
		if plain == string(r) || !isASCII(plain) {
			continue
		}
		if unicode.IsLetter(r) || unicode.In(r, unicode.Nd, unicode.Nl) || strings.ContainsAny(plain, `/\.`) {
			return "holds another form of an ASCII character"
		}
	}
	return ""
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// eastAsian lists the scripts that one word of Japanese, Chinese or Korean may combine,
// including Latin ("highly restrictive" of UTS 39).
var eastAsian = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul, unicode.Latin}

// mixed reports whether the letters of word come from scripts that are not combined in one
// word.
func mixed(word string) bool {
	var script *unicode.RangeTable
	east := true
	for _, r := range word {
		if unicode.In(r, unicode.Common, unicode.Inherited) {
			continue
		}
		east = east && unicode.In(r, eastAsian...)
		if script == nil {
			script = scriptOf(r)
			continue
		}
		if !unicode.Is(script, r) && !east {
			return true
		}
	}
	return false
}

func scriptOf(r rune) *unicode.RangeTable {
	for _, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return table
		}
	}
	return unicode.Common
}
