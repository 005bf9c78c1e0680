package capability

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Fit is the result of comparing two schemas. Undecided places are listed; nothing is
// claimed about them.
type Fit struct {
	// Wrong lists places where a value of the first schema does not fit the second.
	Wrong []string
	// Unknown lists places where the comparison is undecided.
	Unknown []string
}

// Fits reports whether every value of schema sub is one of schema super. Objects are
// assumed to have only the properties that their schema names: callers send what a
// signature names, and answers have what it promises.
//
// It decides type, enum, const, bounds of numbers, lengths and counts, uniqueItems,
// items, properties, required, additionalProperties, allOf, anyOf and $ref within the
// schema. It ignores format and descriptive keywords. Any other keyword is decided only
// if both schemas agree on it.
func Fits(sub, super any) Fit {
	a, errA := plainSchema(sub)
	b, errB := plainSchema(super)
	if errA != nil || errB != nil {
		return Fit{Unknown: []string{"the schema is not expressible as JSON"}}
	}
	left := maxComparisons
	c := &comparison{sub: a, super: b, seen: map[string]bool{}, left: &left}
	c.fits(a, b, "")
	return c.Fit
}

func plainSchema(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err //nolint:wrapcheck // only whether it is expressible is asked
	}
	var out any
	err = json.Unmarshal(text, &out)
	return out, err //nolint:wrapcheck // likewise
}

// maxComparisons bounds the number of compared parts: alternatives that refer to each
// other can multiply.
const maxComparisons = 10_000

type comparison struct {
	Fit
	sub, super any // the whole schemas, for references
	// seen are pairs with a reference that were compared in this Fit, or are being
	// compared further out. Only these may be skipped.
	seen map[string]bool
	left *int // comparisons left
}

func (c *comparison) wrong(path, format string, args ...any) {
	c.Wrong = append(c.Wrong, placed(path, fmt.Sprintf(format, args...)))
}

func (c *comparison) unknown(path, format string, args ...any) {
	c.Unknown = append(c.Unknown, placed(path, fmt.Sprintf(format, args...)))
}

func placed(path, text string) string {
	if path == "" {
		return text
	}
	return clip(path) + ": " + text
}

// alone compares two parts in isolation. The result may be dropped, so the pairs it saw
// do not count outside.
func (c *comparison) alone(sub, super any, path string) Fit {
	inner := &comparison{sub: c.sub, super: c.super, seen: maps.Clone(c.seen), left: c.left}
	inner.fits(sub, super, path)
	return inner.Fit
}

func (f Fit) sure() bool { return len(f.Wrong)+len(f.Unknown) == 0 }

func (c *comparison) fits(sub, super any, path string) {
	if *c.left--; *c.left < 0 {
		c.unknown(path, "the schemas are too large to compare")
		return
	}
	if refIn(sub)+refIn(super) != "" {
		pair := pairKey(sub, super)
		if c.seen[pair] {
			return
		}
		c.seen[pair] = true
	}
	a, okA := followed(c.sub, sub)
	b, okB := followed(c.super, super)
	if !okA || !okB {
		c.unknown(path, "a $ref is not followed")
		return
	}
	switch {
	case forbids(sub):
		return
	case forbids(super):
		c.wrong(path, "nothing may stand there")
		return
	case len(b) == 0 || reflect.DeepEqual(a, b) && !refersIn(a):
		return
	}
	if values, listed := listedValues(a); listed {
		c.listed(values, super, path)
		return
	}
	was := len(c.Wrong)
	c.keywords(a, b, path)
	if narrower := narrows(a); narrower != "" && len(c.Wrong) > was {
		// an unexamined keyword may exclude the wrong values
		c.Unknown = append(c.Unknown, placed(path, narrower+" was not looked into"))
		c.Wrong = c.Wrong[:was]
	}
}

// forbids reports whether no value fits the schema.
func forbids(schema any) bool { return schema == false }

// pairKey identifies two parts by their full content: one reference can meet several
// schemas.
func pairKey(sub, super any) string {
	key, _ := json.Marshal([]any{sub, super}) // both came from JSON
	return string(key)
}

func refIn(schema any) string {
	m, _ := schema.(map[string]any)
	ref, _ := m["$ref"].(string)
	return ref
}

// followed returns a schema without descriptive keywords. If the schema only refers to
// another, it returns that one.
func followed(root, schema any) (map[string]any, bool) {
	for range 16 {
		given, _ := schema.(map[string]any)
		out := map[string]any{}
		for k, v := range given {
			if !slices.Contains(describing(), k) {
				out[k] = v
			}
		}
		ref, refers := out["$ref"].(string)
		if !refers {
			return out, true
		}
		if len(out) > 1 || !strings.HasPrefix(ref, "#") {
			return nil, false
		}
		var ok bool
		if schema, ok = pointed(root, ref[1:]); !ok {
			return nil, false
		}
	}
	return nil, false
}

func describing() []string {
	return []string{"title", "description", "default", "examples", "example", "$comment", "deprecated", "readOnly", "writeOnly", "format", "$defs", "definitions", "$schema", "$id"}
}

func pointed(at any, pointer string) (any, bool) {
	if pointer == "" {
		return at, true
	}
	for _, part := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		m, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]; !ok {
			return nil, false
		}
	}
	return at, true
}

// narrows names a keyword that restricts a schema further than the comparison examines,
// "" if there is none.
func narrows(s map[string]any) string {
	for _, k := range []string{"allOf", "anyOf", "oneOf", "not", "if", "patternProperties", "dependentRequired", "dependentSchemas", "contains", "propertyNames", "unevaluatedProperties", "prefixItems"} {
		if s[k] != nil {
			return k
		}
	}
	return ""
}

func listedValues(s map[string]any) ([]any, bool) {
	if v, ok := s["const"]; ok {
		return []any{v}, true
	}
	list, ok := s["enum"].([]any)
	return list, ok
}

// listed decides exactly by trying each value.
func (c *comparison) listed(values []any, super any, path string) {
	m, ok := super.(map[string]any)
	if whole, _ := c.super.(map[string]any); ok && whole["$defs"] != nil {
		with := map[string]any{"$defs": whole["$defs"]}
		for k, v := range m {
			with[k] = v
		}
		super = with
	}
	s, err := CompileSchema(super)
	if err != nil {
		c.unknown(path, "a $ref is not followed")
		return
	}
	for _, v := range values {
		if err := s.Check(v); err != nil {
			c.wrong(path, "%s is not admitted", jsonOf(v))
		}
	}
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "a value"
	}
	return clip(string(text))
}
