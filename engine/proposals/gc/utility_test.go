package gc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// missions records ended missions that were linked with these capabilities.
func (p *place) missions(n int, o trial.Outcome, names ...string) {
	p.Helper()
	w, err := p.On(nil)
	p.OK(err)
	cur, err := w.Session(p.Context())
	p.OK(err)
	var all []trial.Observation
	for i := range n {
		m := fmt.Sprintf("m-%d-%d-%s", p.Clock.Unix(), i, o)
		for _, name := range names {
			use := trial.Observation{At: p.Clock.Truncate(time.Second), Capability: name, Mission: m, Tokens: 50}
			verdict := use
			verdict.Source, verdict.Outcome, verdict.Tokens = trial.Human, o, 0
			all = append(all, trial.LinkOf(use), verdict)
		}
	}
	_, err = triallog.New(w.Repo, cur.ID(), func() time.Time { return p.Clock }).Record(p.Context(), all...)
	p.OK(err)
}

// knots returns capabilities made by an agent, with a limit of how many there may be, and how many
// missions may pass without one.
func knots(limit, unlinked int, names ...string) []tree.Edit {
	var out, learned = []tree.Edit{}, "# Scout\n\n## Learned Capabilities\n"
	for i, name := range names {
		out = append(out, skill(name, []string{"Make an eye, bring the end up through it, around behind, and down again.", "Wind it round the pole twice, the second time crosswise."}[i], "")...)
		learned += "\n### Capability: " + name + "\n**Learned**: 2026-01-01 · **Status**: active · **Verified By**: assent\n\n**Description**: Says how a rope is tied. Use when a rope has to hold.\n\n**Usage**:\nLoad the skill " + name + " and follow it.\n"
	}
	return append(out,
		tree.Edit{Path: "soul/scout/SOUL.md", Content: []byte(learned)},
		tree.Edit{Path: "policies/limits.yaml", Content: fmt.Appendf(nil, "synthesised_per_workspace: %d\n", limit)},
		tree.Edit{Path: "policies/retention.yaml", Content: fmt.Appendf(nil, "missions_unlinked: %d\n", unlinked)},
	)
}

// outdatedKnot is a capability that an agent made, and that is not active any more.
func outdatedKnot(status string) []tree.Edit {
	return append(skill("sheet-bend", "Pass it under, and back over itself.", "status: "+status+"\n"), tree.Edit{
		Path: "policies/retention.yaml", Content: []byte("deprecated: 30d\n"),
	}, tree.Edit{
		Path:    "soul/smith/SOUL.md",
		Content: []byte("# Smith\n\n## Learned Capabilities\n\n### Capability: sheet-bend\n**Learned**: 2026-01-01 · **Status**: active · **Verified By**: assent\n\n**Description**: Says how a rope is tied. Use when a rope has to hold.\n\n**Usage**:\nLoad the skill sheet-bend and follow it.\n"),
	})
}

// TestLow: missions propose to archive what they end worse with, what so many did not link, and, once
// agents made as many as they may, the one with the lowest utility that nothing keeps. Each says why.
func TestLow(t *testing.T) {
	for _, c := range []struct {
		name     string
		edits    []tree.Edit
		missions func(*place)
		want     string // the capability that is proposed, and words of its evidence; "" for none
	}{
		{"no mission", knots(3, 1000, "bowline", "clove"), func(*place) {}, ""},
		{"the cap, no mission", knots(2, 1000, "bowline", "clove"), func(*place) {}, "bowline: no use was ever recorded"},
		{"the cap, no mission, one is used", knots(2, 1000, "bowline", "clove"), func(p *place) { p.record("bowline", trial.Loaded) }, "clove: no use was ever recorded"},
		{"the cap, no mission, one changed later", knots(2, 1000, "bowline", "clove"), func(p *place) {
			p.bring("say more", tree.Edit{Path: "skills/bowline/SKILL.md", Content: skill("bowline", "Make an eye. The end goes through it, round, and down again.", "")[0].Content},
				tree.Edit{Path: "skills/bowline/capability.yaml", Content: []byte("kind: skill\nversion: 1.0.1\n")})
			p.Clock = p.Clock.Add(40 * 24 * time.Hour)
		}, "clove: no use was ever recorded"},
		{"the cap, no mission, with a deprecated one", append(knots(3, 1000, "bowline", "clove"), outdatedKnot("deprecated")...), func(p *place) { p.record("sheet-bend", trial.Loaded) }, "sheet-bend: goes first: it is deprecated"},
		{"below the cap", knots(3, 1000, "bowline", "clove"), func(p *place) { p.missions(5, trial.Success, "bowline") }, ""},
		{"the cap", knots(2, 1000, "bowline", "clove"), func(p *place) { p.missions(5, trial.Success, "bowline") }, "bowline: the lowest utility"},
		{"the cap, with a deprecated one", append(knots(3, 1000, "bowline", "clove"), outdatedKnot("deprecated")...), func(p *place) { p.missions(5, trial.Success, "bowline") }, "sheet-bend: goes first: it is deprecated"},
		{"the cap, with a deprecated one that is needed", slices.Concat(knots(3, 1000, "bowline", "clove"), outdatedKnot("deprecated"), skill("moor", "Tie up.", "applies_to: [sheet-bend]\n")), func(p *place) { p.missions(5, trial.Success, "bowline") }, "bowline: the lowest utility"},
		{"below the cap, with a deprecated one", append(knots(4, 1000, "bowline", "clove"), outdatedKnot("deprecated")...), func(p *place) { p.missions(5, trial.Success, "bowline") }, ""},
		{"the cap, with a retired one that goes", append(knots(3, 1000, "bowline", "clove"), outdatedKnot("retired")...), func(p *place) { p.missions(5, trial.Success, "bowline") }, "sheet-bend: is retired"},
		{"the cap, the lowest is needed", append(knots(2, 1000, "bowline", "clove"), skill("moor", "Tie up.", "requires: {capabilities: [bowline]}\n")...), func(p *place) { p.missions(5, trial.Success, "bowline") }, "clove: the lowest utility"},
		{"the cap, lift decides", knots(2, 1000, "bowline", "clove"), func(p *place) {
			p.missions(20, trial.Failure, "clove")
			p.missions(20, trial.Success, "bowline")
		}, "clove: lift -"},
		{"harmful", knots(20, 1000, "bowline", "clove"), func(p *place) {
			p.missions(20, trial.Failure, "clove")
			p.missions(20, trial.Success, "bowline")
		}, "clove: ended worse with it"},
		{"unlinked", knots(20, 30, "bowline", "clove"), func(p *place) { p.missions(31, trial.Success, "bowline") }, "clove: None of the last 30 missions"},
		{"not unlinked long enough", knots(20, 32, "bowline", "clove"), func(p *place) { p.missions(31, trial.Success, "bowline") }, ""},
		{"unlinked, and used elsewhere", knots(20, 30, "bowline", "clove"), func(p *place) {
			p.missions(31, trial.Success, "bowline")
			p.record("clove", trial.Loaded)
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := begin(t, last(c.edits))
			c.missions(p)
			var proposed []string
			for _, r := range p.collect() {
				if r.Outcome == gc.Proposed {
					proposed = append(proposed, r.Capability+": "+strings.Join(r.Reasons, "\n"))
				}
			}
			name, words, _ := strings.Cut(c.want, ": ")
			switch {
			case c.want == "" && len(proposed) == 0:
			case c.want == "" || len(proposed) != 1 || !strings.HasPrefix(proposed[0], name+": ") || !strings.Contains(proposed[0], words):
				t.Errorf("%q, want %s", proposed, c.want)
			}
			before := len(p.Pulls())
			if p.collect(); len(p.Pulls()) != before {
				t.Errorf("collected again: %d proposals after %d", len(p.Pulls()), before)
			}
		})
	}
}

// TestOpenFirst: an open proposal frees the place of the cap, so that no second one is proposed when
// another capability has become the lowest; nor is one if another goes because it is harmful.
func TestOpenFirst(t *testing.T) {
	p := begin(t, last(knots(2, 1000, "bowline", "clove")))
	p.missions(5, trial.Success, "bowline")
	first := p.collect()
	if len(first) != 1 || first[0].Capability != "bowline" {
		t.Fatalf("%+v", first)
	}
	p.Clock = p.Clock.Add(time.Hour)
	p.missions(20, trial.Partial, "clove") // costs tokens, and is now the lowest
	if got := p.collect(); len(got) != 1 || got[0].Capability != "bowline" || got[0].Outcome != gc.Open || len(p.Pulls()) != 1 {
		t.Errorf("%+v", got)
	}

	p = begin(t, last(knots(2, 1000, "bowline", "clove")))
	p.missions(20, trial.Failure, "clove")
	p.missions(20, trial.Success, "bowline")
	if got := p.collect(); len(got) != 1 || got[0].Capability != "clove" || got[0].Outcome != gc.Proposed {
		t.Errorf("%+v", got)
	}
}

// TestPlacesAtTheCap: of several that go at the cap, only the one with the lowest utility is called so; the others say
// their place.
func TestPlacesAtTheCap(t *testing.T) {
	p := begin(t, last(append(knots(2, 1000, "bowline", "clove"), outdatedKnot("active")...)))
	p.missions(5, trial.Success, "bowline")
	var got []string
	for _, r := range p.collect() {
		got = append(got, r.Capability+" "+strings.Join(r.Reasons, "\n"))
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], "bowline ") || !strings.Contains(got[0], "made 3 capabilities, limits.yaml admits 2, and this one has the lowest utility") ||
		strings.Contains(got[1], "lowest utility of") || !strings.Contains(got[1], "this one is number 2 of those that nothing keeps") {
		t.Errorf("%q", got)
	}
}

// TestBackAtTheCap: what gc archived comes back although other capabilities took its place. The next run proposes as
// many others as are too many.
func TestBackAtTheCap(t *testing.T) {
	p := begin(t, last(append(knots(3, 1000, "bowline", "clove"), outdatedKnot("active")...)))
	archived := p.collect()
	if len(archived) != 1 || archived[0].Capability != "bowline" {
		t.Fatalf("%+v", archived)
	}
	p.merge(archived[0].Proposal)
	p.bring("a hitch", skill("half-hitch", "Pass it round once.", "")...)
	w, err := p.On(nil)
	p.OK(err)
	cur, err := w.Session(t.Context())
	p.OK(err)
	r, _, err := propose.Undo(cur, p.pull(archived[0].Proposal))
	p.OK(err)
	r.By, r.Author = forge.Actor{Name: "ada"}, gitstore.Person{Name: "ada", Email: "ada@example.com", When: p.Clock}
	out, err := propose.Open(t.Context(), w, r)
	p.OK(err)
	p.merge(out.Pull.ID)
	p.Clock = p.Clock.Add(40 * 24 * time.Hour)
	var got []string
	for _, r := range p.collect() {
		got = append(got, r.Capability+" "+r.Outcome)
	}
	if want := []string{"clove proposed", "sheet-bend proposed"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUnreadAtTheCap: where missions cannot be read, the cap proposes nothing, and that is said.
func TestUnreadAtTheCap(t *testing.T) {
	writer := trial.Writer(strings.Repeat("ab", 20))
	p := begin(t, last(append(knots(2, 1000, "bowline", "clove"), tree.Edit{Path: "policies/retention.yaml", Content: []byte("trials: {writers: {harbour: " + string(writer) + "}}\n")})))
	w, err := p.On(nil)
	p.OK(err)
	cur, err := w.Session(t.Context())
	p.OK(err)
	p.OK(w.Repo.Update(gitstore.RefUpdate{Name: triallog.Ref(writer), New: cur.Main}))
	got := p.collect()
	if len(got) != 1 || got[0].Outcome != gc.Unread || got[0].Path != policy.LimitsFile || len(got[0].Reasons) != 1 || !strings.Contains(got[0].Reasons[0], string(writer)) {
		t.Errorf("%+v", got)
	}
}

// TestUseless: what missions show to change nothing is proposed without a cap.
func TestUseless(t *testing.T) {
	p := begin(t, last(append(knots(20, 1000, "bowline", "clove"), skill("moor", "Tie up.", "")...)))
	for range 25 { // as often better as worse
		for _, o := range [][2]trial.Outcome{{trial.Success, trial.Failure}, {trial.Failure, trial.Success}} {
			p.missions(1, o[0], "moor")
			p.Clock = p.Clock.Add(time.Hour)
			p.missions(1, o[1], "clove", "moor")
			p.Clock = p.Clock.Add(time.Hour)
		}
	}
	got := p.collect()
	if len(got) != 1 || got[0].Capability != "clove" || got[0].Outcome != gc.Proposed || !strings.Contains(strings.Join(got[0].Reasons, "\n"), "is excluded by") {
		t.Errorf("%+v", got)
	}
}

// TestStrangersMeasureNothing: missions of an installation that is not listed change no utility.
func TestStrangersMeasureNothing(t *testing.T) {
	p := begin(t, last(knots(20, 1000, "bowline", "clove")))
	p.missions(20, trial.Failure, "clove")
	w, err := p.On(nil)
	p.OK(err)
	cur, err := w.Session(p.Context())
	p.OK(err)
	all, err := cur.Capabilities.Entries(func(e index.Entry) bool { return e.Name == "clove" })
	p.OK(err)
	log := triallog.New(w.Repo, cur.ID(), func() time.Time { return p.Clock })
	p.OK(log.Commit(t.Context()))
	if u, _, err := gc.Utilities(cur, all); err != nil || u[0].With != 20 {
		t.Fatalf("%+v, %v", u, err)
	}
	p.forgetKey(w.Repo.CommonDir())
	if u, _, err := gc.Utilities(cur, all); err != nil || u[0].With != 0 || u[0].Missions != 0 {
		t.Errorf("%+v, %v", u, err)
	}
}

// forgetKey makes this installation another one, and its journal a stranger's.
func (p *place) forgetKey(dir string) {
	p.Helper()
	p.OK(os.Remove(filepath.Join(dir, "assent", "trials", "key")))
}

// TestWitnesses: the evidence names missions with and without the capability, how they ended, and which installation
// and source said so; those that a text is kept of with its beginning.
func TestWitnesses(t *testing.T) {
	p := begin(t, last(append(knots(20, 1000, "bowline", "clove"), tree.Edit{Path: "policies/retention.yaml", Content: []byte("trials: {writers: {harbour: " + strings.Repeat("ab", 20) + "}}\n")})))
	p.missions(20, trial.Failure, "clove")
	p.missions(20, trial.Success, "bowline")
	got := p.collect()
	if len(got) != 1 || got[0].Outcome != gc.Proposed {
		t.Fatalf("%+v", got)
	}
	w, err := p.On(nil)
	p.OK(err)
	cur, err := w.Session(t.Context())
	p.OK(err)
	own, err := triallog.New(w.Repo, cur.ID(), func() time.Time { return p.Clock }).Own()
	p.OK(err)
	for _, want := range []string{"With it: m-", "failure by a person on installation " + string(own)[:10], "Without it: m-", "success by a person", "40 by a person on installation "} {
		if !strings.Contains(strings.Join(got[0].Reasons, "\n"), want) || !strings.Contains(p.pull(got[0].Proposal).Body, want) {
			t.Errorf("lacks %q: %s", want, strings.Join(got[0].Reasons, "\n"))
		}
	}
	if n := strings.Count(strings.Join(got[0].Reasons, "\n"), "With it: "); n != 5 {
		t.Errorf("%d pairs", n)
	}
}
