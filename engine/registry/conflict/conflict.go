package conflict

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
)

// Skill is a skill in force.
type Skill struct {
	Name      string
	AppliesTo []string
	// Models and Implements are those of the record.
	Models     []string
	Implements string
	Agents     capability.Agents
	Body       string
}

// Clash is a pair of skills that demand opposite things.
type Clash struct {
	// A and B are names, A the lesser one.
	A, B string
	// Points are the contradictions, each once.
	Points []Point
}

// Point is one contradiction.
type Point struct {
	// Tool is set if one applies to this tool and the other forbids it; then only Forbids is set.
	Tool string
	// Demands and Forbids are the sentences, DemandedBy the skill with the former.
	Demands, Forbids Demand
	DemandedBy       string
}

// Find returns the clashes, one for each pair of skills, with all contradictions in the order of the sentences.
func Find(skills []Skill) (out []Clash) {
	type demand struct {
		by *Skill
		Demand
	}
	about := map[string][]demand{}
	var forbidding []demand
	for i := range skills {
		for _, d := range Demands(skills[i].Body) {
			about[d.About] = append(about[d.About], demand{&skills[i], d})
			if d.Forbids {
				forbidding = append(forbidding, demand{&skills[i], d})
			}
		}
	}
	type target struct {
		skill *Skill
		tool  string
	}
	applying := map[string][]target{} // by the words of the tool's name
	for i := range skills {
		for _, tool := range skills[i].AppliesTo {
			key := strings.Join(index.Terms(strings.ReplaceAll(names.Fold(tool), "-", " ")), " ")
			applying[key] = append(applying[key], target{&skills[i], tool})
		}
	}
	places := map[[2]string]int{}
	add := func(p Point, other string) {
		key := [2]string{min(p.DemandedBy, other), max(p.DemandedBy, other)}
		if key[0] == key[1] {
			return
		}
		at, known := places[key]
		if !known {
			at = len(out)
			places[key], out = at, append(out, Clash{A: key[0], B: key[1]})
		}
		if !slices.Contains(out[at].Points, p) {
			out[at].Points = append(out[at].Points, p)
		}
	}
	for _, no := range forbidding {
		for _, yes := range about[no.About] {
			if !yes.Forbids && together(yes.by, no.by) {
				add(Point{Demands: yes.Demand, Forbids: no.Demand, DemandedBy: yes.by.Name}, no.by.Name)
			}
		}
		object, forbidsUse := used(no.Demand)
		if !forbidsUse {
			continue
		}
		for _, s := range applying[object] {
			if s.skill != no.by && admitted(s.skill, no.by) && !apart(s.skill, no.by) {
				add(Point{Tool: s.tool, Forbids: no.Demand, DemandedBy: s.skill.Name}, no.by.Name)
			}
		}
	}
	for _, c := range out {
		order.Stable(c.Points, func(a, b Point) int {
			return cmp.Or(strings.Compare(a.DemandedBy, b.DemandedBy), cmp.Compare(a.Demands.Line, b.Demands.Line), cmp.Compare(a.Forbids.Line, b.Forbids.Line), strings.Compare(a.Tool, b.Tool))
		})
	}
	order.Stable(out, func(a, b Clash) int { return strings.Compare(a.A+"\x00"+a.B, b.A+"\x00"+b.B) })
	return out
}

// together reports whether two skills may serve one agent for one purpose: not if each applies to
// other tools only.
func together(a, b *Skill) bool {
	if len(a.AppliesTo) > 0 && len(b.AppliesTo) > 0 && !slices.ContainsFunc(a.AppliesTo, func(n string) bool {
		return slices.ContainsFunc(b.AppliesTo, func(m string) bool { return names.Fold(n) == names.Fold(m) })
	}) {
		return false
	}
	return a != b && admitted(a, b) && !apart(a, b)
}

// apart reports whether no model gets both skills: they are for different models, or one is a variant of the other.
func apart(a, b *Skill) bool {
	some := len(a.Models) > 0 && names.Fold(a.Implements) == b.Name || len(b.Models) > 0 && names.Fold(b.Implements) == a.Name
	return some || !capability.ShareModel(a.Models, b.Models)
}

// admitted reports whether one agent may use both.
func admitted(a, b *Skill) bool {
	return len(a.Agents.Allow) == 0 || len(b.Agents.Allow) == 0 || slices.ContainsFunc(a.Agents.Allow, b.Agents.Admits)
}

// used returns the words of what a demand is about if it is about the use of one thing and nothing else.
func used(d Demand) (object string, ok bool) {
	words := strings.Fields(d.About)
	at := slices.IndexFunc(words, func(w string) bool {
		return slices.Contains([]string{"call", "run", "invok", "use", "load", "execut"}, w)
	})
	if at < 0 {
		return "", false
	}
	return strings.Join(slices.Delete(words, at, at+1), " "), true
}
