package policy

import (
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/base/condition"
	"github.com/assent-dev/assent/engine/base/diag"
)

// known are the facts of one judgement as conditions see them. Each is built when
// it is first asked for.
type known struct {
	p      Policies
	f      Facts
	risk   Risk
	values map[string]any
}

func newKnown(p Policies, f Facts, risk Risk) *known {
	return &known{p: p, f: f, risk: risk, values: map[string]any{}}
}

// Known returns the facts of a proposal under the names that conditions have for
// them, with lists where they are empty.
func Known(p Policies, f Facts) map[string]any {
	k := newKnown(p, f, DeriveRisk(p, f))
	out := map[string]any{}
	for _, fact := range FactNames() {
		out[fact.Name] = k.Fact(fact.Name)
	}
	return out
}

// Fact implements condition.Facts.
func (k *known) Fact(name string) any {
	v, ok := k.values[name]
	if !ok {
		v = k.build(name)
		k.values[name] = v
	}
	return v
}

func changedPaths(facts condition.Facts) []PathChange {
	if k, ok := facts.(*known); ok {
		return k.f.Paths
	}
	return nil
}

func (k *known) build(name string) any {
	for _, part := range []func(string) any{k.identity, k.derived, k.change, k.lists, k.evidence, k.situation} {
		if v := part(name); v != nil {
			return v
		}
	}
	return nil
}

// identity are the facts about who.
func (k *known) identity(name string) any {
	switch name {
	case "id":
		return k.f.ID
	case "kind":
		return k.f.Kind
	case "agent":
		return k.f.Agent
	case "requester":
		return k.f.For
	case "proposer":
		return k.p.Roles.object(k.f.Proposer)
	case "authors":
		return k.p.Roles.possible(k.f.Authors)
	case "pushers":
		return k.p.Roles.possible(k.f.Pushers)
	case "sessions":
		return k.p.Roles.possible(k.f.Sessions)
	case "origins":
		ways := []string{}
		for _, o := range k.f.Provenance.Origins {
			if !slices.Contains(ways, string(o.Way)) {
				ways = append(ways, string(o.Way))
			}
		}
		return ways
	case "outside":
		return texts(k.f.Provenance.Outside())
	case "unknown":
		return texts(k.f.Provenance.Unknown())
	case "tools":
		return texts(k.f.Provenance.Tools)
	case "pushers_known":
		return k.f.PushersKnown
	case "open_by_agent":
		return k.f.OpenByAgent
	case "labels":
		return texts(k.f.Labels)
	}
	return nil
}

// derived are the facts that follow from others.
func (k *known) derived(name string) any {
	switch name {
	case "risk":
		return k.risk.Tier.String()
	case "risk_reasons":
		return objects(k.risk.Reasons, func(r Reason) map[string]any {
			return map[string]any{"rule": r.Rule, "tier": r.Tier.String(), "why": r.Why, "file": r.Pos.File}
		})
	case "class":
		return k.risk.Class.String()
	case "mode":
		mode, _ := modeOf(k.p, k.f, k.risk)
		return string(mode)
	}
	return nil
}

// change are the facts about what changes.
func (k *known) change(name string) any {
	switch name {
	case "paths":
		return objects(k.f.Paths, func(p PathChange) map[string]any {
			return map[string]any{"path": p.Path, "op": string(p.Op), "size": p.Size}
		})
	case "files":
		return len(k.f.Paths)
	case "size":
		return k.f.Bytes
	case "capabilities":
		return objects(k.f.Capabilities, k.capability)
	case "soul":
		return objects(k.f.Soul, func(s SoulEdit) map[string]any {
			protected := s.Protected || k.p.Security.Protects(s.Section)
			return map[string]any{"agent": s.Agent, "section": s.Section, "mode": s.Mode, "protected": protected, "identity": s.Identity, "chars": s.Chars, "engine": s.Engine}
		})
	case "learned":
		out := map[string]int{}
		maps.Copy(out, k.f.Learned)
		return out
	case "synthesised":
		return k.f.Synthesised
	case "executable":
		return slices.ContainsFunc(k.f.Capabilities, func(c Capability) bool { return c.Executable && c.Op != Removed })
	}
	return nil
}

func (k *known) capability(c Capability) map[string]any {
	declared := ""
	if c.DeclaredRisk != UnknownTier {
		declared = c.DeclaredRisk.String()
	}
	return map[string]any{
		"name": c.Name, "path": c.Path, "op": string(c.Op), "kind": c.Kind, "executable": c.Executable, "same_code": c.SameCode, "class": classOf(k.p.Security, c).String(),
		"status": c.Status, "was_status": c.WasStatus, "category": c.Category, "description": c.Description, "declared_risk": declared,
		"cost_per_use": c.CostPerUse, "currency": c.Currency, "secrets": texts(c.Secrets), "hosts": texts(c.Hosts),
		"side_effects": texts(c.SideEffects), "permissions": texts(c.Permissions), "chars": c.Chars, "chars_removed": c.CharsRemoved,
	}
}

// lists are what all capabilities ask for together.
func (k *known) lists(name string) any {
	var of func(Capability) []string
	switch name {
	case "hosts":
		of = func(c Capability) []string { return c.Hosts }
	case "secrets":
		of = func(c Capability) []string { return c.Secrets }
	case "side_effects":
		of = func(c Capability) []string { return c.SideEffects }
	case "permissions":
		of = func(c Capability) []string { return c.Permissions }
	default:
		return nil
	}
	set := map[string]bool{}
	for _, c := range k.f.Capabilities {
		for _, text := range of(c) {
			set[text] = true
		}
	}
	return texts(slices.Sorted(maps.Keys(set)))
}

// evidence are the facts that the engine found out about the merge result.
func (k *known) evidence(name string) any {
	switch name {
	case "errors":
		return k.f.Validation.Errors
	case "warnings":
		return k.f.Validation.Warnings
	case "findings":
		return objects(k.f.Findings, findingObject)
	case "scanned":
		return k.f.Scan.Ran
	case "scan_score":
		return k.f.Scan.Score
	case "injections":
		return len(k.f.Scan.Injections)
	case "opinions":
		return objects(k.f.currentOpinions(), func(o Opinion) map[string]any {
			return map[string]any{"asked": o.Asked, "verdict": o.Weight(), "reason": o.Reason, "findings": len(o.Findings)}
		})
	case "tested":
		return k.f.Tests != nil
	case "tests":
		t := Tests{}
		if k.f.Tests != nil {
			t = *k.f.Tests
		}
		return map[string]any{"passed": t.Passed, "failed": t.Failed, "required_failed": t.RequiredFailed, "flaky": t.Flaky, "mastery": t.Mastery}
	}
	return nil
}

func findingObject(d diag.Diagnostic) map[string]any {
	confidence := d.Confidence
	if confidence == 0 {
		confidence = 1
	}
	return map[string]any{"rule": d.Rule, "severity": d.Severity.String(), "file": d.File, "line": d.Line, "confidence": confidence}
}

// situation are the facts about the pull request at this moment.
func (k *known) situation(name string) any {
	switch name {
	case "state":
		return string(k.f.State)
	case "conflicted":
		return k.f.Conflicted
	case "broken":
		return k.f.Broken
	case "waiting":
		return k.f.Now.Sub(k.f.RequestedAt)
	case "now":
		return k.f.Now.UTC()
	}
	return nil
}

// object describes an actor as far as the roles know it.
func (r Roles) object(a Actor) map[string]any {
	id, proven := r.Proven(a)
	if !proven {
		if names := r.Possible(a); len(names) == 1 {
			id, _ = r.ByName(names[0])
		}
	}
	out := map[string]any{"name": id.Name, "kind": "unknown", "proven": proven, "roles": texts(r.rolesOf(id.Name))}
	switch {
	case id.Name == "":
		out["name"] = a.Name
	case id.Kind == KindHuman:
		out["kind"] = "human"
	default:
		out["kind"] = "agent"
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

// possible names everybody that some actors may be, sorted.
func (r Roles) possible(actors []Actor) []string {
	set := map[string]bool{}
	for _, a := range actors {
		for _, name := range r.Possible(a) {
			set[name] = true
		}
	}
	return texts(slices.Sorted(maps.Keys(set)))
}

// texts is a list that is written as [] where it is empty.
func texts(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func objects[T any](list []T, object func(T) map[string]any) []map[string]any {
	out := make([]map[string]any, 0, len(list))
	for _, e := range list {
		out = append(out, object(e))
	}
	return out
}
