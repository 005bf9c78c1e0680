package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// value generates the simplest value for a schema: const, an example, the default, the
// first of an enum, else a constant of the seed by type. name is the member's name, and
// refs are the references resolved so far. The value may not fit; the caller checks.
func (s schemas) value(schema any, name string, refs []string) (any, error) {
	if !s.spend(perValue) {
		return nil, errEffort
	}
	if ref, is := refOf(schema); is {
		if slices.Contains(refs, ref) || len(refs) > maxDepth {
			return nil, fmt.Errorf("$ref %s %w", ref, errLoop)
		}
		refs = append(slices.Clone(refs), ref)
	}
	sh, err := s.resolve(schema)
	if err != nil {
		return nil, err
	}
	if v, ok := sh["const"]; ok {
		return v, nil
	}
	for _, key := range []string{"examples", "enum"} {
		if list, _ := sh[key].([]any); len(list) > 0 {
			return list[0], nil
		}
	}
	for _, key := range []string{"example", "default"} {
		if v, ok := sh[key]; ok {
			return v, nil
		}
	}
	types := sh.types()
	if len(types) == 0 {
		return "test_" + name, nil
	}
	switch types[0] {
	case "object":
		return s.object(sh, refs)
	case "array":
		return s.array(sh, name, refs)
	case "integer", "number":
		return sh.number(types[0] == "integer"), nil
	case "boolean":
		return true, nil
	case "null":
		return nil, nil
	}
	return sh.text(name), nil
}

func refOf(schema any) (string, bool) {
	given, _ := schema.(map[string]any)
	ref, ok := given["$ref"].(string)
	return ref, ok
}

// object generates only the required members.
func (s schemas) object(sh shape, refs []string) (any, error) {
	out := map[string]any{}
	props, _ := sh["properties"].(map[string]any)
	for _, n := range sh.required() {
		v, err := s.value(props[n], n, refs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		out[n] = v
	}
	return out, nil
}

// array generates as few elements as permitted, but one if the element has members.
func (s schemas) array(sh shape, name string, refs []string) (any, error) {
	least := bound(sh, "minItems", 0)
	n := least
	if item, err := s.resolve(sh.item(0)); err == nil && n == 0 && bound(sh, "maxItems", 1) > 0 && (item["properties"] != nil || item["required"] != nil) {
		n = 1
	}
	out := []any{}
	for i := range min(n, 1000) {
		v, err := s.value(sh.item(i), name, refs)
		if errors.Is(err, errLoop) && i >= least {
			break
		}
		if err != nil {
			return nil, err
		}
		if sh["uniqueItems"] == true {
			v = vary(v, i)
		}
		out = append(out, v)
	}
	return out, nil
}

// vary returns the i-th of several values that must differ.
func vary(v any, i int) any {
	if i == 0 {
		return v
	}
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%s%d", v, i)
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return decimal(f + float64(i))
		}
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			out[k] = vary(e, i)
		}
		return out
	}
	return v
}

// number returns 42 or 3.14 (seed), moved into the bounds.
func (s shape) number(whole bool) any {
	v, step := 3.14, 0.5
	if whole {
		v, step = 42, 1
	}
	read := func(key string) (float64, bool) {
		n, ok := s[key].(json.Number)
		f, err := n.Float64()
		return f, ok && err == nil
	}
	for _, b := range []struct {
		key  string
		by   float64
		sign float64
	}{{"maximum", 0, -1}, {"exclusiveMaximum", step, -1}, {"minimum", 0, 1}, {"exclusiveMinimum", step, 1}} {
		if n, ok := read(b.key); ok && b.sign*(v-n) < b.by {
			v = n + b.sign*b.by
			if whole && b.sign > 0 {
				v = math.Ceil(v)
			} else if whole {
				v = math.Floor(v)
			}
		}
	}
	if m, ok := read("multipleOf"); ok && m > 0 {
		v = math.Ceil(v/m) * m
		if most, there := read("maximum"); there && v > most {
			v = math.Floor(most/m) * m
		}
	}
	return decimal(v)
}

// text returns test_<name> (seed), or a text for the format or pattern, within the
// bounds.
func (s shape) text(name string) string {
	if pattern, ok := s["pattern"].(string); ok {
		return sampleOf(pattern)
	}
	if format, _ := s["format"].(string); formats()[format] != "" {
		return formats()[format]
	}
	out := "test_" + name
	if least := bound(s, "minLength", 0); len(out) < least && least <= largest {
		out += strings.Repeat("x", least-len(out))
	}
	if most := bound(s, "maxLength", len(out)); len(out) > most {
		out = out[:most]
	}
	return out
}

// formats has one text for each JSON Schema format with a fixed form.
func formats() map[string]string {
	return map[string]string{
		"date": "2026-02-04", "time": "12:30:00Z", "date-time": "2026-02-04T12:30:00Z", "duration": "P1D",
		"email": "test@example.org", "idn-email": "test@example.org", "hostname": "example.org", "idn-hostname": "example.org",
		"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.org/test", "iri": "https://example.org/test",
		"uri-reference": "/test", "uuid": "123e4567-e89b-42d3-a456-426614174000", "json-pointer": "/test", "regex": "^test$",
	}
}

// sampleOf generates a text that a pattern matches; the caller checks it.
func sampleOf(pattern string) string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	sampleInto(&b, tree.Simplify(), 0)
	if _, err := regexp.Compile(pattern); err != nil {
		return ""
	}
	return b.String()
}

func sampleInto(b *strings.Builder, re *syntax.Regexp, depth int) {
	if b.Len() > largest || depth > maxDepth*4 {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(oneOf(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpPlus:
		sampleInto(b, re.Sub[0], depth+1)
	case syntax.OpAlternate:
		sampleInto(b, re.Sub[0], depth+1)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			sampleInto(b, sub, depth+1)
		}
	case syntax.OpRepeat:
		for range re.Min {
			sampleInto(b, re.Sub[0], depth+1)
		}
	}
}

// oneOf returns a letter or digit of a character class if it has one.
func oneOf(ranges []rune) rune {
	if len(ranges) == 0 {
		return 'a'
	}
	for _, wanted := range "atA1" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= wanted && wanted <= ranges[i+1] {
				return wanted
			}
		}
	}
	return ranges[0]
}
