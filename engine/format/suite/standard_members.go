package suite

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// largest is the total length of texts in a large input, longInput the size in bytes of a
// long input: Linux limits an argument to 128 KiB.
const (
	largest   = 32 << 10
	longInput = 160 << 10
)

// enlarged returns the first input with its texts as long as the schema permits.
func (m *maker) enlarged() any {
	input := clone(m.inputs[0].input)
	left := largest
	for _, f := range m.schema.members(m.inputs[0].input) {
		text, ok := get(input, f.path).(string)
		most := bound(f.shape, "maxLength", left)
		if !ok || len(text) == 0 || most <= len(text) || f.shape["pattern"] != nil || f.shape["format"] != nil || f.shape["enum"] != nil || f.shape["const"] != nil {
			continue
		}
		most = min(most, left)
		long := []rune(strings.Repeat(text, most/len(text)+1))
		larger := with(input, f.path, string(long[:min(most, len(long))]))
		if m.check.Check(larger) == nil {
			input, left = larger, left-most
		}
		if left <= 0 {
			break
		}
	}
	return input
}

// types gives each member a value of another type (from the seed).
func (m *maker) types() {
	wrong := []struct {
		of    string
		value any
	}{
		{"string", json.Number("12345")}, {"integer", "not_a_number"}, {"number", "not_a_number"}, {"boolean", "not_a_boolean"},
		{"array", "not_an_array"}, {"object", "not_an_object"},
	}
	first := m.inputs[0].input
	for _, f := range m.schema.members(first) {
		for _, w := range wrong {
			if f.shape.admits(w.of) {
				m.refuses(InvalidType, "invalid type of "+f.name(), with(first, f.path, w.value))
				break
			}
		}
	}
}

// values sets each member just outside its bounds.
func (m *maker) values() {
	first := m.inputs[0].input
	for _, f := range m.schema.members(first) {
		out := func(how string, v any) { m.refuses(InvalidValue, f.name()+" "+how, with(first, f.path, v)) }
		for _, e := range f.shape.edges(m.schema, f.last()) {
			if e.outside != nil {
				out(e.beyond, e.outside)
			}
		}
		if f.shape["enum"] != nil || f.shape["const"] != nil {
			out("that is none of those listed", "none of those listed")
		}
	}
}

// boundaries sets each member to its bounds and to each listed value, and omits and adds
// all optional members.
func (m *maker) boundaries() {
	first := m.inputs[0].input
	for _, f := range m.schema.members(first) {
		for _, e := range f.shape.edges(m.schema, f.last()) {
			if e.inside != nil {
				m.onBounds(f.name()+" "+e.at, with(first, f.path, e.inside))
			}
		}
		listed, _ := f.shape["enum"].([]any)
		for i, v := range listed {
			if i < maxListed {
				m.onBounds(f.name()+" as "+short(v), with(first, f.path, v))
			}
		}
		if !f.required && f.there {
			m.onBounds("without "+f.name(), without(first, f.path))
		}
		if !f.there {
			if v, err := m.schema.value(map[string]any(f.shape), f.last(), nil); err == nil {
				m.onBounds("with "+f.name(), with(first, f.path, v))
			}
		}
	}
}

// maxListed bounds the values used of one list.
const maxListed = 8

// edge is one bound of a member: a value on it and one beyond it.
type edge struct {
	at, beyond      string
	inside, outside any
}

// edges lists the bounds that a shape states.
func (s shape) edges(all schemas, name string) []edge {
	var out []edge
	for _, b := range []struct {
		key  string
		step float64
		open bool
	}{{"minimum", -1, false}, {"maximum", 1, false}, {"exclusiveMinimum", -1, true}, {"exclusiveMaximum", 1, true}} {
		n, ok := s[b.key].(json.Number)
		v, err := n.Float64()
		if !ok || err != nil || math.Abs(v) > 1<<52 {
			continue
		}
		e := edge{at: "at its " + b.key, beyond: "beyond its " + b.key, inside: n, outside: decimal(v + b.step)}
		if b.open {
			e.inside, e.outside = decimal(v-b.step), n
		}
		out = append(out, e)
	}
	text := func(n int) any { return strings.Repeat("a", n) }
	out = append(out, s.sizes("minLength", "maxLength", largest, text)...)
	items := func(n int) any {
		list := make([]any, 0, n)
		for i := range n {
			v, err := all.value(s.item(i), name, nil)
			if err != nil {
				return nil
			}
			if s["uniqueItems"] == true {
				v = vary(v, i)
			}
			list = append(list, v)
		}
		return list
	}
	return append(out, s.sizes("minItems", "maxItems", 256, items)...)
}

// sizes returns the bounds of a length, up to most.
func (s shape) sizes(least, greatest string, most int, of func(int) any) []edge {
	var out []edge
	if n := bound(s, least, -1); n >= 0 && n <= most {
		e := edge{at: "at its " + least, beyond: "below its " + least, inside: of(n)}
		if n > 0 {
			e.outside = of(n - 1)
		}
		out = append(out, e)
	}
	if n := bound(s, greatest, -1); n >= 0 && n < most {
		out = append(out, edge{"at its " + greatest, "above its " + greatest, of(n), of(n + 1)})
	}
	return out
}

// bound returns an integer keyword of a schema; other if it is absent.
func bound(s shape, key string, other int) int {
	n, ok := s[key].(json.Number)
	if !ok {
		return other
	}
	v, err := n.Int64()
	if err != nil || v < 0 || v > math.MaxInt32 {
		return other
	}
	return int(v)
}

func decimal(v float64) json.Number { return json.Number(strconv.FormatFloat(v, 'f', -1, 64)) }
