package generate

import (
	"fmt"
	"iter"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Version changes whenever the same options give other bytes.
const Version = 3

// GroupSize is how many capabilities stand in one group.
const GroupSize = 100

// Options say which registry is generated.
type Options struct {
	// N is how many capabilities there are, numbered from 0.
	N int
	// Seed varies the text; names depend on the number alone.
	Seed uint64
}

// Path is the folder of capability i, skills/<group>/<name>.
func Path(i int) string { return "skills/" + Group(i/GroupSize) + "/" + Name(i) }

// Group is the name of group g.
func Group(g int) string { return fmt.Sprintf("%s-%03d", topics[g%len(topics)], g) }

// Name is what capability i is called. No two are called alike.
func Name(i int) string {
	// A step that shares no factor with the number of combinations visits each of
	// them once, in an order that puts different words beside each other.
	const step = 7919
	all := len(verbs) * len(things) * len(qualities)
	at := i * step % all
	name := verbs[at%len(verbs)] + "-" + qualities[at/len(verbs)%len(qualities)] + "-" + things[at/len(verbs)/len(qualities)]
	if round := i / all; round > 0 {
		name = fmt.Sprintf("%s-%d", name, round)
	}
	return name
}

// Batches yields the files of all capabilities, each batch holding whole groups
// of about batch capabilities (at least one group).
func (o Options) Batches(batch int) iter.Seq[[]tree.Edit] {
	size := max(1, batch/GroupSize) * GroupSize
	return func(yield func([]tree.Edit) bool) {
		for from := 0; from < o.N; from += size {
			var edits []tree.Edit
			for i := from; i < min(from+size, o.N); i++ {
				edits = append(edits, o.Capability(i)...)
			}
			if !yield(edits) {
				return
			}
		}
	}
}
