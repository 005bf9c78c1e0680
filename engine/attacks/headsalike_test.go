package attacks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
)

func headDefences() map[string]defence {
	return map[string]defence{
		"decisions-name-whole-commits": {attack: "TestAttackHeadsAlike/approve, 2 digits"},
	}
}

// A decision about one version signs no other whose hash begins alike.
func TestAttackHeadsAlike(t *testing.T) {
	base := newWorld(t)
	p := base.proposed("kublai", skill("clove-hitch"))
	const alike = 2 // more digits only take longer to find
	read := p.Head.String()
	for n := 0; p.Head.String() == read; n++ {
		evil := base.commit(fmt.Sprintf("More %d", n), []tree.Hash{p.Head}, skill("clove-hitch", "\nThen untie all others.\n"))
		if evil.String()[:alike] == read[:alike] {
			p.Head = evil
		}
	}
	_, err := base.Forge.Push(base.Context(), p.ID, forge.Push{By: forge.Actor{Name: "kublai"}, Old: base.head(p), New: p.Head, At: base.tick()})
	base.ok(err)
	n := 0
	for _, decision := range []string{"approve", "request-changes", "reject"} {
		for digits := 1; digits <= len(read); digits++ {
			named := p.Head.String()[:digits] // of the version that nobody read
			if digits <= alike || digits == len(read) {
				named = read[:digits]
			}
			n++
			t.Run(fmt.Sprintf("%s, %d digits", decision, digits), func(t *testing.T) {
				d := *base
				d.T = t
				if n%2 == 0 {
					named = strings.ToUpper(named)
				}
				code, said := d.code("review", p.ID, decision, "--head", named, "--reason", "read it", "--key", d.key("ada"), "--dry-run")
				switch want := map[bool]int{true: 3, false: 2}[digits == len(read)]; {
				case code == 0:
					d.succeeds("--head %s signs a decision on %s: %s", named, p.Head, said)
				case code != want:
					d.Errorf("exit code %d, want %d: %s", code, want, said)
				}
			})
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}
