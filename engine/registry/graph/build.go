package graph

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Build derives the graph.
func Build(s Source) Graph {
	b := &builder{map[string]Node{}, map[[3]string]Edge{}}
	for _, c := range s.Capabilities {
		b.known(c)
	}
	for _, l := range s.Uses {
		b.capability(l.Capability, sums(l))
	}
	hours := map[[2]string]float64{}
	for _, l := range s.ByAgent {
		hours[[2]string{l.Agent, l.Capability}] += float64(l.MS) / float64(time.Hour.Milliseconds())
	}
	worked := map[string]bool{}
	jobs := slices.Clone(s.Jobs)
	order.Sort(jobs, func(j, k Job) int { return cmp.Or(strings.Compare(j.Run, k.Run), strings.Compare(j.Name, k.Name)) })
	for _, j := range jobs {
		worked[j.Proposal] = true
		if j.Began.Before(s.Since) {
			continue
		}
		hours[[2]string{j.Agent, names.Fold(j.Capability)}] += j.hours()
		b.job(j)
	}
	b.proposals(s, worked)
	b.trials(s.Trials)
	b.agents(s, hours)
	return b.graph()
}

// key is a name as a part of an id: the name itself, or a digest of one that is long or holds
// characters that are not seen.
func key(name string) string {
	if len(name) > 200 || printable(name) != name {
		sum := sha256.Sum256([]byte(name))
		return "#" + hex.EncodeToString(sum[:16])
	}
	return name
}

// CapabilityID is the id of a capability's node.
func CapabilityID(name string) string { return "capability:" + key(names.Fold(name)) }

// AgentID is the id of an agent's node.
func AgentID(name string) string { return "agent:" + key(name) }

// capability adds a capability that may have left force.
func (b *builder) capability(name string, p Properties) string {
	id := b.node(Capability, key(names.Fold(name)), p)
	n := b.nodes[id]
	if _, named := n.Properties["name"]; !named {
		n.Properties["name"], n.Properties["in_force"] = printable(names.Fold(name)), false
	}
	return id
}

func (b *builder) agent(name string) string {
	return b.node(Agent, key(name), Properties{"name": name})
}

// known adds a capability in force with what its record says.
func (b *builder) known(c Known) {
	e := c.Health.Entry(c.Digest, c.Version)
	p := Properties{
		"name": c.Name, "in_force": true, "category": c.Category, "description": c.Description, "status": string(c.Status), "version": string(c.Version),
		"implementation_type": string(c.Kind), "tags": c.Record.Tags, "risk_level": string(c.Record.Risk),
		"requires_secrets": len(c.Record.Requires.Secrets) > 0, "secret_keys": c.Record.Requires.Secrets, "health": string(e.State),
	}
	if r := c.Record.Run; r != nil {
		p["handler_reference"], p["language"] = r.Entry, string(r.Runtime)
	}
	if c.Record.Cost != nil {
		p["cost_per_use"] = c.Record.Cost.PerUse
	}
	if d := c.Record.Revalidate; d > 0 {
		p["validation_interval_days"] = time.Duration(d).Hours() / 24
	}
	if !e.Checked.IsZero() {
		p["mastery_score"], p["confidence_level"], p["last_validated"] = e.Mastery, level(e.Mastery), stamp(e.Checked)
	}
	id := b.capability(c.Name, p)
	for i, err := range c.Record.ErrorPatterns {
		b.errorPattern(id, c.Name+"/"+strconv.Itoa(i+1), c.Name, err, c.Health.Pattern(err.Match).Seen)
	}
	b.needs(id, c)
}

func (b *builder) errorPattern(id, key, name string, e capability.ErrorPattern, seen int) {
	b.edge(id, HasErrorPattern, b.node(ErrorPattern, key, Properties{
		"capability_id": id, "name": name + ": " + e.Means, "error_type": e.Type, "error_pattern": e.Match, "meaning": e.Means, "frequency": int64(seen),
		"solutions": slices.DeleteFunc(append([]string{e.Fix}, e.Solutions...), func(s string) bool { return s == "" }), "prevention_strategy": e.Prevention, "resolved": e.Resolved,
	}), nil)
}

// needs adds what a capability depends on, and what it makes better.
func (b *builder) needs(id string, c Known) {
	depend := func(names []string, kind string, edge func(other string)) {
		for _, name := range names {
			other := b.capability(name, nil)
			b.node(Dependency, strings.TrimPrefix(id, "capability:")+">"+strings.TrimPrefix(other, "capability:")+":"+kind, Properties{
				"name": c.Name + " " + kind + " " + name, "capability_id": id, "depends_on": other, "dependency_type": kind,
			})
			edge(other)
		}
	}
	requires := func(other string) { b.edge(id, Requires, other, nil) }
	enhances := func(other string) { b.edge(other, EnhancedBy, id, nil) }
	depend(c.Record.Requires.Capabilities, "required", requires)
	depend(c.Calls, "required", requires)
	depend(c.Record.Requires.Optional, "optional", func(string) {})
	depend(c.Record.Enhances, "enhances", enhances)
	depend(c.Record.AppliesTo, "enhances", enhances)
}

// sums are the uses of a capability.
func sums(l trial.Line) Properties {
	return Properties{
		"usage_count": l.Loaded + l.Followed, "success_count": l.Success, "failure_count": l.Failure, "partial_count": l.Partial, "last_used": l.Last, "total_cost": l.Cost,
	}
}

// level names a mastery, as the confidence in a capability and in an agent's knowledge of it.
func level(mastery float64) string {
	switch {
	case mastery >= 0.9:
		return "expert"
	case mastery >= 0.7:
		return "high"
	case mastery >= 0.5:
		return "medium"
	}
	return "low"
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// proposals adds who brought and who changed a capability. A proposal that a run made is in the
// graph by its jobs.
func (b *builder) proposals(s Source, worked map[string]bool) {
	all := slices.Clone(s.Proposals)
	order.Sort(all, func(p, q Merged) int { return strings.Compare(p.Day+p.ID, q.Day+q.ID) })
	for _, p := range all {
		makes := slices.Contains([]proposal.Kind{proposal.Add, proposal.Repair, proposal.Revise, proposal.Promote, proposal.Restore}, p.Kind)
		if p.Capability == "" || !makes {
			continue
		}
		id := b.capability(p.Capability, nil)
		if n := b.nodes[id]; n.Properties["created_at"] == nil {
			n.Properties["created_at"] = p.Day
			if p.Agent != "" {
				n.Properties["created_by"] = printable(p.Agent)
			}
		}
		if worked[p.ID] || !s.Since.IsZero() && p.Day < s.Since.Format(time.DateOnly) {
			continue
		}
		session := b.node(LearningSession, key(p.ID), Properties{
			"name": string(p.Kind) + " " + p.Capability, "capability_id": id, "agent_id": AgentID(p.Agent), "phase": "practice", "status": "completed",
			"started_at": p.Day, "completed_at": p.Day, "attempts": int64(1), "successes": int64(1), "notes": p.Goal, "proposal": p.ID,
		})
		b.edge(session, Improves, id, nil)
		if p.Agent != "" {
			b.edge(b.agent(p.Agent), Practiced, session, nil)
		}
	}
}

// agents adds what agents know, and what else they may use.
func (b *builder) agents(s Source, hours map[[2]string]float64) {
	used := map[[2]string]string{}
	for _, l := range s.ByAgent {
		used[[2]string{l.Agent, l.Capability}] = l.Last
	}
	for _, a := range s.Agents {
		agent := b.agent(a.Name)
		knows := map[string]bool{}
		for _, e := range a.Learned {
			name := names.Fold(e.Name)
			if name == "" || knows[name] {
				continue
			}
			knows[name] = true
			at, id := [2]string{a.Name, name}, b.capability(name, nil)
			p := Properties{"learned_at": e.Learned, "practice_hours": hours[at], "last_used": used[at]}
			m, tested := b.nodes[id].Properties["mastery_score"].(float64)
			if e.Mastery != nil {
				m, tested = *e.Mastery, true
			}
			if tested {
				p["mastery_score"], p["mastery_level"] = m, level(m)
			}
			b.edge(agent, Knows, id, p)
		}
		for _, c := range s.Capabilities {
			if c.Status.Runs() && !c.SpecOnly && c.Record.Agents.Admits(a.Name) && !knows[names.Fold(c.Name)] {
				b.edge(agent, CanUse, CapabilityID(c.Name), nil)
			}
		}
	}
}
