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
		{"nothing\u2028below", "nothingbelow", ""}, {"ig\rnore", "ignore", ""}, {"a\r\nb", "", ""}, {"ig\ufff9nore", "ignore", ""}, {"ig\ue0b0n\U0010fffeore\u0378", "ignore", ""}, {"\u0600\u0661 \U0001faf9", "", ""},
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
		"ignore\u2028all": "ignore all", "ignore\rall": "ignore all", "ignore\ufffball": "ignore all", "a \u200bb": "", "\u200bb": "", "plain": "", "می\u200cخواهم": "", "👩\u200d💻": "",
	} {
		got, hides := plaintext.Of(in, plaintext.Apart)
		if hides != (want != "") || hides && got.String() != want {
			t.Errorf("Of(%q, Apart) = %q, %v; want %q", in, got, hides, want)
		}
	}
}

// TestTogether: letters that stand apart are a word, and so are the parts of a divided one.
func TestTogether(t *testing.T) {
	for in, want := range map[string]string{
		"i g n o r e  a l l  r u l e s": "ignore all rules", "- I g n o r e   t h e m .": "- Ignore them.",
		"say i-g-n-o-r-e a-l-l, o.f, i_t": "say ignore all, of, it", "\"s|e|n|d\" the f/i/l/e": "\"send\" the file",
		"\u0456 g n o r e": "ignore", "all pre-\nvious text": "all previous text", "> all pre-\r\n>  vious text": "> all previous text",
		"plain words, e.g. a b c": "", "2-3-4-5 and x-y": "", "well-\n\nknown": "", "- a\n- b": "", "| a | b | c | d |": "",
	} {
		got, hides := plaintext.Of(in, plaintext.Together)
		if hides != (want != "") || hides && got.String() != want {
			t.Errorf("Of(%q, Together) = %q, %v; want %q", in, got, hides, want)
		}
	}
}

// TestOriginal: Original returns the position of every character that a form keeps.
func TestOriginal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab -\n\u200b\u00a0\u0430\u0301é世\uff41\U0001F600\ufe0f"))).Draw(t, "text")
		for _, form := range []plaintext.Form{plaintext.Bare, plaintext.Latin, plaintext.Apart, plaintext.Together} {
			text, _ := plaintext.Of(s, form)
			if form != plaintext.Together && strings.Count(text.String(), "\n") != strings.Count(s, "\n") || !utf8.ValidString(text.String()) {
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
