package graph

import (
	"cmp"
	"math"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/registry/index"
)

// Knowledge is a capability that an agent knows.
type Knowledge struct {
	Name     string `json:"name"`
	Category string `json:"category"`
	Status   string `json:"status"`
	InForce  bool   `json:"in_force"`
	// Mastery is what the agent's list says, else that of the tests here; nil for neither.
	Mastery  *float64 `json:"mastery"`
	Level    string   `json:"level"`
	Learned  string   `json:"learned"`
	Hours    float64  `json:"hours"`
	LastUsed string   `json:"last_used"`
}

// Knowledge lists what an agent knows with at least this mastery, the highest first.
func (g Graph) Knowledge(agent string, least float64) []Knowledge {
	out := []Knowledge{}
	for _, e := range g.Edges {
		if e.From != AgentID(agent) || e.Type != Knows {
			continue
		}
		n, _ := g.Node(e.To)
		known := Node{Properties: e.Properties}
		k := Knowledge{
			Name: n.Name(), Category: n.text("category"), Status: n.text("status"), Level: known.text("mastery_level"), Learned: known.text("learned_at"), LastUsed: known.text("last_used"),
		}
		k.InForce, _ = n.Properties["in_force"].(bool)
		k.Hours, _ = e.Properties["practice_hours"].(float64)
		if m, ok := e.Properties["mastery_score"].(float64); ok {
			k.Mastery = &m
		}
		if least == 0 || k.Mastery != nil && *k.Mastery >= least {
			out = append(out, k)
		}
	}
	mastery := func(k Knowledge) float64 {
		if k.Mastery == nil {
			return -1
		}
		return *k.Mastery
	}
	order.Sort(out, func(a, b Knowledge) int {
		return cmp.Or(cmp.Compare(mastery(b), mastery(a)), strings.Compare(a.Name, b.Name))
	})
	return out
}

// Likeness is a capability that is similar to another one.
type Likeness struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Score       float64 `json:"score"`
}

// Similar lists capabilities in force that are similar to one, the most similar first. The score is
// the cosine of their terms in name, category, tags and description, each weighed by how few
// capabilities have it.
func (g Graph) Similar(name string, least float64, most int) []Likeness {
	terms := map[string][]string{}
	having := map[string]float64{}
	for _, n := range g.Nodes {
		if inForce, _ := n.Properties["in_force"].(bool); n.Label != Capability || !inForce {
			continue
		}
		tags, _ := n.Properties["tags"].([]string)
		terms[n.ID] = index.Terms(strings.Join(append(tags[:len(tags):len(tags)], n.text("name"), n.text("category"), n.text("description")), "\n"))
		for _, t := range terms[n.ID] {
			having[t]++
		}
	}
	weight := func(term string) float64 {
		w := math.Log(1 + float64(len(terms))/having[term])
		return w * w
	}
	length := func(list []string) (sum float64) {
		for _, t := range list {
			sum += weight(t)
		}
		return math.Sqrt(sum)
	}
	asked := map[string]bool{}
	for _, t := range terms[CapabilityID(name)] {
		asked[t] = true
	}
	out := []Likeness{}
	for _, n := range g.Nodes {
		shared := 0.0
		for _, t := range terms[n.ID] {
			if asked[t] {
				shared += weight(t)
			}
		}
		if n.ID == CapabilityID(name) || shared == 0 {
			continue
		}
		score := math.Round(1e6*shared/length(terms[n.ID])/length(terms[CapabilityID(name)])) / 1e6
		if score >= least {
			out = append(out, Likeness{n.Name(), n.text("description"), score})
		}
	}
	order.Sort(out, func(a, b Likeness) int { return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Name, b.Name)) })
	return out[:min(len(out), most)]
}
