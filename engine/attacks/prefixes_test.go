package attacks_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

func prefixDefences() map[string]defence {
	return map[string]defence{
		"closed-proposals-keep-their-prefix": {
			attack:  "TestAttackPrefixes/closed in ada's name/by the program",
			instead: "for _, p := range found { if p.State == forge.Open { return p, nil } }",
		},
		"damaged-proposals-keep-their-prefix": {attack: "TestAttackPrefixes/damaged/by the program"},
		"words-are-no-whole-id":               {attack: "TestAttackIDsOfWords/hardware"},
		"damaged-runs-keep-their-prefix":      {attack: "TestAttackPrefixesOfRuns/junk/5 characters"},
		"words-are-no-whole-run":              {attack: "TestAttackIDsOfRuns/hardware"},
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

// idWords are words of eight letters, as long as the random end of an id.
func idWords() []string {
	words := []string{"database", "hardware", "standard", "research"}
	const letters = "abcdefghjkmnpqrstvwxyz"
	for i := range 100 {
		var word strings.Builder
		for at := range 8 {
			word.WriteByte(letters[(i*(2*at+3)+at*at*5)%len(letters)])
		}
		words = append(words, word.String())
	}
	return words
}

// An id that ends in a word takes no place of a longer one that begins with it.
func TestAttackIDsOfWords(t *testing.T) {
	base := newWorld(t)
	for _, word := range idWords() {
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

// deployment begins a run of the given workflow, which waits for an approval.
func (d *world) deployment(name string) run.State {
	d.Helper()
	flows, err := task.Workflows(d.session())
	d.ok(err)
	flow := flows[slices.IndexFunc(flows, func(f workflow.Workflow) bool { return f.Name == name })]
	s, _, err := task.Start(d.Context(), d.session(), task.Beginning{Workflow: flow, Event: workflow.Command, By: "ada", For: "ada"})
	d.ok(err)
	out, err := task.Advance(d.Context(), d.Workspace, s.ID)
	d.ok(err)
	return out.State
}

// A prefix under which a person read one run signs, shows and cancels no other that takes its place.
func TestAttackPrefixesOfRuns(t *testing.T) {
	const name = "deploy-to-the-machines-of-customers"
	base := newWorld(t)
	base.merged(file("workflows/"+name+".yaml", "name: "+name+"\non: {command: deploy}\njobs:\n  ask: {approve: human}\n"))
	read := base.deployment(name)
	n := 0
	for how, damage := range map[string]func(d *world, other run.State){
		"junk": func(d *world, _ run.State) { d.put(runlog.Prefix+read.ID, d.main()) },
		"of another run": func(d *world, other run.State) {
			at, err := d.Repo.Ref(runlog.Prefix + other.ID)
			d.ok(err)
			d.put(runlog.Prefix+read.ID, at)
		},
		"ended, to be read": nil,
	} {
		t.Run(how, func(t *testing.T) {
			d := base.clone(t)
			other := d.deployment(name)
			if damage != nil {
				damage(d, other)
			} else {
				_, err := d.Runs.Append(d.Context(), read.ID, "mallory", d.Now(), func(run.State) (*run.Record, error) {
					return &run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Cancelled}, nil
				})
				d.ok(err)
			}
			for i := 1; i <= len(name)+1; i++ {
				t.Run(fmt.Sprintf("%d characters", i), func(t *testing.T) {
					for _, signing := range []bool{true, false} {
						n++
						got, err := d.Runs.Resolve(other.ID[:i], signing)
						var several *runlog.Several
						switch {
						case damage == nil && !signing: // it is shown, and nothing is signed
						case err == nil:
							d := *d
							d.T = t
							d.succeeds("%s means %s, and was %s", other.ID[:i], got, read.ID)
						case !errors.As(err, &several) || !strings.Contains(err.Error(), read.ID) || !strings.Contains(err.Error(), other.ID):
							t.Errorf("%s: %v", other.ID[:i], err)
						}
					}
				})
			}
			if got, err := d.Runs.Resolve(other.ID, true); err != nil || got != other.ID {
				t.Errorf("%s: %s, %v", other.ID, got, err)
			}
		})
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}

// A run whose id ends in a word takes no place of one with a longer id that begins with it.
func TestAttackIDsOfRuns(t *testing.T) {
	base := newWorld(t)
	for _, word := range idWords() {
		t.Run(word, func(t *testing.T) {
			d := base.clone(t)
			read := "ship-" + word + "-k3v9q2mt"
			for _, id := range []string{read, "ship-" + word} {
				_, _, err := d.Runs.Begin(d.Context(), id, "mallory", d.Now(), run.Start{Workflow: "ship", Event: workflow.Command, Commit: d.main().String()})
				d.ok(err)
			}
			if got, err := d.Runs.Resolve("ship-"+word, true); err == nil {
				d.succeeds("ship-%s means %s, and was %s", word, got, read)
			}
			if got, err := d.Runs.Resolve(read, true); err != nil || got != read {
				d.Errorf("%s: %s, %v", read, got, err)
			}
		})
	}
}
