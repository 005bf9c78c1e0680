package forge_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/forge"
)

func TestCleanTitle(t *testing.T) {
	for in, want := range map[string]string{
		"Add a skill": "Add a skill", " a\n b\t": "a b", "\x1b[31mred": "[31mred", "a\u202eb\u200b": "ab", "a\x00b\xff": "ab", "": "",
		"\u00a0\u2028": "", strings.Repeat("é", forge.MaxTitle): strings.Repeat("é", forge.MaxTitle),
		strings.Repeat("é", forge.MaxTitle+1): strings.Repeat("é", forge.MaxTitle-1) + "…",
	} {
		if got := forge.CleanTitle(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// FuzzTexts: for any input, CleanTitle returns one visible line and is idempotent, and
// CutText returns a text that can be recorded.
func FuzzTexts(f *testing.F) {
	for _, s := range []string{"", "a\nb", "\xff\x00", "\u200d", strings.Repeat("ab ", 100), strings.Repeat("x", forge.MaxText+1)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		title := forge.CleanTitle(s)
		if again := forge.CleanTitle(title); again != title {
			t.Errorf("%q becomes %q", title, again)
		}
		if strings.ContainsFunc(title, unicode.IsControl) || !utf8.ValidString(title) || utf8.RuneCountInString(title) > forge.MaxTitle {
			t.Errorf("%q is no title", title)
		}
		if err := forge.CheckText("text", forge.CutText(s, "see the file")); err != nil {
			t.Error(err)
		}
	})
}

func TestCutText(t *testing.T) {
	long := strings.Repeat("é", forge.MaxText+1)
	if err := forge.CheckText("body", long); !errors.Is(err, forge.ErrRequest) {
		t.Errorf("too long: %v", err)
	}
	if got := forge.CutText(long, "the rest is elsewhere"); !strings.HasSuffix(got, "é\n\n… the rest is elsewhere") {
		t.Errorf("it ends in %q", got[len(got)-40:])
	}
	if fits := long[2:]; forge.CutText(fits, "") != fits {
		t.Error("a text that fits is cut")
	}
}
