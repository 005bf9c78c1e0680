package graph

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DOT writes the graph for Graphviz. Nodes are named by number, so that no text can be read as syntax.
func (g Graph) DOT() string {
	var out strings.Builder
	out.WriteString("digraph memory {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\"];\n")
	g.draw(func(at int, n Node) {
		fmt.Fprintf(&out, "  n%d [label=%s, fillcolor=%q];\n", at, dotText(string(n.Label)+"\n"+brief(n)), colours()[n.Label])
	}, func(from, to int, t Type) {
		fmt.Fprintf(&out, "  n%d -> n%d [label=%q];\n", from, to, t)
	})
	out.WriteString("}\n")
	return out.String()
}

// dotText is a text in DOT, where only the quote, the backslash and the line end are special.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// Mermaid writes the graph as a flowchart.
func (g Graph) Mermaid() string {
	var out strings.Builder
	out.WriteString("flowchart LR\n")
	g.draw(func(at int, n Node) {
		fmt.Fprintf(&out, "  n%d[\"%s: %s\"]:::%s\n", at, n.Label, mermaidText(brief(n)), n.Label)
	}, func(from, to int, t Type) {
		fmt.Fprintf(&out, "  n%d -->|%s| n%d\n", from, t, to)
	})
	for _, l := range Labels() {
		fmt.Fprintf(&out, "  classDef %s fill:%s\n", l, colours()[l])
	}
	return out.String()
}

// mermaidText writes whatever is no letter, digit or simple mark as an entity.
func mermaidText(s string) string {
	var out strings.Builder
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,-_/+", r) {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, "#%d;", r)
		}
	}
	return out.String()
}

// maxBrief is the length of a name in a drawing, in characters.
const maxBrief = 60

func brief(n Node) string {
	name := n.Name()
	if utf8.RuneCountInString(name) > maxBrief {
		name = string([]rune(name)[:maxBrief-1]) + "…"
	}
	return name
}

// draw calls back for each node and edge, by the nodes' places.
func (g Graph) draw(node func(at int, n Node), edge func(from, to int, t Type)) {
	places := map[string]int{}
	for i, n := range g.Nodes {
		places[n.ID] = i
		node(i, n)
	}
	for _, e := range g.Edges {
		edge(places[e.From], places[e.To], e.Type)
	}
}

func colours() map[Label]string {
	return map[Label]string{
		Agent: "#cfe2ff", Capability: "#b7e4c7", Dependency: "#e2e3e5", ErrorPattern: "#f5b5b5", Execution: "#ffffff",
		LearningSession: "#ffe8a1", Research: "#fff3cd", Task: "#d9c8f0", Validation: "#c3ebe8",
	}
}
