package graph

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/order"
)

// FormatVersion is the version of the graph's JSON.
const FormatVersion = 1

// Label is the kind of a node.
type Label string

// The labels.
const (
	Agent           Label = "Agent"
	Capability      Label = "Capability"
	Dependency      Label = "Dependency"
	ErrorPattern    Label = "ErrorPattern"
	Execution       Label = "Execution"
	LearningSession Label = "LearningSession"
	Research        Label = "Research"
	Task            Label = "Task"
	Validation      Label = "Validation"
)

// Labels returns all of them.
func Labels() []Label {
	return []Label{Agent, Capability, Dependency, ErrorPattern, Execution, LearningSession, Research, Task, Validation}
}

// Type is the kind of an edge.
type Type string

// The types of edges, with the labels of their ends.
const (
	Knows              Type = "KNOWS"               // Agent, Capability
	CanUse             Type = "CAN_USE"             // Agent, Capability
	Researched         Type = "RESEARCHED"          // Agent, Research
	Enables            Type = "ENABLES"             // Research, Capability
	Practiced          Type = "PRACTICED"           // Agent, LearningSession
	Improves           Type = "IMPROVES"            // LearningSession, Capability
	Validated          Type = "VALIDATED"           // Agent, Validation
	Confirms           Type = "CONFIRMS"            // Validation, Capability
	Uses               Type = "USES"                // Execution, Capability
	ExecutedBy         Type = "EXECUTED_BY"         // Execution, Agent
	HasErrorPattern    Type = "HAS_ERROR_PATTERN"   // Capability, ErrorPattern
	Requires           Type = "REQUIRES"            // Capability, Capability
	EnhancedBy         Type = "ENHANCED_BY"         // Capability, Capability
	RequiresCapability Type = "REQUIRES_CAPABILITY" // Task, Capability
)

// Types returns all of them.
func Types() []Type {
	return []Type{
		Knows, CanUse, Researched, Enables, Practiced, Improves, Validated, Confirms, Uses, ExecutedBy, HasErrorPattern, Requires, EnhancedBy,
		RequiresCapability,
	}
}

// Properties hold texts, int64, float64, bool and lists of texts.
type Properties map[string]any

// Node is one thing. Its ID is unique in the graph.
type Node struct {
	ID         string     `json:"id"`
	Label      Label      `json:"label"`
	Properties Properties `json:"properties"`
}

// Name is the name that people know a node by.
func (n Node) Name() string {
	if name := n.text("name"); name != "" {
		return name
	}
	return n.ID
}

func (n Node) text(property string) string {
	s, _ := n.Properties[property].(string)
	return s
}

// Edge leads from one node to another.
type Edge struct {
	From       string     `json:"from"`
	Type       Type       `json:"type"`
	To         string     `json:"to"`
	Properties Properties `json:"properties,omitempty"`
}

func (e Edge) compare(f Edge) int {
	return cmp.Or(strings.Compare(e.From, f.From), strings.Compare(string(e.Type), string(f.Type)), strings.Compare(e.To, f.To))
}

// Graph is the graph. Nodes are in the order of their ids, edges in that of both ends' and their type.
type Graph struct {
	V     int    `json:"v"`
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
}

// Node finds a node.
func (g Graph) Node(id string) (Node, bool) {
	at, found := slices.BinarySearchFunc(g.Nodes, id, func(n Node, id string) int { return strings.Compare(n.ID, id) })
	if !found {
		return Node{}, false
	}
	return g.Nodes[at], true
}

// Around is the part of the graph about one node: what it is linked to, and the other ends of
// sessions, executions and the like that it is linked to. Capabilities and agents lead no further.
func (g Graph) Around(id string) Graph {
	beside := map[string][]string{}
	for _, e := range g.Edges {
		beside[e.From], beside[e.To] = append(beside[e.From], e.To), append(beside[e.To], e.From)
	}
	kept := map[string]bool{id: true}
	for todo := []string{id}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		for _, next := range beside[at] {
			if kept[next] {
				continue
			}
			kept[next] = true
			if n, _ := g.Node(next); n.Label != Capability && n.Label != Agent {
				todo = append(todo, next)
			}
		}
	}
	return g.where(func(n Node) bool { return kept[n.ID] })
}

// Only is the part of the graph with these labels.
func (g Graph) Only(labels ...Label) Graph {
	return g.where(func(n Node) bool { return slices.Contains(labels, n.Label) })
}

func (g Graph) where(keep func(Node) bool) Graph {
	out := Graph{V: g.V, Nodes: []Node{}, Edges: []Edge{}}
	kept := map[string]bool{}
	for _, n := range g.Nodes {
		if keep(n) {
			kept[n.ID], out.Nodes = true, append(out.Nodes, n)
		}
	}
	for _, e := range g.Edges {
		if kept[e.From] && kept[e.To] {
			out.Edges = append(out.Edges, e)
		}
	}
	return out
}

// builder collects nodes and edges, each once.
type builder struct {
	nodes map[string]Node
	edges map[[3]string]Edge
}

// node adds a node, or further properties of a known one, and returns its id.
func (b *builder) node(l Label, key string, p Properties) string {
	id := strings.ToLower(string(l)) + ":" + key
	n, known := b.nodes[id]
	if !known {
		n = Node{ID: id, Label: l, Properties: Properties{}}
		b.nodes[id] = n
	}
	maps.Copy(n.Properties, p.tidy())
	return id
}

func (b *builder) edge(from string, t Type, to string, p Properties) {
	b.edges[[3]string{from, string(t), to}] = Edge{from, t, to, p.tidy()}
}

func (b *builder) graph() Graph {
	return Graph{
		V:     FormatVersion,
		Nodes: order.Sorted(maps.Values(b.nodes), func(n, m Node) int { return strings.Compare(n.ID, m.ID) }),
		Edges: order.Sorted(maps.Values(b.edges), Edge.compare),
	}
}

// Bounds of a property: bytes of a text, texts of a list.
const (
	maxText = 2 << 10
	maxList = 64
)

// tidy bounds properties, makes their texts printable, and leaves out those that say nothing.
func (p Properties) tidy() Properties {
	out := Properties{}
	for name, value := range p {
		switch v := value.(type) {
		case string:
			if v != "" {
				out[name] = printable(v)
			}
		case []string:
			var list []string
			for _, s := range v[:min(len(v), maxList)] {
				list = append(list, printable(s))
			}
			if len(list) > 0 {
				out[name] = list
			}
		default:
			out[name] = v
		}
	}
	return out
}

// printable is a text on one line, without characters that are not seen.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) && r != '\u200c' && r != '\u200d' {
			return ' '
		}
		return r
	}, canonical.Phrase(s[:min(len(s), 2*maxText)], maxText))
}
