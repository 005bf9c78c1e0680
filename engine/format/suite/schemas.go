package suite

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// shape is one schema with its references resolved and combined schemas merged, as far as
// generating a value requires. It never decides whether a value fits.
type shape map[string]any

// schemas resolves references within one schema while its effort lasts: a few lines can
// require more values or schemas than memory and time allow.
type schemas struct {
	root any
	left *int
}

// maxEffort bounds the work for one record, roughly in schemas and members visited; each
// generated value counts perValue.
const (
	maxEffort = 1_000_000
	perValue  = 50
)

var errEffort = errors.New("asks for too much to make an input from it")

// spend reports whether effort for n more steps is left.
func (s schemas) spend(n int) bool {
	*s.left -= n
	return *s.left >= 0
}

// maxDepth bounds the depth of resolved schemas.
const maxDepth = 32

var errLoop = errors.New("leads back to itself")

// resolve resolves $ref, and merges allOf and the first of anyOf and oneOf into one
// shape.
func (s schemas) resolve(schema any) (shape, error) { return s.flatten(schema, nil) }

func (s schemas) flatten(schema any, refs []string) (shape, error) {
	if len(refs) > maxDepth {
		return nil, fmt.Errorf("$ref %s %w", refs[0], errLoop)
	}
	given, ok := schema.(map[string]any)
	if !ok {
		return shape{}, nil // true and false do not describe a value
	}
	props, _ := given["properties"].(map[string]any)
	if !s.spend(1 + len(given) + len(props)) {
		return nil, errEffort
	}
	out := shape{}
	if ref, ok := given["$ref"].(string); ok {
		if slices.Contains(refs, ref) {
			return nil, fmt.Errorf("$ref %s %w", ref, errLoop)
		}
		target, err := s.at(ref)
		if err != nil {
			return nil, err
		}
		if out, err = s.flatten(target, append(slices.Clone(refs), ref)); err != nil {
			return nil, err
		}
	}
	if err := s.combine(out, given, refs); err != nil {
		return nil, err
	}
	out.merge(given)
	return out, nil
}

func (s schemas) combine(out shape, given map[string]any, refs []string) error {
	var parts []any
	all, _ := given["allOf"].([]any)
	parts = append(parts, all...)
	for _, key := range []string{"anyOf", "oneOf"} {
		if some, _ := given[key].([]any); len(some) > 0 {
			parts = append(parts, some[0])
		}
	}
	for _, p := range parts {
		inner, err := s.flatten(p, refs)
		if err != nil {
			return err
		}
		props, _ := inner["properties"].(map[string]any)
		if !s.spend(len(props)) {
			return errEffort
		}
		out.merge(inner)
	}
	return nil
}

// merge adds another schema: it joins members and required names; for anything else the
// later value wins.
func (s shape) merge(other map[string]any) {
	for k, v := range other {
		switch k {
		case "$ref", "$defs", "definitions", "allOf", "anyOf", "oneOf":
		case "properties":
			into := map[string]any{}
			for _, from := range []any{s[k], v} {
				props, _ := from.(map[string]any)
				for n, p := range props {
					into[n] = p
				}
			}
			s[k] = into
		case "required":
			more, _ := v.([]any)
			have, _ := s[k].([]any)
			s[k] = slices.Concat(have, more)
		default:
			s[k] = v
		}
	}
}

// at resolves a reference: a JSON Pointer within the schema, or an anchor.
func (s schemas) at(ref string) (any, error) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, fmt.Errorf("$ref %s points outside of the file", ref)
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil {
		return nil, fmt.Errorf("$ref %s is not a valid reference", ref)
	}
	if pointer == "" {
		return s.root, nil
	}
	if !strings.HasPrefix(pointer, "/") {
		return nil, fmt.Errorf("$ref %s: anchors are not followed; write #/$defs/…", ref)
	}
	at := s.root
	for _, part := range strings.Split(pointer[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch inner := at.(type) {
		case map[string]any:
			at, ok = inner[part]
		case []any:
			i, err := strconv.Atoi(part)
			if ok = err == nil && i >= 0 && i < len(inner); ok {
				at = inner[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, fmt.Errorf("$ref %s leads nowhere", ref)
		}
	}
	return at, nil
}

func (s shape) required() []string {
	var out []string
	list, _ := s["required"].([]any)
	for _, r := range list {
		if name, ok := r.(string); ok {
			out = append(out, name)
		}
	}
	return out
}

// item returns the schema of the element with index i.
func (s shape) item(i int) any {
	if prefix, _ := s["prefixItems"].([]any); i < len(prefix) {
		return prefix[i]
	}
	return s["items"]
}

// types returns the type names that the shape states or implies.
func (s shape) types() []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, e := range t {
			if name, ok := e.(string); ok {
				out = append(out, name)
			}
		}
		return out
	}
	for _, g := range guesses() {
		if s[g.key] != nil {
			return []string{g.of}
		}
	}
	return nil
}

// guesses lists the types that keywords imply in a schema without type.
func guesses() []struct{ key, of string } {
	return []struct{ key, of string }{
		{"properties", "object"}, {"required", "object"}, {"items", "array"}, {"prefixItems", "array"}, {"pattern", "string"},
		{"minLength", "string"}, {"maxLength", "string"}, {"minimum", "number"}, {"maximum", "number"},
	}
}

func (s shape) admits(t string) bool { return slices.Contains(s.types(), t) }
