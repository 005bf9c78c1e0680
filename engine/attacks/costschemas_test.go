package attacks_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
)

func schemaDefences() map[string]defence {
	const at = "TestAttackCostOfSchemas/"
	return map[string]defence{
		"checks-have-a-budget":           {attack: at + "recursive"},
		"references-lead-where-they-say": {attack: at + "dynamic"},
	}
}

// draft07 is where dependencies hold schemas.
const draft07 = `"$schema":"http://json-schema.org/draft-07/schema#",`

// both are ways to apply the schemas A and B to one value.
func both() map[string]string {
	return map[string]string{
		"allOf": `{"allOf":[A,B]}`, "anyOf": `{"anyOf":[{"not":A},B]}`, "oneOf": `{"oneOf":[{"not":A},B]}`, "if": `{"if":A,"then":B}`,
		"else": `{"if":{"not":A},"else":B}`, "not": `{"allOf":[{"not":{"not":A}},B]}`, "dependentSchemas": `{"dependentSchemas":{"a":A,"b":B}}`,
		"dependencies": `{"dependencies":{"a":A,"b":B}}`,
	}
}

// inside are ways to apply the schema S to what is in a value; those of arrays first.
func inside() (arrays, objects map[string]string) {
	arrays = map[string]string{"items": `{"items":S}`, "prefixItems": `{"prefixItems":[S]}`, "contains": `{"contains":S,"minContains":0}`, "unevaluatedItems": `{"unevaluatedItems":S}`}
	objects = map[string]string{
		"properties": `{"properties":{"a":S}}`, "patternProperties": `{"patternProperties":{"^a":S}}`,
		"additionalProperties": `{"additionalProperties":S}`, "unevaluatedProperties": `{"unevaluatedProperties":S}`,
	}
	return arrays, objects
}

// nested is a value in a value, as deep as deep.
func nested(deep int, in func(any) any) any {
	var v any = "x"
	for range deep {
		v = in(v)
	}
	return v
}

// A schema that is short, and doubles its work with each level of a value or of itself, is refused
// before it is used, or when it is. So no record keeps its readers busy.
func TestAttackCostOfSchemas(t *testing.T) {
	attack(t, "recursive", func(d *world) {
		n := 0
		arrays, objects := inside()
		for name, two := range both() {
			for _, ways := range []map[string]string{arrays, objects} {
				v := nested(19, func(v any) any { return []any{v} })
				if ways["properties"] != "" {
					v = nested(19, func(v any) any { return map[string]any{"a": v, "b": true} })
				}
				for way, step := range ways {
					if name == "dependencies" && way != "items" && !strings.HasSuffix(way, "Properties") && way != "properties" || name == "dependencies" && strings.HasPrefix(way, "unevaluated") {
						continue // the older draft lacks it
					}
					n += 2
					d.doubles(fmt.Sprint("twice each in ", way, " by ", name), strings.ReplaceAll(step, "S", paired(two, `{"$ref":"#"}`)), v)
					d.doubles(fmt.Sprint("by ", name, " each in ", way), paired(two, strings.ReplaceAll(step, "S", `{"$ref":"#"}`)), v)
				}
			}
		}
		if n < 100 {
			d.Errorf("%d variants", n)
		}
	})
	attack(t, "dynamic", func(d *world) {
		n := 0
		_, objects := inside()
		for name, two := range both() {
			for way, step := range objects {
				for deep := 10; deep < 14; deep++ {
					n++
					v := nested(deep, func(v any) any { return map[string]any{"a": v, "b": true} })
					d.doubles(fmt.Sprint("by ", name, " in ", way, ", ", deep), rerouted(two, step), v)
				}
			}
		}
		if n < 100 {
			d.Errorf("%d variants", n)
		}
	})
}

func paired(two, s string) string { return strings.NewReplacer("A", s, "B", s).Replace(two) }

// rerouted is a schema that applies another one twice, whose reference seems to lead to itself and
// leads back to the first.
func rerouted(two, step string) string {
	inner := strings.ReplaceAll(step, "S", `{"$dynamicRef":"#n"}`)
	return `{"$dynamicAnchor":"n","$defs":{"in":{"$id":"in","$dynamicAnchor":"n",` + inner[1:] + `},` + paired(two, `{"$ref":"in"}`)[1:]
}

// doubles holds a value against a schema, after which a reader has counted too many steps.
func (d *world) doubles(name, schema string, value any) {
	d.Helper()
	if d.Failed() {
		return // without the defence, each takes long
	}
	if strings.Contains(schema, `"dependencies"`) {
		schema = "{" + draft07 + schema[1:]
	}
	var given any
	d.ok(json.Unmarshal([]byte(schema), &given))
	s, err := capability.CompileSchema(given)
	if err == nil {
		err = s.Check(value)
	}
	if err == nil || !strings.Contains(err.Error(), "steps") && !strings.Contains(err.Error(), "is not followed") && !strings.Contains(err.Error(), "expands to") {
		d.succeeds("%s: %s is checked to the end: %v", name, schema, err)
	}
}
