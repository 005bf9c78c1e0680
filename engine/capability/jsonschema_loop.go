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
	for _, next := range slices.Concat([]*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf) {
		w.from(next)
	}
	for _, name := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		w.from(s.DependentSchemas[name])
	}
	w.state[s] = done
	w.below = append(w.below, s.PropertyNames, s.Contains, s.Items2020, s.UnevaluatedItems, s.UnevaluatedProperties)
	w.below = append(w.below, s.PrefixItems...)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		w.below = append(w.below, s.Properties[name])
	}
	patterns := slices.SortedFunc(maps.Keys(s.PatternProperties), func(a, b jsonschema.Regexp) int { return strings.Compare(a.String(), b.String()) })
	for _, p := range patterns {
		w.below = append(w.below, s.PatternProperties[p])
	}
	for _, some := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch next := some.(type) {
		case *jsonschema.Schema:
			w.below = append(w.below, next)
		case []*jsonschema.Schema:
			w.below = append(w.below, next...)
		}
	}
}
