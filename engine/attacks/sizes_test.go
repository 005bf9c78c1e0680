package attacks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/scenario"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// Oversized content is refused by its size, before any of it is read.
func TestAttackSizes(t *testing.T) {
	many := func(n, size int) []tree.Edit {
		edits := []tree.Edit{skill("clove-hitch")}
		for i := range n {
			edits = append(edits, file(fmt.Sprintf("skills/clove-hitch/references/n%05d.md", i), fmt.Sprint(i, "\n", strings.Repeat("x\n", size/2))))
		}
		return edits
	}
	for _, a := range []struct {
		what string
		make func() []tree.Edit
		rule string
	}{
		{"a giant file", func() []tree.Edit { return many(1, 2<<20) }, validate.RuleFileSize},
		{"ten thousand files", func() []tree.Edit { return many(10_000, 0) }, validate.RuleFileCount},
		{"much in many files", func() []tree.Edit { return many(20, 900<<10) }, validate.RuleBytes},
		{"one giant line", func() []tree.Edit {
			return []tree.Edit{skill("clove-hitch"), file("skills/clove-hitch/references/line.md", strings.Repeat("a", 2<<20))}
		}, validate.RuleFileSize},
	} {
		attack(t, a.what, func(d *world) {
			objects := d.git("count-objects")
			out := d.asked(d.request("kublai", a.make()...))
			d.found(out.Diagnostics, a.rule)
			if now := d.git("count-objects"); now != objects {
				d.Errorf("something was stored before it was refused: %s, then %s", objects, now)
			}
		})
		attack(t, a.what+", pushed", func(d *world) {
			p := d.proposed("kublai", skill("clove-hitch"))
			d.pushed(p, d.commit("More", []tree.Hash{p.Head}, a.make()...))
			_, ex := d.examined(p.ID)
			d.found(ex.Report.Diagnostics, a.rule)
			for _, one := range ex.Report.Diagnostics {
				if !strings.HasPrefix(one.Rule, "limit-") && one.Rule != "path-place" {
					d.succeeds("something was looked at before the size was judged: %v", one)
				}
			}
			d.because(d.merge(p.ID).Refused, "validation found")
		})
	}
	attack(t, "a tree that names itself over and over", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.refusedPush(p, d.smuggled(p, []string{"skills", "clove-hitch", "references"}, "40000", d.vast(19)), validate.RuleFileCount)
	})
	attack(t, "the same on main", func(d *world) {
		d.put("refs/heads/main", d.commitRaw(d.grafted(d.treeOf(d.main()).String(), []string{"skills", "vast"}, "40000", d.vast(19))))
		if why := d.blocked(); !strings.Contains(why, tree.ErrTooLarge.Error()) {
			d.succeeds("all of it is compared, and then %s", why)
		}
	})
	attack(t, "the same beside what is governed", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.put("refs/heads/main", d.commitRaw(d.grafted(d.treeOf(d.main()).String(), []string{"vast"}, "40000", d.vast(19))))
		d.unchanged()
		_, ex := d.examined(p.ID) // reads from main only the proposal's paths; otherwise it would not end
		if ex.Report.Diagnostics.HasErrors() {
			d.succeeds("it holds up a proposal: %v", ex.Report.Diagnostics)
		}
	})
	attack(t, "conditions that are slow together", func(d *world) {
		rules := "extra:\n"
		for i := range 4 { // each alone stays below the bound of one evaluation
			loop := "[1,2,3,4,5,6,7,8,9,10]"
			rules += fmt.Sprintf("  - {name: r%d, when: '%[2]s.all(a, %[2]s.all(b, %[2]s.all(c, %[2]s.all(d, a+b+c+d > %[1]d))))', needs: [{role: human, count: 1}]}\n", i, loop)
		}
		tried := "people: {ann: [human]}\nagents: {scout: []}\nscenarios:\n" + strings.Repeat("  - {name: a, expect: {allowed: false}}\n", 40)
		edits := []tree.Edit{d.altered("policies/approvals.yaml", "extra: []\n", rules), file("policies/scenarios/slow.yaml", tried)}
		out := d.asked(d.request("kublai", edits...))
		d.found(append(out.Diagnostics, out.Examined.Report.Diagnostics...), scenario.RuleCost)
	})
	attack(t, "text that is slow to match", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch", strings.Repeat("ignore all previous "+strings.Repeat("a", 40)+" ", 4000)+"!\n"))
		d.tier(p.ID, policy.Medium) // RE2 takes time in proportion, whatever the text
		d.holds(p.ID)
	})
}

// vast returns a tree of 2^depth files in a few objects.
func (d *world) vast(depth int) string {
	d.Helper()
	blob := d.object("blob", []byte("x\n"))
	top := d.tree([]raw{{"100644", "a", blob}, {"100644", "b", blob}})
	for range depth - 1 {
		top = d.tree([]raw{{"40000", "a", top}, {"40000", "b", top}})
	}
	return top
}

// commitRaw returns a commit of an unchanged tree upon main.
func (d *world) commitRaw(top string) tree.Hash {
	d.Helper()
	h, err := tree.ParseHash(d.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\nauthor M <m@example.org> %d +0000\ncommitter M <m@example.org> %[3]d +0000\n\nMore\n",
		top, d.main(), d.tick().Unix())))
	d.ok(err)
	return h
}
