package capability

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"sort"
	"strings"
)

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
