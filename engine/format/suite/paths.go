package suite

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// member is one place in an input that the schema describes: an existing or optional
// member of an object, or the first element of a list.
type member struct {
	path     []any // names and indices
	shape    shape
	required bool
	there    bool
}

// name returns the place as people write it: rows[0].id.
func (m member) name() string {
	var b strings.Builder
	for _, p := range m.path {
		switch p := p.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", p)
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(line("", p))
		}
	}
	return b.String()
}

// last returns the innermost member name of the path.
func (m member) last() string {
	for _, p := range slices.Backward(m.path) {
		if name, ok := p.(string); ok {
			return name
		}
	}
	return ""
}

// members lists the members of an input, outer ones first and by name on each level, and
// the first element of each list.
func (s schemas) members(input any) []member {
	var out []member
	s.walk(s.root, input, nil, &out)
	return out
}

func (s schemas) walk(schema, value any, path []any, out *[]member) {
	sh, err := s.resolve(schema)
	if err != nil {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		props, _ := sh["properties"].(map[string]any)
		required := sh.required()
		names := make([]string, 0, len(props))
		for n := range props {
			names = append(names, n)
		}
		sort.Strings(names)
		for _, n := range names {
			of, err := s.resolve(props[n])
			if err != nil {
				continue
			}
			_, there := value[n]
			*out = append(*out, member{append(slices.Clone(path), n), of, slices.Contains(required, n), there})
		}
		for _, n := range names {
			if inner, there := value[n]; there {
				s.walk(props[n], inner, append(slices.Clone(path), n), out)
			}
		}
	case []any:
		if len(value) == 0 {
			return
		}
		of, err := s.resolve(sh.item(0))
		if err != nil {
			return
		}
		at := append(slices.Clone(path), 0)
		*out = append(*out, member{at, of, false, true})
		s.walk(sh.item(0), value[0], at, out)
	}
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = clone(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = clone(e)
		}
		return out
	}
	return v
}

// get returns the value at path; nil if there is none.
func get(v any, path []any) any {
	for _, p := range path {
		switch at := v.(type) {
		case map[string]any:
			name, _ := p.(string)
			v = at[name]
		case []any:
			i, ok := p.(int)
			if !ok || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// with returns a copy of v with a value at path.
func with(v any, path []any, value any) any {
	out := clone(v)
	switch at := get(out, path[:len(path)-1]).(type) {
	case map[string]any:
		if name, ok := path[len(path)-1].(string); ok {
			at[name] = clone(value)
		}
	case []any:
		if i, ok := path[len(path)-1].(int); ok && i < len(at) {
			at[i] = clone(value)
		}
	}
	return out
}

// without returns a copy of v without the member at path.
func without(v any, path []any) any {
	out := clone(v)
	if at, ok := get(out, path[:len(path)-1]).(map[string]any); ok {
		if name, ok := path[len(path)-1].(string); ok {
			delete(at, name)
		}
	}
	return out
}
