package attacks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/tree"
)

func costDefences() map[string]defence {
	return map[string]defence{
		"markdown-bytes-are-bounded":    {attack: "TestAttackCost/long"},
		"markdown-structure-is-bounded": {attack: "TestAttackCost/headings"},
		"yaml-entries":                  {attack: "TestAttackCostOfData/people of scenarios"},
		"patterns-have-a-budget":        {attack: "TestAttackCostOfData/expressions of errors"},
		"findings-are-bounded":          {attack: "TestAttackCostOfData/findings"},
		"rewriting-lists-is-bounded":    {attack: "TestAttackCostOfData/lists that grow"},
		"what-is-refused-is-not-compared": {
			attack: "TestAttackCostOfData/a large soul",
		},
	}
}

// costly are pieces of Markdown that, repeated, cost a parser more than their length.
func costly() []string {
	return []string{
		"# a\n", "#\n", "### a\n", "a\n=\n", "a\n-\n", "[a]: b\n", "[a]:\n", "[a\n", "- a\n", "-\n", "* a\n\n", "1. a\n", "  - a\n",
		"> a\n", ">\n", "> ```\n\n", "- ```\n", "- <!--\n", ">>>>>>>> a\n", "- - - - - - a\n", "1) 1) 1) a\n", "> - > - a\n",
		"\t- a\n", "                - a\n", "+\n\n", "### Capability: a\n",
	}
}

// A SOUL.md whose structure costs more than its bytes is refused before it is parsed, both in a
// pushed proposal and in a commit on main. The bounds count lines and marks, not time.
func TestAttackCost(t *testing.T) {
	const soul = "soul/kublai/SOUL.md"
	refused := func(d *world, p tree.Hash, branch, id, what, text string) {
		d.Helper()
		d.put("refs/heads/"+branch, d.commit("More", []tree.Hash{p}, file(soul, text)))
		if _, ex := d.examined(id); !has(ex.Report.Diagnostics, markup.RuleSize) {
			d.succeeds("%s is parsed", what)
		}
	}
	many := func(unit string) string { return strings.Repeat(unit, min(41_000, 500<<10/len(unit))) }
	for name, above := range map[string]string{
		"nothing": "", "a heading": "# Identity\n\nx\n\n", "front matter": "---\na: b\n---\n",
		"the list": "# Kublai\n\n## Learned Capabilities\n\n",
	} {
		attack(t, "below "+name, func(d *world) {
			p := d.proposed("kublai", skill("clove-hitch"))
			for _, unit := range costly() {
				refused(d, p.Head, p.Branch, p.ID, fmt.Sprintf("%q", unit), above+many(unit))
			}
		})
	}
	attack(t, "headings", func(d *world) { // cheap without the bound, too
		p := d.proposed("kublai", skill("clove-hitch"))
		refused(d, p.Head, p.Branch, p.ID, "a text of headings", strings.Repeat("# a\n", 6_000))
	})
	attack(t, "long", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		refused(d, p.Head, p.Branch, p.ID, "a long text", strings.Repeat("a\n", 300<<10))
	})
	attack(t, "on main", func(d *world) {
		d.put("refs/heads/main", d.commit("More", []tree.Hash{d.main()}, file(soul, soulFile+many("# a\n"))))
		if d.blocked() == "" {
			d.succeeds("the commit is in force")
		}
	})
}
