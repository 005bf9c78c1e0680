package local

import (
	"strings"

	"github.com/assent-dev/assent/engine/forge"
)

// byLine is an actor's name as it may stand in the author line of a commit: on
// one line, without the brackets that would begin an address, and never empty.
func byLine(a forge.Actor) string {
	name := strings.Map(func(r rune) rune {
		if r == '<' || r == '>' {
			return -1
		}
		return r
	}, forge.CleanTitle(a.String()))
	if strings.Trim(name, nameless) == "" {
		return forge.Actor{}.String()
	}
	return name
}

// nameless are the characters that Git takes from both ends of a name; one that
// is made of nothing else is none.
const nameless = " .,:;\"\\'"
