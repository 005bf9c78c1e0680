package gc

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/conflict"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
)

// dispute is a conflict of two skills.
type dispute struct {
	a, b index.Entry
	// lines are the evidence. marks are those by which it is known again: the sentences, and the contents with
	// which missions end worse.
	lines, marks []string
}

// conflicts offers to settle each conflict of two active skills: demands that contradict each other, or
// missions that end worse with both than with either alone. A pair has one offer, with all that speaks for it.
func conflicts(_ context.Context, cur workspace.Session, o observed) ([]offer, error) {
	var skills []conflict.Skill
	active, entries := map[string]bool{}, map[string]index.Entry{}
	for _, e := range o.all {
		if e.Kind != capability.KindSkill || e.Status != capability.Active {
			continue
		}
		c, _, err := capability.Glance(cur.View, e.Folder)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Path, err)
		}
		name := names.Fold(e.Name)
		active[name], entries[name] = true, e
		skills = append(skills, conflict.Skill{Name: name, AppliesTo: e.AppliesTo, Models: e.Models, Implements: e.Implements, Agents: e.Agents, Body: c.Skill.Body})
	}
	var found []*dispute
	of := map[[2]string]*dispute{}
	between := func(a, b string) *dispute {
		if of[[2]string{a, b}] == nil {
			d := &dispute{a: entries[a], b: entries[b]}
			of[[2]string{a, b}], found = d, append(found, d)
		}
		return of[[2]string{a, b}]
	}
	for _, c := range conflict.Find(skills) {
		between(c.A, c.B).contradict(c)
	}
	for _, j := range trial.Joints(active, o.missions) {
		between(j.A, j.B).interfere(j, o.installations)
	}
	var out []offer
	for _, d := range found {
		out = append(out, d.offer(cur, o))
	}
	return out, nil
}

// mostPoints bounds the contradictions that a proposal quotes.
const mostPoints = 20

// contradict adds the sentences that contradict each other.
func (d *dispute) contradict(c conflict.Clash) {
	for i, p := range c.Points {
		if i == mostPoints {
			d.lines = append(d.lines, fmt.Sprintf("There are %d more contradictions.", len(c.Points)-i))
			break
		}
		demands, forbids := d.a, d.b
		if p.DemandedBy == c.B {
			demands, forbids = d.b, d.a
		}
		line := fmt.Sprintf("%s demands %q, and %s forbids it: %q", demands.Path, shortened(p.Demands.Text), forbids.Path, shortened(p.Forbids.Text))
		if p.Tool != "" {
			line = fmt.Sprintf("%s applies to %s, and %s forbids its use: %q", demands.Path, p.Tool, forbids.Path, shortened(p.Forbids.Text))
		}
		d.lines, d.marks = append(d.lines, line), append(d.marks, line)
	}
}

// interfere adds what missions show. It is known again while both skills stay as they are.
func (d *dispute) interfere(j trial.Joint, by installations) {
	line := func(alone string, c trial.Contrast) string {
		return fmt.Sprintf("Of %d pairs of missions with both and with %s alone, %d ended worse with both and %d better (e-value %.4g; %d is proof, as %d pairs of skills were tested).", c.Pairs, alone, c.Worse, c.Better, c.E, trial.Proven*j.Pairs, j.Pairs)
	}
	mark := "Missions with both end worse: " + d.content()
	d.lines = append(d.lines, mark+".", line(j.A, j.OverA), line(j.B, j.OverB))
	d.lines = append(d.lines, by.pairs(j.OverA.Shown, "With both", "With "+j.A+" alone")...)
	d.lines = append(d.lines, by.pairs(j.OverB.Shown, "With both", "With "+j.B+" alone")...)
	d.marks = append(d.marks, mark)
}

// content names the contents of both skills.
func (d dispute) content() string {
	return fmt.Sprintf("%s (%s) and %s (%s)", d.a.Path, d.a.Tree.Short(), d.b.Path, d.b.Tree.Short())
}

// shortened is the beginning of a sentence.
func shortened(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// between is the offer about two skills, by their folders, without the means to open it.
func between(workspaceID, a, b string) offer {
	low, high := min(a, b), max(a, b)
	return offer{
		Finding: propose.Finding{Title: "conflict " + capability.FolderOf(low).Name, Key: []string{"conflict", workspaceID, low, high}, Is: propose.Removes(low, high)},
		subject: low + "\x00" + high,
		again:   "the same conflict was settled by this proposal before",
	}
}

// offer proposes to reword, limit or drop the skill that missions speak against or that is newer, or, if
// something needs that, the other. Both the title and the text say which, and why.
func (d dispute) offer(cur workspace.Session, o observed) offer {
	of := between(cur.ID(), d.a.Path, d.b.Path)
	of.Result = Result{Kind: Conflict, Capability: d.b.Name, Other: d.a.Name, Path: d.b.Path}
	of.marks, of.content = d.marks, d.content()
	of.ways = func(id string) (out []request, err error) {
		q, err := d.question(cur, o)
		if err != nil {
			return nil, err
		}
		for range 2 {
			w := request{Capability: q.drop.Name, Other: q.stay.Name, Path: q.drop.Path, evidence: append(q.intro(), d.lines...)}
			c := candidate{Entry: q.drop.Entry}
			if c.needed(o.all); len(c.kept) > 0 {
				w.against = []string{q.drop.Name + " stays: " + strings.Join(c.kept, "; ")}
			} else if w.Request, err = q.request(cur, id); err != nil {
				return nil, err
			}
			out, q = append(out, w), q.otherwise(c.kept)
		}
		return out, nil
	}
	return of
}
