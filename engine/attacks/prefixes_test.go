package attacks_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

func prefixDefences() map[string]defence {
	return map[string]defence{
		"closed-proposals-keep-their-prefix": {
			attack:  "TestAttackPrefixes/closed in ada's name/by the program",
			instead: "for _, p := range found { if p.State == forge.Open { return p, nil } }",
		},
		"damaged-proposals-keep-their-prefix": {attack: "TestAttackPrefixes/damaged/by the program"},
		"words-are-no-whole-id":               {attack: "TestAttackIDsOfWords/hardware"},
	}
}

// succession is a way to end a proposal without a signature, so that another takes the place of it.
type succession func(d *world, p forge.Pull)

func successions() map[string]succession {
	return map[string]succession{
		"closed in ada's name": func(d *world, p forge.Pull) {
			d.record(p.ID, journal.Event{Kind: "closed", By: "ada", Fields: map[string]string{"Why": "withdrawn"}, Files: actorFile("ada")})
		},
		"withdrawn": func(d *world, p forge.Pull) { d.withdrawn(p) },
		"damaged":   func(d *world, p forge.Pull) { d.put(local.PullPrefix+p.ID, d.main()) },
	}
}

// A prefix under which a reviewer read one proposal decides on no other that takes its place.
func TestAttackPrefixes(t *testing.T) {
	const name = "double-fishermans-bend-with-a-stopper"
	base := newWorld(t)
	read := base.proposed("kublai", skill(name))
	n := 0
	for how, end := range successions() {
		t.Run(how, func(t *testing.T) {
			d := base.clone(t)
			end(d, read)
			other := d.proposed("mallory", skill(name, "\nThen untie all others.\n"))
			refused := func(t *testing.T, prefix string) {
				t.Helper()
				n++
				d := *d
				d.T = t
				got, err := propose.Resolve(d.Context(), d.Workspace, prefix)
				var several *propose.Ambiguous
				switch {
				case err == nil:
					d.succeeds("%s means %s, and was %s", prefix, got.ID, read.ID)
				case !errors.As(err, &several) || !strings.Contains(err.Error(), read.ID) || !strings.Contains(err.Error(), other.ID):
					d.Errorf("%s: %v", prefix, err)
				}
			}
			for i := 1; i <= len(name)+1; i++ {
				t.Run(fmt.Sprintf("%d characters", i), func(t *testing.T) { refused(t, other.ID[:i]) })
			}
			t.Run("by the program", func(t *testing.T) {
				n++
				d := *d
				d.T = t
				for _, args := range [][]string{{"review", name, "approve", "--key", d.key("ada")}, {"merge", name}, {"show", name}} {
					if code, said := d.code(args...); code == 0 {
						d.succeeds("assent %v takes %s: %s", args, other.ID, said)
					} else if code != 2 || !strings.Contains(said, other.ID+" (open)") {
						d.Errorf("assent %v: %d %s", args, code, said)
					}
				}
			})
			for _, whole := range []string{other.ID, "proposal/" + other.ID} {
				if got, err := propose.Resolve(d.Context(), d.Workspace, whole); err != nil || got.ID != other.ID {
					t.Errorf("%s: %s, %v", whole, got.ID, err)
				}
			}
		})
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}

// An id that ends in a word takes no place of a longer one that begins with it.
func TestAttackIDsOfWords(t *testing.T) {
	base := newWorld(t)
	words := []string{"database", "hardware", "standard", "research"}
	const letters = "abcdefghjkmnpqrstvwxyz"
	for i := range 100 {
		var word strings.Builder
		for at := range 8 {
			word.WriteByte(letters[(i*(2*at+3)+at*at*5)%len(letters)])
		}
		words = append(words, word.String())
	}
	for _, word := range words {
		t.Run(word, func(t *testing.T) {
			d := base.clone(t)
			read := d.proposed("kublai", skill("knot-"+word))
			d.openedAs("mallory", "mallory@example.org", "knot-"+word, "ties faster", d.tick(), true, func(d *world, _ string) tree.Hash {
				return d.commit("Faster", []tree.Hash{d.main()}, skill("sheet-bend"))
			})
			got, err := propose.Resolve(d.Context(), d.Workspace, "knot-"+word)
			if err == nil {
				d.succeeds("knot-%s means %s, and was %s", word, got.ID, read.ID)
			}
			for _, id := range []string{read.ID, "knot-" + word} {
				if got, err := propose.Resolve(d.Context(), d.Workspace, "proposal/"+id); err != nil || got.ID != id {
					d.Errorf("proposal/%s: %s, %v", id, got.ID, err)
				}
			}
		})
	}
}
