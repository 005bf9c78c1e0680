package policy

import (
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/base/condition"
	"github.com/assent-dev/assent/engine/format/provenance"
)

// known are the facts of one judgement as conditions see them. Each value is made when it is first
// asked for.
type known struct {
	p      Policies
	f      Facts
	risk   Risk
	values map[string]any
	// kind is the kind for which a condition is tried; kindRead is set once it was asked for.
	kind     string
	kindRead bool
}

func newKnown(p Policies, f Facts, risk Risk) *known {
	return &known{p: p, f: f, risk: risk, kind: f.Kind, values: map[string]any{}}
}

// Known returns the facts of a proposal under the names that conditions have for them. Lists are
// never nil.
func Known(p Policies, f Facts) map[string]any {
	k := newKnown(p, f, DeriveRisk(p, f))
	out := map[string]any{}
	for _, fact := range facts().all {
		out[fact.Name] = fact.of(k)
	}
	return out
}

// Fact implements condition.Facts.
func (k *known) Fact(name string) any {
	if name == "kind" {
		k.kindRead = true
		return k.kind
	}
	if v, ok := k.values[name]; ok {
		return v
	}
	all := facts().all
	i := slices.IndexFunc(all, func(f fact) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	k.values[name] = all[i].of(k)
	return k.values[name]
}

func changedPaths(facts condition.Facts) []PathChange {
	if k, ok := facts.(*known); ok {
		return k.f.reached()
	}
	return nil
}

func (k *known) capabilities() []Capability {
	out := slices.Clone(k.f.Capabilities)
	for i := range out {
		out[i].Class = classOf(k.p.Security, out[i])
	}
	return out
}

func (k *known) soul() []SoulEdit {
	out := slices.Clone(k.f.Soul)
	for i := range out {
		out[i].Protected = out[i].Protected || k.p.Security.Protects(out[i].Section)
	}
	return out
}

func (k *known) reasons() []reasonFact {
	var out []reasonFact
	for _, r := range k.risk.Reasons {
		out = append(out, reasonFact{Rule: r.Rule, Tier: r.Tier, Why: r.Why, File: r.Pos.File})
	}
	return out
}

func (k *known) findings() []findingFact {
	var out []findingFact
	for _, d := range k.f.Findings {
		confidence := d.Confidence
		if confidence == 0 {
			confidence = 1
		}
		out = append(out, findingFact{Rule: d.Rule, Severity: d.Severity, File: d.File, Line: d.Line, Confidence: confidence})
	}
	return out
}

func (k *known) opinions() []opinionFact {
	var out []opinionFact
	for _, o := range k.f.currentOpinions() {
		out = append(out, opinionFact{Asked: o.Asked, Verdict: o.Weight(), Reason: o.Reason, Findings: len(o.Findings)})
	}
	return out
}

// ways are the ways of its origins, each once.
func (p Provenance) ways() []provenance.Way {
	var out []provenance.Way
	for _, o := range p.Origins {
		if !slices.Contains(out, o.Way) {
			out = append(out, o.Way)
		}
	}
	return out
}

// fact describes an actor as far as the roles know it.
func (r Roles) fact(a Actor) identityFact {
	id, proven := r.Proven(a)
	if !proven {
		if names := r.Possible(a); len(names) == 1 {
			id, _ = r.ByName(names[0])
		}
	}
	out := identityFact{Name: id.Name, Kind: "agent", Proven: proven, Roles: r.rolesOf(id.Name)}
	switch {
	case id.Name == "":
		out.Name, out.Kind = a.Name, "unknown"
	case id.Kind == KindHuman:
		out.Kind = "human"
	}
	return out
}

func (r Roles) rolesOf(name string) []string {
	var out []string
	for _, role := range KnownRoles() {
		if slices.Contains(r.members[role], name) {
			out = append(out, role)
		}
	}
	return out
}

// possible names every identity that one of the actors may be, sorted.
func (r Roles) possible(actors []Actor) []string {
	set := map[string]bool{}
	for _, a := range actors {
		for _, name := range r.Possible(a) {
			set[name] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}
