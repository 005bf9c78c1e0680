package soul

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/markup"
)

// LearnedTitle is the heading of the list that the engine keeps in a soul.
const LearnedTitle = "Learned Capabilities"

// entryPrefix begins the heading of an entry, before the capability's name.
const entryPrefix = "Capability:"

// Entry is one capability in the list of what an agent has learned. All text is
// Markdown; single-line fields hold no line ends.
type Entry struct {
	// Name of the capability. Names that differ in case, '-' and '_' are the same.
	Name string
	// Learned is the date, yyyy-mm-dd.
	Learned string
	// Mastery is a score from 0 to 1, nil when none was recorded.
	Mastery *float64
	// Status is a word such as active; VerifiedBy a role or name.
	Status, VerifiedBy string
	// Description is one line.
	Description  string
	Requirements []string
	// Usage is Markdown of any length, with closed code fences.
	Usage                      string
	Limitations, ErrorPatterns []string
	// Extra is whatever else stood in the entry; it is kept when it is rewritten.
	Extra string
	// Span and Line say where the entry stands in the file that it was read from.
	Span markup.Span
	Line int
}

// SameName reports whether two capability names are the same after folding case
// and '-' against '_'.
func SameName(a, b string) bool { return foldName(a) == foldName(b) }

func foldName(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "_", "-")
}
