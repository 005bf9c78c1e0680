package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Read reads a graph from its JSON. Labels, types of edges and names of properties are those of this package
// or have their shape, so that they can be written into a query; ids are unique, and each edge has both ends.
func Read(r io.Reader) (Graph, error) {
	var g Graph
	d := json.NewDecoder(r)
	d.UseNumber()
	if err := d.Decode(&g); err != nil {
		return Graph{}, fmt.Errorf("read a graph: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Graph{}, errors.New("read a graph: more follows after it")
	}
	if g.V != FormatVersion {
		return Graph{}, fmt.Errorf("read a graph: version %d; this program reads %d", g.V, FormatVersion)
	}
	known := map[string]bool{}
	for i, n := range g.Nodes {
		if n.ID == "" || known[n.ID] || !slices.Contains(Labels(), n.Label) {
			return Graph{}, fmt.Errorf("read a graph: node %d: the id %q is empty or not unique, or %q is no label", i, n.ID, n.Label)
		}
		known[n.ID] = true
		if err := n.Properties.restore(); err != nil {
			return Graph{}, fmt.Errorf("read a graph: node %q: %w", n.ID, err)
		}
	}
	for i, e := range g.Edges {
		if !known[e.From] || !known[e.To] || !slices.Contains(Types(), e.Type) {
			return Graph{}, fmt.Errorf("read a graph: edge %d: no node %q or %q, or %q is no type", i, e.From, e.To, e.Type)
		}
		if err := e.Properties.restore(); err != nil {
			return Graph{}, fmt.Errorf("read a graph: edge %d: %w", i, err)
		}
	}
	return g, nil
}

// fractions are the properties that are float64 also where JSON shows no decimals.
func fractions() []string {
	return []string{"confidence", "cost", "cost_incurred", "cost_per_use", "hours", "mastery_score", "practice_hours", "total_cost"}
}

// restore gives properties from JSON the types that Build gives them.
func (p Properties) restore() error {
	for name, value := range p {
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" {
			return fmt.Errorf("%q is no name of a property", name)
		}
		switch v := value.(type) {
		case string, bool:
		case json.Number:
			var err error
			if p[name], err = number(v, slices.Contains(fractions(), name)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		case []any:
			texts := make([]string, len(v))
			for i, x := range v {
				s, is := x.(string)
				if !is {
					return fmt.Errorf("%s: want a list of texts", name)
				}
				texts[i] = s
			}
			p[name] = texts
		default:
			return fmt.Errorf("%s: want a text, a number, true, false or a list of texts", name)
		}
	}
	return nil
}

func number(n json.Number, fraction bool) (any, error) {
	if fraction || strings.ContainsAny(n.String(), ".eE") {
		return n.Float64()
	}
	return n.Int64()
}
