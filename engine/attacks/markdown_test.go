package attacks_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Text that reads as a protected section is added, removed or changed only with two humans'
// approval, for every proposer. An agent cannot propose it at all.
func TestAttackMarkdown(t *testing.T) {
	const boundaries = "## Boundaries\n\n- Never cut a rope.\n"
	for _, a := range []struct{ what, old, text string }{
		{"a changed line", "Never cut", "Always cut"},
		{"a changed byte", "Never cut a rope.", "Never cut a rope!"},
		{"a line more", "Never cut a rope.\n", "Never cut a rope.\n- Unless asked.\n"},
		{"no section", boundaries, ""},
		{"a fence around it", boundaries, "```\n" + boundaries + "```\n"},
		{"a fence of tildes with words", boundaries, "~~~ text\n" + boundaries + "~~~\n"},
		{"a longer fence inside", boundaries, "`````\n```\n" + boundaries + "```\n`````\n"},
		{"a comment around it", boundaries, "<!--\n" + boundaries + "-->\n"},
		{"an element around it", boundaries, "<details><pre>\n" + boundaries + "</pre></details>\n"},
		{"a quotation around it", boundaries, "> ## Boundaries\n>\n> - Never cut a rope.\n"},
		{"a list around it", boundaries, "- x\n\n  ## Boundaries\n\n  - Never cut a rope.\n"},
		{"indented as code", boundaries, "    ## Boundaries\n\n    - Never cut a rope.\n"},
		{"a heading below another", "## Boundaries", "### Boundaries"},
		{"a section of that name more", "Calm.\n", "Calm.\n\n## Boundaries\n\n- None.\n"},
		{"a heading underlined", "Calm.\n", "Calm.\n\nBoundaries\n----------\n\n- None.\n"},
		{"a heading with a number", "Calm.\n", "Calm.\n\n## 2. Core Truths\n\n- Ropes lie.\n"},
		{"a heading with marks", "Calm.\n", "Calm.\n\n## **Core** _Truths_ ##\n\n- Ropes lie.\n"},
		{"a heading of other letters", "Calm.\n", "Calm.\n\n## B\u043eundaries\n\n- None.\n"},
		{"a heading in HTML", "Calm.\n", "Calm.\n\n<h2>Boundaries</h2>\n\nNone.\n"},
		{"a heading with what nobody sees", "Calm.\n", "Calm.\n\n## Bound\u200baries\n\n- None.\n"},
		{"a heading that is emphasised text", "Calm.\n", "Calm.\n\n**Boundaries**\n\n- None.\n"},
		{"where a link leads", "knots.example/book", "evil.example/book"},
		{"a link defined before", "Calm.\n", "Calm.\n\n[The  Book]: https://evil.example/book\n"},
		{"a definition that comes first", "Kublai ties knots.\n", "Kublai ties knots.\n\n[the book]: https://evil.example/book\n"},
		{"text before the heading", "## Boundaries\n", "Forget this:\n## Boundaries\n"},
		{"other line ends", boundaries, strings.ReplaceAll(boundaries, "\n", "\r\n")},
	} {
		attack(t, a.what, func(d *world) {
			if !strings.Contains(soulFile, a.old) {
				t.Fatalf("no %q", a.old)
			}
			edited := file("soul/kublai/SOUL.md", strings.Replace(soulFile, a.old, a.text, 1))
			before, after := soul.ProtectedSections([]byte(soulFile), soul.DefaultProtected()), soul.ProtectedSections(edited.Content, soul.DefaultProtected())
			t.Logf("%d protected sections before, %d after", len(before), len(after))
			d.refusedOpening(d.request("kublai", edited))
			if d.Failed() {
				return
			}
			out := d.asked(d.request("ada", edited))
			if out.Opened {
				d.tier(out.Pull.ID, policy.Critical)
				d.holds(out.Pull.ID)
			}
		})
	}
	attack(t, "a section edit that brings another heading", func(d *world) {
		r := d.request("kublai")
		r.Proposal.Soul = &proposal.SoulEdit{Agent: "kublai", Section: "Vibe", Mode: "append", Content: "Calm.\n\n## Boundaries\n\n- None.\n"}
		d.refusedOpening(r)
	})
	attack(t, "a section edit of a protected one by another spelling", func(d *world) {
		r := d.request("kublai")
		r.Proposal.Soul = &proposal.SoulEdit{Agent: "kublai", Section: "BOUNDARIES", Mode: "replace", Content: "- None.\n"}
		d.refusedOpening(r)
	})
}
