package suite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
)

const schemaOfX = "input: {type: object, required: [text], additionalProperties: false, properties: {text: {type: string, minLength: 1, maxLength: 50}, count: {type: integer, minimum: 1, maximum: 9}, mode: {enum: [fast, slow]}}}\noutput: {type: object, required: [text]}\n"

// tool returns the capability x; more has further lines of its record, suiteText its
// tests.yaml.
func tool(t *testing.T, more, suiteText string) capability.Capability {
	t.Helper()
	return named(t, "x", more, suiteText)
}

func named(t *testing.T, name, more, suiteText string) capability.Capability {
	t.Helper()
	if !strings.Contains(more, "input:") {
		more += schemaOfX
	}
	files := map[string]string{
		"skills/" + name + "/SKILL.md":        "---\nname: " + name + "\ndescription: Does one thing. Use it when it is needed.\n---\n# X\n",
		"skills/" + name + "/scripts/main.py": "x",
		"skills/" + name + "/capability.yaml": "kind: tool\nversion: 1.0.0\nrun: {runtime: python, entry: scripts/main.py}\n" + more,
	}
	if suiteText != "" {
		files["skills/"+name+"/tests.yaml"] = suiteText
	}
	c, ds, err := capability.Load(tree.MapOf(files), "skills/"+name)
	if err != nil || ds.HasErrors() {
		t.Fatal(ds, err)
	}
	return c
}

func finder(t *testing.T, all ...func() (string, string, string)) suite.Finder {
	return func(name string) (capability.Capability, bool, error) {
		for _, f := range all {
			if n, more, text := f(); n == name {
				return named(t, n, more, text), true, nil
			}
		}
		return capability.Capability{}, false, nil
	}
}

// program is a tool as a function of its decoded input.
type program func(input map[string]any) suite.Outcome

func (p program) run(_ context.Context, call suite.Call) (suite.Outcome, error) {
	var input map[string]any
	if err := json.Unmarshal(call.Input, &input); err != nil {
		return suite.Outcome{}, fmt.Errorf("the input of %s: %w", call.Case, err)
	}
	return p(input), nil
}

// judged runs the standard cases of c against a tool.
func judged(t *testing.T, c capability.Capability, run suite.Runner) suite.Report {
	t.Helper()
	cases, ds := suite.StandardCases(c)
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	var outcomes [][]suite.Outcome
	for _, k := range cases {
		call, err := k.Call()
		if err != nil {
			t.Fatal(err)
		}
		o, err := run(context.Background(), call)
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, []suite.Outcome{o})
	}
	return suite.Judge(suite.SubjectOf(c, ""), cases, outcomes)
}

// right returns a program that validates its input by the schema of x and answers.
func right(t *testing.T) program {
	schema, err := capability.CompileSchema(tool(t, "", "").Record.Input)
	if err != nil {
		t.Fatal(err)
	}
	return func(input map[string]any) suite.Outcome {
		if err := schema.Check(input); err != nil {
			return exited(2, "", err.Error())
		}
		return exited(0, `{"text":"ok"}`, "")
	}
}

// TestStandardCasesCatchWrongTools: each kind of standard case detects a tool that is
// wrong in one way, and no other kind does.
func TestStandardCasesCatchWrongTools(t *testing.T) {
	c, fine := tool(t, "", ""), right(t)
	ok := exited(0, `{"text":"ok"}`, "")
	text := func(input map[string]any) (string, bool) { s, is := input["text"].(string); return s, is }
	for name, w := range map[string]struct {
		program program
		fails   []suite.Kind
	}{
		"right": {fine, nil},
		"answers another shape": {func(in map[string]any) suite.Outcome {
			if o := fine(in); o.Exit != 0 {
				return o
			}
			return exited(0, `["ok"]`, "")
		}, []suite.Kind{suite.Happy, suite.LongInput}},
		"exits 0 silently": {func(in map[string]any) suite.Outcome {
			if o := fine(in); o.Exit != 0 {
				return o
			}
			return exited(0, "", "")
		}, []suite.Kind{suite.Happy, suite.Timeout, suite.LongInput, suite.Boundary}},
		"makes up what is missing": {func(in map[string]any) suite.Outcome {
			if _, there := in["text"]; !there && in["invalid_param"] == nil {
				return ok
			}
			return fine(in)
		}, []suite.Kind{suite.MissingRequired}},
		"breaks on what is missing": {func(in map[string]any) suite.Outcome {
			if _, there := in["text"]; !there && in["invalid_param"] == nil {
				return exited(1, "", "Traceback (most recent call last):\n  File \"x\"\nKeyError: 'text'\n")
			}
			return fine(in)
		}, []suite.Kind{suite.MissingRequired}},
		"takes any type": {func(in map[string]any) suite.Outcome {
			if _, is := in["count"].(string); is {
				return ok
			}
			return fine(in)
		}, []suite.Kind{suite.InvalidType}},
		"knows no bounds": {func(in map[string]any) suite.Outcome {
			if n, is := in["count"].(float64); is && n > 9 {
				return ok
			}
			return fine(in)
		}, []suite.Kind{suite.InvalidValue}},
		"is off by one": {func(in map[string]any) suite.Outcome {
			if in["count"] == 9.0 {
				return exited(1, "", "Traceback (most recent call last):\n  File \"x\"\nIndexError: list index out of range\n")
			}
			return fine(in)
		}, []suite.Kind{suite.Boundary}},
		"does not know one mode": {func(in map[string]any) suite.Outcome {
			if in["mode"] == "slow" {
				return suite.Outcome{Ended: suite.Crashed, Message: "key slow not in dict"}
			}
			return fine(in)
		}, []suite.Kind{suite.Boundary}},
		"ignores what it does not know": {func(in map[string]any) suite.Outcome {
			if in["invalid_param"] != nil {
				return ok
			}
			return fine(in)
		}, []suite.Kind{suite.ErrorHandling}},
		"hangs on long input": {func(in map[string]any) suite.Outcome {
			if s, _ := text(in); len(s) > 40 && in["count"] == nil && in["mode"] == nil && !strings.HasPrefix(s, "aaaa") {
				return suite.Outcome{Ended: suite.TimedOut}
			}
			return fine(in)
		}, []suite.Kind{suite.Timeout}},
	} {
		r := judged(t, c, w.program.run)
		failed := map[suite.Kind]bool{}
		for _, res := range r.Cases {
			if res.Verdict != suite.Pass {
				failed[res.Kind] = true
			}
		}
		want := map[suite.Kind]bool{}
		for _, k := range w.fails {
			want[k] = true
		}
		if d := cmp.Diff(want, failed); d != "" {
			t.Errorf("%s (-want +got):\n%s\n%+v", name, d, r.Cases)
		}
	}
}

func TestStandardCases(t *testing.T) {
	for name, c := range map[string]struct {
		record string
		want   []string
	}{
		"the seed's constants": {
			"input: {type: object, required: [s, i, n, b, a, o], properties: {s: {type: string}, i: {type: integer}, n: {type: number}, b: {type: boolean}, a: {type: array}, o: {type: object}}}\n",
			[]string{
				`happy path {"a":[],"b":true,"i":42,"n":3.14,"o":{},"s":"test_s"} answers 1 true`,
				`missing required a {"b":true,"i":42,"n":3.14,"o":{},"s":"test_s"} refuses 0.8 true`,
				`error handling {"invalid_param":"test"} refuses 0.9 true`,
				`invalid type of a {"a":"not_an_array","b":true,"i":42,"n":3.14,"o":{},"s":"test_s"} refuses 0.6 false`,
				`invalid type of b {"a":[],"b":"not_a_boolean","i":42,"n":3.14,"o":{},"s":"test_s"} refuses 0.6 false`,
				`invalid type of i {"a":[],"b":true,"i":"not_a_number","n":3.14,"o":{},"s":"test_s"} refuses 0.6 false`,
				`invalid type of s {"a":[],"b":true,"i":42,"n":3.14,"o":{},"s":12345} refuses 0.6 false`,
			},
		},
		"an example is what is tried": {
			"input: {type: object, required: [text], properties: {text: {type: string}}}\nexamples: [{input: {text: hello}, output: {n: 1}}]\n",
			[]string{`happy path {"text":"hello"} expects 1 true`, `missing required text {} refuses 0.8 true`},
		},
		"secrets and hosts are not to be had": {
			"requires: {secrets: [TOKEN]}\ninput: {type: object}\n",
			[]string{`happy path {} ends 1 true`, `error handling {"invalid_param":"test"} ends 0.9 true`, `timeout {} ends 0.7 false`},
		},
		"references and what is nested": {
			"input: {type: object, required: [rows], properties: {rows: {type: array, items: {$ref: '#/$defs/row'}}}, $defs: {row: {type: object, required: [id], properties: {id: {type: string, pattern: '^[A-Z]{2}-[0-9]+$'}, next: {$ref: '#/$defs/row'}}}}}\n",
			[]string{
				`happy path {"rows":[{"id":"AA-1"}]} answers 1 true`,
				`missing required rows[0].id {"rows":[{}]} refuses 0.8 true`,
				`invalid type of rows[0].id {"rows":[{"id":12345}]} refuses 0.6 false`,
				`invalid type of rows[0].next {"rows":[{"id":"AA-1","next":"not_an_object"}]} refuses 0.6 false`,
				`with rows[0].next {"rows":[{"id":"AA-1","next":{"id":"AA-1"}}]} ends 0.6 false`,
			},
		},
		"bounds": {
			"input: {type: object, required: [n, l], properties: {n: {type: number, exclusiveMinimum: 0, maximum: 2.5}, l: {type: array, minItems: 2, maxItems: 3, uniqueItems: true, items: {type: string}}, day: {type: string, format: date}}}\n",
			[]string{
				`happy path {"l":["test_l","test_l1"],"n":2.5} answers 1 true`,
				`n beyond its maximum {"l":["test_l","test_l1"],"n":3.5} refuses 0.6 false`,
				`n beyond its exclusiveMinimum {"l":["test_l","test_l1"],"n":0} refuses 0.6 false`,
				`l below its minItems {"l":["test_l"],"n":2.5} refuses 0.6 false`,
				`l above its maxItems {"l":["test_l","test_l1","test_l2","test_l3"],"n":2.5} refuses 0.6 false`,
				`with day {"day":"2026-02-04","l":["test_l","test_l1"],"n":2.5} ends 0.6 false`,
			},
		},
		"what is combined": {
			"input: {type: object, allOf: [{required: [a], properties: {a: {type: integer, minimum: 50}}}], oneOf: [{required: [b], properties: {b: {const: 1}}}, {required: [c]}]}\n",
			[]string{`happy path {"a":50,"b":1} answers 1 true`, `a beyond its minimum {"a":49,"b":1} refuses 0.6 false`},
		},
	} {
		cases, ds := suite.StandardCases(tool(t, c.record, ""))
		if len(ds) > 0 {
			t.Errorf("%s: %v", name, ds)
		}
		got := map[string]bool{}
		var all []string
		for _, k := range cases {
			input, err := json.Marshal(k.Input)
			if err != nil {
				t.Fatal(err)
			}
			line := fmt.Sprintf("%s %s %s %v %v", k.Name, input, k.Demand, k.Weight, k.Required)
			got[line] = true
			all = append(all, line)
		}
		for _, want := range c.want {
			if !got[want] {
				t.Errorf("%s: no %s in\n%s", name, want, strings.Join(all, "\n"))
			}
		}
		again, _ := suite.StandardCases(tool(t, c.record, ""))
		if d := cmp.Diff(fmt.Sprint(names(cases)), fmt.Sprint(names(again))); d != "" {
			t.Errorf("%s: other cases the second time: %s", name, d)
		}
	}
}

func names(cases []suite.Case) (out []string) {
	for _, c := range cases {
		out = append(out, c.Name+" "+fmt.Sprint(c.Input))
	}
	return out
}

func TestStandardCasesRefuse(t *testing.T) {
	record := func(input map[string]any) capability.Capability {
		return capability.Capability{Folder: capability.FolderOf("skills/x"), Record: capability.Record{Kind: capability.KindTool, Input: input}}
	}
	object := func(props map[string]any, more ...any) map[string]any {
		out := map[string]any{"type": "object", "properties": props}
		for i := 0; i+1 < len(more); i += 2 {
			out[more[i].(string)] = more[i+1]
		}
		return out
	}
	ref := func(to string) map[string]any { return map[string]any{"$ref": to} }
	for name, c := range map[string]struct {
		input map[string]any
		want  string
	}{
		"remote":                  {object(map[string]any{"a": ref("https://example.org/schema.json")}), "error"},
		"another file":            {object(map[string]any{"a": ref("other.json#/a")}, "required", []any{"a"}), "error"},
		"nowhere":                 {object(map[string]any{"a": ref("#/$defs/none")}, "required", []any{"a"}), "error"},
		"a loop of references":    {object(map[string]any{"a": ref("#/$defs/a")}, "required", []any{"a"}, "$defs", map[string]any{"a": ref("#/$defs/b"), "b": ref("#/$defs/a")}), "error"},
		"itself":                  {object(map[string]any{"a": ref("#")}, "required", []any{"a"}), "error"},
		"itself, if one likes":    {object(map[string]any{"a": ref("#")}), ""},
		"a list of itself":        {object(map[string]any{"a": map[string]any{"type": "array", "items": ref("#")}}, "required", []any{"a"}), ""},
		"nothing can be imagined": {object(map[string]any{"a": map[string]any{"not": map[string]any{"type": "string"}}}, "required", []any{"a"}), "note"},
		"no schema":               {nil, ""},
	} {
		cases, ds := suite.StandardCases(record(c.input))
		got := ""
		if len(ds) > 0 {
			got = ds[0].Severity.String()
			if ds[0].Rule != suite.RuleStandard {
				t.Errorf("%s: %v", name, ds)
			}
		}
		if got != c.want || (len(cases) > 0) != (c.want == "" && c.input != nil) {
			t.Errorf("%s: %v, %d cases", name, ds, len(cases))
		}
	}
}

// TestStandardCasesAreBounded: a few lines of schema can require a billion values. The
// work is bounded, and feasible cases are still made.
func TestStandardCasesAreBounded(t *testing.T) {
	const many = "input: {type: object, required: [%s], properties: {b: {type: integer}, a: {type: array, minItems: 1000, items: {type: array, minItems: 1000, items: {type: array, minItems: 1000, items: {type: integer}}}}}}\n"
	made, found := suite.StandardCases(tool(t, fmt.Sprintf(many, "a"), ""))
	if len(made) != 0 || found.HasErrors() || len(found) != 1 || !strings.Contains(found[0].Message, "no input that fits") {
		t.Errorf("%d cases, %v", len(made), found)
	}
	made, found = suite.StandardCases(tool(t, fmt.Sprintf(many, "b"), ""))
	if len(made) == 0 || found.HasErrors() || len(found) != 1 || !strings.Contains(found[0].Message, "asks for so much") {
		t.Errorf("%d cases, %v", len(made), found)
	}
}
