package canonical_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/canonical"
)

func TestPhrase(t *testing.T) {
	const most = 12
	for text, want := range map[string]string{
		"":                      "",
		"as it is":              "as it is",
		"two\nlines\t":          "two lines ",
		"an \x1b[31m":           "an  [31m",
		"broken \xff":           "broken \uFFFD",
		"just as long":          "just as long",
		"longer than that":      "longer th…",
		"cut in th" + "ééé":     "cut in th…",
		strings.Repeat("é", 99): "éééé…",
	} {
		got := canonical.Phrase(text, most)
		if got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if err := canonical.CheckPhrase(got, most); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if err := canonical.CheckPhrase(text, most); (err == nil) != (text == want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
