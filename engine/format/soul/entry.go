package soul

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/markup"
)

// LearnedTitle is the heading of the list that the engine maintains in a soul.
const LearnedTitle = "Learned Capabilities"

// entryPrefix precedes the capability's name in the heading of an entry.
const entryPrefix = "Capability:"

// Entry is one capability in an agent's learned list. All text is Markdown; single-line
// fields contain no line ends.
type Entry struct {
	// Name of the capability. Case and the difference of '-' and '_' are ignored.
	Name string
	// Learned is the date, yyyy-mm-dd.
	Learned string
	// Mastery is a score from 0 to 1, nil if none is recorded.
	Mastery *float64
	// Status is a word such as active; VerifiedBy a role or name.
	Status, VerifiedBy string
	// Description is one line.
	Description  string
	Requirements []string
	// Usage is Markdown of any length, with closed code fences.
	Usage                      string
	Limitations, ErrorPatterns []string
	// Extra is the remaining text of the entry; rewriting keeps it.
	Extra string
	// Span and Line are the entry's place in the file that it was read from.
	Span markup.Span
	Line int
}

// SameName reports whether two capability names are the same after folding case
// and '-' against '_'.
func SameName(a, b string) bool { return FoldName(a) == FoldName(b) }

// FoldName returns the form in which the names of entries are compared.
func FoldName(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "_", "-")
}
