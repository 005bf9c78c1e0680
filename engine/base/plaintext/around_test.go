package plaintext

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestAround: the word of a letter is judged as by its definition, at any place of any text.
func TestAround(t *testing.T) {
	wordAround := func(s string, at int) string {
		start, end := at, at
		for start > 0 && at-start <= mostWord {
			r, n := utf8.DecodeLastRuneInString(s[:start])
			if !inWord(r) {
				break
			}
			start -= n
		}
		for end < len(s) && end-at <= mostWord {
			r, n := utf8.DecodeRuneInString(s[end:])
			if !inWord(r) {
				break
			}
			end += n
		}
		return s[start:end]
	}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same texts each time
	alphabet := []rune("aaaaaaab\u0430\u0435\u0456\u200b\U0001d41a \u0436.")
	for range 400 {
		var b strings.Builder
		seldom := 1 + random.IntN(300)
		for range random.IntN(1500) {
			r := alphabet[random.IntN(len(alphabet)-3)]
			if random.IntN(seldom) == 0 {
				r = alphabet[random.IntN(len(alphabet))]
			}
			b.WriteRune(r)
		}
		text := b.String()
		var s surroundings
		for at, r := range text {
			if r < utf8.RuneSelf {
				continue
			}
			want := !strings.ContainsFunc(wordAround(text, at), func(r rune) bool { return !twin(r) })
			if got := s.latin(text, at); got != want {
				t.Fatalf("%q at %d: %t, want %t", text, at, got, want)
			}
		}
	}
}

// TestOfIsLinear: a long word and a long run of invisible characters are read once, not once for each
// of their characters: with the square of that, this test does not end.
func TestOfIsLinear(t *testing.T) {
	for what, text := range map[string]string{
		"letters that look Latin":      strings.Repeat("\u0456", 1<<18),
		"letters that do not":          strings.Repeat("\u0436", 1<<18),
		"invisible characters":         "a" + strings.Repeat("\u200b", 1<<18) + ".",
		"blanks at the end of a line":  "a/b/c/d hello" + strings.Repeat(" ", 1<<18),
		"a blank at the end of a file": "a/b/c/d hello ",
	} {
		for form := Bare; form <= Together; form++ {
			if out, _ := Of(text, form); len(out.String()) > len(text) {
				t.Errorf("%s in form %d: %d bytes of %d", what, form, len(out.String()), len(text))
			}
		}
	}
}
