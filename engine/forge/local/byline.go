package local

import (
	"strings"

	"github.com/assent-dev/assent/engine/forge"
)

// byLine returns an actor's name for the author line of a commit: one line, never empty,
// without the brackets that would begin an address.
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

// nameless are the characters that Git trims from both ends of a name. A name made only
// of them is empty.
const nameless = " .,:;\"\\'"
