package capability

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"sort"
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

// keywords compares sub with each keyword of super.
func (c *comparison) keywords(sub, super map[string]any, path string) {
	keys := make([]string, 0, len(super))
	for k := range super {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if reflect.DeepEqual(sub[k], super[k]) && !refersIn(super[k]) && sameBeside(k, sub, super) {
			continue
		}
		c.keyword(k, sub, super, path)
	}
}

// sameBeside reports whether a keyword has the same meaning in both schemas. Some depend
// on neighbours: additionalProperties covers those that properties does not name.
func sameBeside(k string, sub, super map[string]any) bool {
	var beside []string
	switch k {
	case "additionalProperties":
		beside = []string{"properties", "patternProperties"}
	case "unevaluatedProperties":
		beside = []string{"properties", "patternProperties", "additionalProperties", "allOf", "anyOf", "oneOf", "if", "then", "else", "$ref"}
	case "items":
		beside = []string{"prefixItems"}
	case "unevaluatedItems":
		beside = []string{"prefixItems", "items", "contains", "allOf", "anyOf", "oneOf", "if", "then", "else", "$ref"}
	case "contains":
		beside = []string{"minContains", "maxContains"}
	}
	return !slices.ContainsFunc(beside, func(b string) bool { return !reflect.DeepEqual(sub[b], super[b]) })
}

// refersIn reports whether a part of a schema has references and so may mean something
// else elsewhere.
func refersIn(v any) bool {
	text, err := json.Marshal(v)
	return err != nil || strings.Contains(string(text), `"$ref"`)
}

func (c *comparison) keyword(k string, sub, super map[string]any, path string) {
	switch k {
	case "type":
		c.types(sub, super, path)
	case "enum", "const":
		c.wrong(path, "only %s is admitted", jsonOf(super[k]))
	case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		c.bound(k, sub, super, path)
	case "uniqueItems":
		if most, ok := sub["maxItems"].(float64); super[k] == true && (!ok || most > 1) {
			c.wrong(path, "elements may repeat")
		}
	case "items":
		if !sameBeside(k, sub, super) {
			c.unknown(path, "prefixItems is not decided")
		}
		if most, ok := sub["maxItems"].(float64); !ok || most > 0 {
			c.fits(orTrue(sub["items"]), super["items"], path+"[]")
		}
	case "properties":
		c.properties(sub, super, path)
	case "required":
		c.required(sub, super, path)
	case "additionalProperties":
		c.additional(sub, super, path)
	case "allOf":
		for _, part := range list(super[k]) {
			c.fits(sub, part, path)
		}
	case "anyOf":
		for _, part := range list(super[k]) {
			if c.alone(sub, part, path).sure() {
				return
			}
		}
		c.unknown(path, "anyOf is not decided")
	default:
		c.unknown(path, "%s is not decided", k)
	}
}

// orTrue returns the schema, or one that accepts everything if it is nil.
func orTrue(schema any) any {
	if schema == nil {
		return map[string]any{}
	}
	return schema
}

func list(v any) []any {
	out, _ := v.([]any)
	return out
}

func typesOf(s map[string]any) []string {
	if one, ok := s["type"].(string); ok {
		return []string{one}
	}
	var out []string
	for _, t := range list(s["type"]) {
		if name, ok := t.(string); ok {
			out = append(out, name)
		}
	}
	return out
}

func (c *comparison) types(sub, super map[string]any, path string) {
	may := typesOf(super)
	have := typesOf(sub)
	if len(have) == 0 {
		c.wrong(path, "may be of any type, and has to be %s", strings.Join(may, " or "))
		return
	}
	for _, t := range have {
		if !slices.Contains(may, t) && (t != "integer" || !slices.Contains(may, "number")) {
			c.wrong(path, "may be %s, and has to be %s", t, strings.Join(may, " or "))
		}
	}
}

// bound compares limits of one side; an exclusive limit is narrower than an inclusive one
// of the same number. A limit on a type that sub excludes has no effect.
func (c *comparison) bound(k string, sub, super map[string]any, path string) {
	of := "number"
	switch {
	case strings.HasSuffix(k, "Length"):
		of = "string"
	case strings.HasSuffix(k, "Items"):
		of = "array"
	case strings.HasSuffix(k, "Properties"):
		of = "object"
	}
	have := typesOf(sub)
	if len(have) > 0 && !slices.Contains(have, of) && (of != "number" || !slices.Contains(have, "integer")) {
		return
	}
	low := strings.Contains(strings.ToLower(k), "min")
	want, _ := super[k].(float64)
	if limit, open, there := limitOf(sub, k, low); there {
		strict := strings.HasPrefix(k, "exclusive")
		if low && (limit > want || limit == want && (open || !strict)) || !low && (limit < want || limit == want && (open || !strict)) {
			return
		}
	} else if low && want <= 0 && of != "number" {
		return
	}
	c.wrong(path, "may be beyond %s %s", k, jsonOf(super[k]))
}

// limitOf returns the narrowest limit of a schema on the side of a keyword.
func limitOf(s map[string]any, k string, low bool) (limit float64, open, there bool) {
	keys := []string{k}
	switch k {
	case "minimum", "exclusiveMinimum":
		keys = []string{"minimum", "exclusiveMinimum"}
	case "maximum", "exclusiveMaximum":
		keys = []string{"maximum", "exclusiveMaximum"}
	}
	limit = math.Inf(1)
	if low {
		limit = math.Inf(-1)
	}
	for _, key := range keys {
		n, ok := s[key].(float64)
		if ok && (low && n >= limit || !low && n <= limit) {
			limit, open, there = n, strings.HasPrefix(key, "exclusive"), true
		}
	}
	return limit, open, there
}

func (c *comparison) properties(sub, super map[string]any, path string) {
	have, _ := sub["properties"].(map[string]any)
	ask, _ := super["properties"].(map[string]any)
	for _, n := range sorted(ask) {
		if p, named := have[n]; named {
			c.fits(p, ask[n], path+"."+n)
		}
	}
}

func sorted(m map[string]any) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func (c *comparison) required(sub, super map[string]any, path string) {
	have := list(sub["required"])
	for _, n := range list(super["required"]) {
		if !slices.Contains(have, n) {
			c.wrong(path, "%s may be missing, and is required", jsonOf(n))
		}
	}
}

// additional compares properties that only sub names, and those that sub admits by
// additionalProperties.
func (c *comparison) additional(sub, super map[string]any, path string) {
	have, _ := sub["properties"].(map[string]any)
	ask, _ := super["properties"].(map[string]any)
	rest := super["additionalProperties"]
	for _, n := range sorted(have) {
		if _, named := ask[n]; named {
			continue
		}
		if super["patternProperties"] != nil {
			c.unknown(path, "patternProperties is not decided")
			return
		}
		if forbids(rest) {
			c.wrong(path, "%s is not known", jsonOf(n))
			continue
		}
		c.fits(have[n], rest, path+"."+n)
	}
	if more, is := sub["additionalProperties"].(map[string]any); is {
		c.fits(more, rest, path+".*")
	}
}
