package graph

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Cypher writes the graph as statements, one a line. They merge, so that running them again changes
// nothing. Labels, types and names of properties are constants of this package.
func (g Graph) Cypher() string {
	var out strings.Builder
	labels := map[string]Label{}
	for _, n := range g.Nodes {
		labels[n.ID] = n.Label
		fmt.Fprintf(&out, "MERGE (n:%s {id: %s})%s;\n", n.Label, cypherText(n.ID), cypherSet("n", n.Properties))
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&out, "MATCH (a:%s {id: %s}), (b:%s {id: %s}) MERGE (a)-[r:%s]->(b)%s;\n",
			labels[e.From], cypherText(e.From), labels[e.To], cypherText(e.To), e.Type, cypherSet("r", e.Properties))
	}
	return out.String()
}

func cypherSet(variable string, p Properties) string {
	out := ""
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if out == "" {
			out = " SET "
		} else {
			out += ", "
		}
		out += variable + "." + name + " = " + cypherValue(p[name])
	}
	return out
}

func cypherValue(value any) string {
	switch v := value.(type) {
	case string:
		return cypherText(v)
	case []string:
		texts := make([]string, len(v))
		for i, s := range v {
			texts[i] = cypherText(s)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case float64:
		return cypherFloat(v)
	}
	return fmt.Sprint(value)
}

// cypherFloat is a number that is read as a float, also without decimals.
func cypherFloat(f float64) string {
	out := strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "e+", "e", 1)
	if !strings.ContainsAny(out, ".e") {
		out += ".0"
	}
	return out
}

// cypherText is a text in Cypher. Some engines replace \uXXXX before they read texts, even after an
// escaped backslash, and then find another text or an invalid escape. So no backslash is followed by a u.
func cypherText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	//defence:graph-quotes-texts
	s = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
	s = strings.NewReplacer(`\u`, `\' + 'u`, `\U`, `\' + 'U`).Replace(s)
	return "'" + s + "'"
}
