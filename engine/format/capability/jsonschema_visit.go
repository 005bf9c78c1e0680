package capability

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assent-dev/assent/engine/base/pattern"
)

// dynamic returns a keyword in plain data that makes a reference lead elsewhere with each value; ""
// without one. What such a schema costs cannot be known before it is used.
func dynamic(v any) string {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"} {
			if _, is := v[key]; is {
				return key
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if key := dynamic(v[name]); key != "" {
				return key
			}
		}
	case []any:
		for _, e := range v {
			if key := dynamic(e); key != "" {
				return key
			}
		}
	}
	return ""
}

// perValue is how many steps a check may take for each value in the one that it checks, beyond those
// of a file.
const perValue = 40

// values counts a value and all values in it.
func values(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += values(e)
		}
	case []any:
		for _, e := range v {
			n += values(e)
		}
	}
	return n
}

// perEnum is how many values of an enum cost as much as a schema.
const perEnum = 8

// visits counts what a validation may compare: a step for each pair of a schema and a value. A schema
// that refers to itself twice doubles them with each level of the value.
type visits struct {
	budget *pattern.Budget
	upon   map[*jsonschema.Schema][]*jsonschema.Schema
}

func (w visits) count(s *jsonschema.Schema, v any) error {
	if s == nil {
		return nil
	}
	cost := 1 + len(s.Required)
	if s.Enum != nil {
		cost += len(s.Enum.Values) / perEnum
	}
	if err := w.budget.Check(cost); err != nil {
		return err //nolint:wrapcheck // says what of
	}
	same, known := w.upon[s]
	if !known {
		same = slices.DeleteFunc(upon(s), func(next *jsonschema.Schema) bool { return next == nil })
		w.upon[s] = same
	}
	if err := w.all(same, v); err != nil {
		return err
	}
	switch v := v.(type) {
	case map[string]any:
		if err := w.budget.Check(len(v) * len(s.PatternProperties)); err != nil {
			return err //nolint:wrapcheck // says what of
		}
		for name, member := range v {
			if err := w.all(ofMember(s, name), member); err != nil {
				return err
			}
		}
	case []any:
		for i, e := range v {
			if err := w.all(ofElement(s, i), e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w visits) all(schemas []*jsonschema.Schema, v any) error {
	for _, s := range schemas {
		if err := w.count(s, v); err != nil {
			return err
		}
	}
	return nil
}

// ofMember returns the schemas that s may apply to a member.
func ofMember(s *jsonschema.Schema, name string) []*jsonschema.Schema {
	out := []*jsonschema.Schema{s.Properties[name], s.UnevaluatedProperties, s.PropertyNames}
	for p, next := range s.PatternProperties {
		if p.MatchString(name) {
			out = append(out, next)
		}
	}
	if next, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && s.Properties[name] == nil {
		out = append(out, next)
	}
	return out
}

// ofElement returns the schemas that s may apply to an element.
func ofElement(s *jsonschema.Schema, i int) []*jsonschema.Schema {
	out := []*jsonschema.Schema{s.Contains, s.UnevaluatedItems}
	first, rest := s.PrefixItems, s.Items2020
	switch of := s.Items.(type) { // of older drafts
	case *jsonschema.Schema:
		rest = of
	case []*jsonschema.Schema:
		first = of
		rest, _ = s.AdditionalItems.(*jsonschema.Schema)
	}
	if i < len(first) {
		return append(out, first[i])
	}
	return append(out, rest)
}
