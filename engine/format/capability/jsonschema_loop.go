package capability

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assent-dev/assent/engine/base/order"
)

// loop returns the location of a schema that refers back to itself for the same value, ""
// if there is none: such a schema cannot validate anything. Recursion through a member or
// an element is a tree and allowed.
func loop(root *jsonschema.Schema) string {
	w := loopWalk{state: map[*jsonschema.Schema]walked{}}
	todo := []*jsonschema.Schema{root}
	for len(todo) > 0 && w.found == "" {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s == nil || w.state[s] != unseen {
			continue
		}
		w.from(s)
		todo = append(todo, w.below...)
		w.below = nil
	}
	_, pointer, _ := strings.Cut(w.found, "#")
	if w.found != "" {
		return "#" + pointer
	}
	return ""
}

type walked int

const (
	unseen walked = iota
	open          // on the current path
	done
)

type loopWalk struct {
	state map[*jsonschema.Schema]walked
	// below are schemas of members and elements that remain to be walked.
	below []*jsonschema.Schema
	found string
}

// from follows the schemas that s applies to the same value.
func (w *loopWalk) from(s *jsonschema.Schema) {
	switch {
	case s == nil || w.found != "" || w.state[s] == done:
		return
	case w.state[s] == open:
		w.found = s.Location
		return
	}
	w.state[s] = open
	for _, next := range upon(s) {
		w.from(next)
	}
	w.state[s] = done
	w.below = append(w.below, below(s)...)
}

// upon returns the schemas that s applies to the same value.
func upon(s *jsonschema.Schema) []*jsonschema.Schema {
	out := slices.Concat([]*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf)
	if s.DynamicRef != nil { // only of the standard meta-schemas, see dynamic
		out = append(out, s.DynamicRef.Ref)
	}
	for _, name := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		out = append(out, s.DependentSchemas[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Dependencies)) { // of older drafts
		if next, ok := s.Dependencies[name].(*jsonschema.Schema); ok {
			out = append(out, next)
		}
	}
	return out
}

// below returns the schemas that s applies to members and elements.
func below(s *jsonschema.Schema) []*jsonschema.Schema {
	out := []*jsonschema.Schema{s.PropertyNames, s.Contains, s.Items2020, s.UnevaluatedItems, s.UnevaluatedProperties}
	out = append(out, s.PrefixItems...)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		out = append(out, s.Properties[name])
	}
	patterns := order.Sorted(maps.Keys(s.PatternProperties), func(a, b jsonschema.Regexp) int { return strings.Compare(a.String(), b.String()) })
	for _, p := range patterns {
		out = append(out, s.PatternProperties[p])
	}
	for _, some := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch next := some.(type) {
		case *jsonschema.Schema:
			out = append(out, next)
		case []*jsonschema.Schema:
			out = append(out, next...)
		}
	}
	return out
}

// maxWeight bounds the number of schemas after expansion of all references.
const maxWeight = 100_000

// heavy reports whether a schema expands to more than maxWeight schemas. Validation
// follows each reference again, and a few lines can refer to each of the next ones twice.
// Recursive references are not expanded.
func heavy(root *jsonschema.Schema) bool {
	known := map[*jsonschema.Schema]int{}
	var weigh func(s *jsonschema.Schema) int
	weigh = func(s *jsonschema.Schema) int {
		if s == nil {
			return 0
		}
		if n, ok := known[s]; ok {
			return n
		}
		known[s] = 1
		n := 1
		for _, next := range slices.Concat(upon(s), below(s)) {
			n = min(n+weigh(next), maxWeight+1)
		}
		known[s] = n
		return n
	}
	return weigh(root) > maxWeight
}
