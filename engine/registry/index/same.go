package index

import (
	"slices"

	"github.com/kljensen/snowball/english"
)

// SameName reports whether two names have the same words, whatever their English endings: send-fax,
// sends-faxes, fax-sending and fax-sender. Their order counts beside a word of direction, such as in csv-to-json.
func SameName(a, b string) bool {
	x, directed := stemsOf(a)
	y, also := stemsOf(b)
	if !directed && !also {
		slices.Sort(x)
		slices.Sort(y)
	}
	return slices.Equal(x, y)
}

// HasName reports whether a name has all words of another one, whatever their endings and order.
func HasName(name, words string) bool {
	have, _ := stemsOf(name)
	want, _ := stemsOf(words)
	return len(want) > 0 && !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
}

// stemsOf are the words of a name, without endings; directed says that one gives a direction.
func stemsOf(name string) (out []string, directed bool) {
	Words(name, func(word []byte) {
		t := term(word)
		if t == "" {
			t = string(word)
			directed = directed || slices.Contains([]string{"to", "from", "into"}, t)
		}
		out = append(out, verb(t))
	})
	return out, directed
}

// verb maps an agent noun to its verb: sender to send, scanner to scan.
func verb(term string) string {
	if n := len(term) - 2; n > 2 && (term[n:] == "er" || term[n:] == "or") {
		return english.Stem(term[:n]+"ing", false)
	}
	return term
}
