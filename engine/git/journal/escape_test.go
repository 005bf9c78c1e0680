package journal

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// FuzzFieldRoundTrip: for any field value the message has exactly its trailers, and the value
// is read back unchanged.
func FuzzFieldRoundTrip(f *testing.F) {
	for _, s := range []string{"", " ", "a", "a\nAssent-By: eve", `\`, `\e`, "\x00\xff", "é", "\u2028x\u00a0", "x\\"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, value, note string) {
		if strings.ContainsRune(note, 0) {
			t.Skip("refused by validate")
		}
		e := Event{Kind: "opened", By: "a", Sequence: 1, Fields: map[string]string{"Value": value}, Note: note}
		e.At = e.At.AddDate(2000, 0, 0)
		message := e.message()
		if n := len(gitstore.ParseTrailers(message)); n != 6 {
			t.Fatalf("%d trailers in %q, want 6", n, message)
		}
		got, err := parse(message)
		if err != nil {
			t.Fatal(err)
		}
		if got.Fields["Value"] != value || got.By != e.By || got.Note != trimBlank(note) {
			t.Errorf("field %q came back as %q, note %q as %q", value, got.Fields["Value"], note, got.Note)
		}
	})
}
