package gc_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/archive"
)

// TestArchivedAgain: of several proposals that archived a name on one day, the one merged last counts, whatever their ids are.
func TestArchivedAgain(t *testing.T) {
	for _, ids := range [][2]string{{"archive-knot-zzzzzz22", "archive-knot-aaaaaa22"}, {"archive-knot-aaaaaa22", "archive-knot-zzzzzz22"}} {
		p := begin(t, idleWorld(skill("hitch", "OLD", "")))
		away := func(id string) {
			w, err := p.On(nil)
			p.OK(err)
			out, err := propose.Open(p.Context(), w, propose.Request{
				Proposal: proposal.Proposal{ID: id, Goal: "archive the hitch"}, By: forge.Actor{Name: "ada"}, Author: gitstore.Person{Name: "ada", Email: "ada@example.org", When: p.Clock},
				Edits: []tree.Edit{{Path: "skills/hitch/SKILL.md", Remove: true}, {Path: "skills/hitch/capability.yaml", Remove: true}},
			})
			p.OK(err)
			if !out.Opened {
				p.Fatalf("%v", out.Diagnostics)
			}
			p.merge(id)
		}
		away(ids[0])
		p.bring("the hitch again", skill("hitch", "NEW", "")...)
		away(ids[1])
		p.bring("something else", skill("bend", "Else.", "")...)
		w, err := p.On(nil)
		p.OK(err)
		cur, err := w.Session(p.Context())
		p.OK(err)
		r, ok, err := archive.Of(cur, "hitch")
		if all, more := archive.Records(cur); err != nil || more != nil || !ok || r.Proposal != ids[1] || len(all) != 1 || all[0] != r {
			t.Errorf("%s: %+v, %v, %v; %v", ids, r, ok, err, all)
		}
		if ok {
			old, found, err := r.Open(p.Context(), cur)
			p.OK(err)
			if text, err := old.Before.Read("skills/hitch/SKILL.md"); err != nil || !found || string(text) != string(skill("hitch", "NEW", "")[0].Content) {
				t.Errorf("%s, %v, %v", text, found, err)
			}
		}
	}
}
