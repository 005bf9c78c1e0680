package gc_test

import (
	"fmt"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/workspace/archive"
)

// away archives skills.
func (p *place) away(id string, names ...string) {
	p.Helper()
	w, err := p.On(nil)
	p.OK(err)
	var edits []tree.Edit
	for _, n := range names {
		edits = append(edits, tree.Edit{Path: "skills/" + n + "/SKILL.md", Remove: true}, tree.Edit{Path: "skills/" + n + "/capability.yaml", Remove: true})
	}
	out, err := propose.Open(p.Context(), w, propose.Request{
		Proposal: proposal.Proposal{ID: id, Goal: "archive it"}, By: forge.Actor{Name: "ada"}, Author: gitstore.Person{Name: "ada", Email: "ada@example.org", When: p.Clock}, Edits: edits,
	})
	p.OK(err)
	if !out.Opened {
		p.Fatalf("%v", out.Diagnostics)
	}
	p.merge(id)
}

// TestManyArchived: of more archived capabilities than are read at once, those that share words with a request are found, with
// and without what is remembered of them, and gc looks at all.
func TestManyArchived(t *testing.T) {
	edits, fillers := idleWorld(skill("sheepshank", "Shortens a hawser.", "")), []string{}
	for i := range 110 {
		n := fmt.Sprintf("filler-%c%c", 'a'+i/26, 'a'+i%26)
		fillers, edits = append(fillers, n), append(edits, skill(n, fmt.Sprintf("Number %d, then %d.", i, i*i), "")...)
	}
	p := begin(t, edits)
	p.away("archive-a-aaaaaa22", "sheepshank")
	for i, group := range [][]string{fillers[:55], fillers[55:]} {
		p.away(fmt.Sprintf("archive-b-aaaaaa2%d", 2+i), group...)
	}
	for range 2 {
		w, err := p.On(nil)
		p.OK(err)
		cur, err := w.Session(p.Context())
		p.OK(err)
		if all, _, err := archive.All(p.Context(), cur); err != nil || len(all) != 111 {
			t.Errorf("%d of 111, %v", len(all), err)
		}
		here, err := discover.Open(p.Context(), cur)
		p.OK(err)
		old, err := here.Archive(p.Context(), "shorten hawsers")
		p.OK(err)
		if found, err := old.Find(discover.Request{Words: "shorten hawsers"}); err != nil || len(found) == 0 || found[0].Name != "sheepshank" || !old.Some {
			t.Errorf("%v, %v", found, err)
		}
		old, err = here.Archive(p.Context(), "bake bread")
		p.OK(err)
		if found, err := old.Named("sheepshank", discover.Request{}); err != nil || found != nil {
			t.Errorf("all are read for each request: %+v, %v", found, err)
		}
	}
}

// TestArchivedAgain: of several proposals that archived a name on one day, the one merged last counts, whatever their ids are.
func TestArchivedAgain(t *testing.T) {
	for _, ids := range [][2]string{{"archive-knot-zzzzzz22", "archive-knot-aaaaaa22"}, {"archive-knot-aaaaaa22", "archive-knot-zzzzzz22"}} {
		p := begin(t, idleWorld(skill("hitch", "OLD", "")))
		p.away(ids[0], "hitch")
		p.bring("the hitch again", skill("hitch", "NEW", "")...)
		p.away(ids[1], "hitch")
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
