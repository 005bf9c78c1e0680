package capability

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// loop names a schema that leads back to itself upon the same value, "" if there is none:
// nothing can be held against it. One that leads back by way of a member or an element is
// a tree, and none.
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
	open          // the walk is inside of it
	done
)

type loopWalk struct {
	state map[*jsonschema.Schema]walked
	// below are schemas of members and elements of what was seen.
	below []*jsonschema.Schema
	found string
}

// from follows what a schema asks of the same value.
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

// upon are the schemas that a schema holds against the same value.
func upon(s *jsonschema.Schema) []*jsonschema.Schema {
	out := slices.Concat([]*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf)
	for _, name := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		out = append(out, s.DependentSchemas[name])
	}
	return out
}

// below are those that it holds against members and elements.
func below(s *jsonschema.Schema) []*jsonschema.Schema {
	out := []*jsonschema.Schema{s.PropertyNames, s.Contains, s.Items2020, s.UnevaluatedItems, s.UnevaluatedProperties}
	out = append(out, s.PrefixItems...)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		out = append(out, s.Properties[name])
	}
	patterns := slices.SortedFunc(maps.Keys(s.PatternProperties), func(a, b jsonschema.Regexp) int { return strings.Compare(a.String(), b.String()) })
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

// maxWeight is how many schemas one may unfold to, with its references followed.
const maxWeight = 100_000

// heavy reports whether a schema unfolds to more than that: each reference is followed
// anew when a value is held against it, and a few lines can lead to each of the next
// ones twice. Where it leads back to itself it is not followed again.
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
