package capability_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/capability"
)

// yamlValue reads a schema as it is written in a record.
func yamlValue(t *testing.T, text string) any {
	t.Helper()
	doc, ds := strictyaml.Parse("x", []byte("v: "+text+"\n"), 1, strictyaml.DefaultLimits())
	var found diag.List
	v := doc.Root().Get("v").Value(&found)
	if ds.HasErrors() || found.HasErrors() {
		t.Fatalf("%s: %v %v", text, ds, found)
	}
	return v
}

func TestFits(t *testing.T) {
	for _, c := range []struct{ sub, super, want string }{ // want: "" fits, "? …" undecided, else a part of the reason
		{"{type: integer}", "{type: number}", ""},
		{"{type: number}", "{type: integer}", "may be number"},
		{"{}", "{type: text}", "any type"},
		{"{type: string}", "{}", ""},
		{"{type: string, description: a}", "{type: string, title: b, format: date}", ""},
		{"{type: [string, 'null']}", "{type: string}", "may be null"},
		{"{type: string, maxLength: 5}", "{type: string, maxLength: 9}", ""},
		{"{type: string}", "{type: string, maxLength: 9}", "beyond maxLength 9"},
		{"{type: string}", "{type: string, minLength: 0}", ""},
		{"{type: number, exclusiveMinimum: 0}", "{type: number, minimum: 0}", ""},
		{"{type: number, minimum: 0}", "{type: number, exclusiveMinimum: 0}", "beyond exclusiveMinimum"},
		{"{type: number, minimum: 1}", "{type: number, exclusiveMinimum: 0}", ""},
		{"{type: string}", "{type: string, minimum: 3}", ""},
		{"{enum: [a, b]}", "{type: string, maxLength: 1}", ""},
		{"{enum: [a, bb]}", "{type: string, maxLength: 1}", `"bb" is not admitted`},
		{"{enum: [a]}", "{enum: [a, b]}", ""},
		{"{type: string}", "{enum: [a, b]}", "only"},
		{"{const: 1}", "{type: integer}", ""},
		{"{type: array, items: {type: integer}}", "{type: array, items: {type: number}}", ""},
		{"{type: array}", "{type: array, items: {type: number}}", "[]: may be of any type"},
		{"{type: array, maxItems: 0}", "{type: array, items: {type: number}}", ""},
		{"{type: array, maxItems: 3}", "{type: array, uniqueItems: true}", "may repeat"},
		{"{type: object, properties: {a: {type: string}}, required: [a]}", "{type: object, properties: {a: {type: string}, b: {type: integer}}, required: [a]}", ""},
		{"{type: object, properties: {a: {type: string}}}", "{type: object, required: [a]}", `"a" may be missing`},
		{"{type: object, properties: {a: {type: string}, b: {}}}", "{type: object, properties: {a: {}}, additionalProperties: false}", `"b" is not known`},
		{"{type: object, properties: {a: {type: string}}}", "{type: object, properties: {a: {type: string}}, additionalProperties: false}", ""},
		{"{type: object, properties: {a: {}, b: {}}, additionalProperties: false}", "{type: object, properties: {a: {}}, additionalProperties: false}", `"b" is not known`},
		{"{type: object, properties: {a: {}}, additionalProperties: false}", "{type: object, properties: {a: {}, b: {}}, additionalProperties: false}", ""},
		{"{properties: {a: {}}, unevaluatedProperties: false}", "{properties: {}, unevaluatedProperties: false}", "? unevaluatedProperties is not decided"},
		{"{type: array, prefixItems: [{type: string}], items: {type: integer}}", "{type: array, items: {type: integer}}", "? prefixItems is not decided"},
		{"{type: object, additionalProperties: {type: string}}", "{type: object, additionalProperties: {type: integer}}", ".*: may be string"},
		{"{type: object, properties: {a: {type: object, properties: {b: {type: string}}}}}", "{type: object, properties: {a: {type: object, properties: {b: {type: integer}}}}}", ".a.b: may be string"},
		{"{type: string, pattern: a}", "{type: string, pattern: a}", ""},
		{"{type: string, pattern: a}", "{type: string, pattern: b}", "? pattern is not decided"},
		{"{type: string}", "{anyOf: [{type: integer}, {type: string}]}", ""},
		{"{type: boolean}", "{anyOf: [{type: integer}, {type: string}]}", "? anyOf is not decided"},
		{"{type: string, maxLength: 3}", "{allOf: [{type: string}, {maxLength: 4}]}", ""},
		{"{type: string}", "{not: {type: integer}}", "? not is not decided"},
		{"{anyOf: [{type: integer}]}", "{type: integer}", "? anyOf was not looked into"},
		{"{type: array, items: {$ref: '#/$defs/a'}, $defs: {a: {type: integer}}}", "{type: array, items: {$ref: '#/$defs/b'}, $defs: {b: {type: number}}}", ""},
		{"{type: array, items: {$ref: '#/$defs/a'}, $defs: {a: {type: integer}}}", "{type: array, items: {$ref: '#/$defs/a'}, $defs: {a: {type: string}}}", "may be integer"},
		{"{type: object, properties: {n: {$ref: '#'}, v: {type: integer}}}", "{type: object, properties: {n: {$ref: '#'}, v: {type: number}}}", ""},
		{"{type: object, properties: {a: {}}}", "{type: object, properties: {a: false}}", "nothing may stand there"},
		{"{type: object, properties: {x: {$ref: '#/$defs/a'}, y: {$ref: '#/$defs/a'}}, $defs: {a: {type: integer}}}",
			"{type: object, properties: {x: {type: integer}, y: {type: string}}}", "may be integer"},
		{"{type: object, properties: {x: {type: integer}, y: {type: string}}}",
			"{type: object, properties: {x: {$ref: '#/$defs/a'}, y: {$ref: '#/$defs/a'}}, $defs: {a: {type: integer}}}", "may be string"},
		{"{type: object, properties: {x: {type: object, properties: {v: {$ref: '#/$defs/a'}}}, y: {$ref: '#/$defs/a'}}, $defs: {a: {type: integer}}}",
			"{type: object, properties: {x: {anyOf: [{properties: {v: {$ref: '#/$defs/b'}}}, {}]}, y: {$ref: '#/$defs/b'}}, $defs: {b: {type: string}}}", "may be integer"},
		{"{enum: [a]}", "{$ref: '#/$defs/s', $defs: {s: {type: integer}}}", "not admitted"},
	} {
		fit := capability.Fits(yamlValue(t, c.sub), yamlValue(t, c.super))
		got := strings.Join(fit.Wrong, "; ")
		if len(fit.Wrong) == 0 && len(fit.Unknown) > 0 {
			got = "? " + strings.Join(fit.Unknown, "; ")
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s in %s: %q, want %q", c.sub, c.super, got, c.want)
		}
	}
}

// TestFitsIsBounded: alternatives that refer to each other mean very many comparisons,
// which are bounded.
func TestFitsIsBounded(t *testing.T) {
	const depth = 40
	defs := map[string]any{fmt.Sprint("d", depth): map[string]any{"type": "string"}}
	for i := range depth {
		next := map[string]any{"$ref": fmt.Sprint("#/$defs/d", i+1)}
		part := func(other string) any {
			return map[string]any{"properties": map[string]any{"p": next, "q": map[string]any{"type": other}}}
		}
		defs[fmt.Sprint("d", i)] = map[string]any{"anyOf": []any{part("integer"), part("number")}}
	}
	sub := map[string]any{"type": "object", "properties": map[string]any{"p": map[string]any{"$ref": "#"}}}
	fit := capability.Fits(sub, map[string]any{"$ref": "#/$defs/d0", "$defs": defs})
	if len(fit.Unknown) == 0 {
		t.Errorf("decided: %+v", fit)
	}
	fit = capability.Fits(sub, map[string]any{"allOf": []any{map[string]any{"$ref": "#/$defs/d0"}}, "$defs": defs})
	if len(fit.Unknown) == 0 {
		t.Errorf("decided: %+v", fit)
	}
}
