package plaintext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/plaintext"
)

func TestOf(t *testing.T) {
	for _, c := range []struct{ in, bare, latin string }{
		{"plain", "", ""},
		{"Grüße, naïve café … “x” ™ ½", "", ""},
		{"ig\u200bnore", "ignore", ""},
		{"a\u00a0b", "a b", ""},
		{"e\u0301", "e", ""},
		{"\u0456gnore", "", "ignore"},
		{"\uff49gnore\u2060 x", "\uff49gnore x", "ignore x"},
		{"\ufb01le", "", "file"},
		{"ответ", "", ""},
		{"👩‍💻 ⚠️ 1️⃣", "", ""},
		{"nothing\u2028below", "nothing below", ""},
	} {
		for form, want := range map[plaintext.Form]string{plaintext.Bare: c.bare, plaintext.Latin: c.latin} {
			got, hides := plaintext.Of(c.in, form)
			if hides != (want != "") || hides && got.String() != want {
				t.Errorf("Of(%q, %d) = %q, %v; want %q", c.in, form, got, hides, want)
			}
		}
	}
}

// TestLatinIsBare: Latin also reverts what Bare does, in a text without letters that look
// Latin.
func TestLatinIsBare(t *testing.T) {
	for in, want := range map[string]string{"ig\u200bnore": "ignore", "e\u0301": "e", "a\u00a0b": "a b", "n\u043e\u00ad": "no"} {
		if got, _ := plaintext.Of(in, plaintext.Latin); got.String() != want {
			t.Errorf("Of(%q, Latin) = %q, want %q", in, got, want)
		}
	}
}

// TestApart: invisible characters may stand for a blank.
func TestApart(t *testing.T) {
	for in, want := range map[string]string{
		"ignore\u200ball": "ignore all", "ignore\u3164\u2060all": "ignore all", "ign\u043ere\u00adall": "ignore all",
		"a \u200bb": "", "\u200bb": "", "plain": "", "می\u200cخواهم": "", "👩\u200d💻": "",
	} {
		got, hides := plaintext.Of(in, plaintext.Apart)
		if hides != (want != "") || hides && got.String() != want {
			t.Errorf("Of(%q, Apart) = %q, %v; want %q", in, got, hides, want)
		}
	}
}

// TestOriginal: Original returns the position of every character that a form keeps.
func TestOriginal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab \n\u200b\u00a0\u0430\u0301é世\uff41\U0001F600\ufe0f"))).Draw(t, "text")
		for _, form := range []plaintext.Form{plaintext.Bare, plaintext.Latin, plaintext.Apart} {
			text, _ := plaintext.Of(s, form)
			if strings.Count(text.String(), "\n") != strings.Count(s, "\n") || !utf8.ValidString(text.String()) {
				t.Fatalf("%q becomes %q", s, text)
			}
			last := -1
			for i, r := range text.String() {
				at := text.Original(i)
				if at <= last || at >= len(s) {
					t.Fatalf("%q: offset %d leads to %d, after %d", s, i, at, last)
				}
				if was, _ := utf8.DecodeRuneInString(s[at:]); (r == '\n' || r == '世') && was != r {
					t.Fatalf("%q: %q at %d leads to %q", s, r, i, was)
				}
				last = at
			}
		}
	})
}
