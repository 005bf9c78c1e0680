package attacks_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/git/journal"
)

// A journal names commits in its text. If such a commit is not in the repository, only that
// journal is damaged: readers still find the state in force.
func TestPushesToNothing(t *testing.T) {
	nowhere := strings.Repeat("1", 40)
	move := func(head string, engine bool) journal.Event {
		ev := journal.Event{Kind: "pushed", By: "kublai", Fields: map[string]string{"Head": head}, Files: actorFile("kublai")}
		if engine {
			ev.Fields["Engine"] = "true"
		}
		return ev
	}
	for name, heads := range map[string][]string{
		"a push by the engine to nothing":   {"engine " + nowhere},
		"a push by the engine from nothing": {nowhere, "engine HEAD"},
		"a push to nothing and back":        {nowhere, "HEAD"},
		"a push by the engine to a tree":    {"engine TREE"},
		"a push by the engine from a tree":  {"TREE", "engine HEAD"},
	} {
		attack(t, name, func(d *world) {
			p := d.proposed("kublai", skill("clove-hitch"))
			_, ex := d.examined(p.ID)
			for _, head := range heads {
				head, engine := strings.CutPrefix(head, "engine ")
				d.record(p.ID, move(strings.NewReplacer("HEAD", p.Head.String(), "TREE", d.treeOf(p.Head).String()).Replace(head), engine))
			}
			d.announced(p, ex.Result.Tree, p.Head)
			d.unchanged()
		})
	}
}
