package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/plan"
)

// TestParse: every fault of a plan is reported with its rule, line and column.
func TestParse(t *testing.T) {
	for name, tc := range map[string]struct {
		src  string
		want []string
	}{
		"sound":          {`{"goal": "g", "steps": [{"tool": "a", "args": {}}, {"tool": "b__c"}]}`, nil},
		"nulls":          {`{"goal": "g", "steps": [{"tool": "a", "args": null}], "reason": null, "requires_new_skill": null}`, nil},
		"a gap":          {`{"goal": "g", "requires_new_skill": true, "missing_capability": "fax", "reason": "r", "steps": []}`, nil},
		"empty":          {" \n", []string{"plan-form 1:1"}},
		"no JSON":        {"{\"goal\": \"g\",\n  \"steps\": [}", []string{"plan-form 2:13"}},
		"a fence":        {"```json\n{}\n```", []string{"plan-form 1:1"}},
		"two plans":      {"{}\n{}", []string{"plan-form 2:1"}},
		"a list":         {"[]", []string{"plan-form 1:1"}},
		"no text":        {"\xff", []string{"plan-form 0:0"}},
		"nothing":        {"\n {}", []string{"plan-form 2:2", "plan-form 2:2"}},
		"no steps":       {`{"goal": "g"}`, []string{"plan-form 1:1"}},
		"misspelt":       {"{\"goal\": \"g\",\n \"require_new_skill\": true}", []string{"plan-form 2:23"}},
		"twice":          {"{\"goal\": \"g\", \"steps\": [{\"tool\": \"a\"}],\n\"steps\": []}", []string{"plan-form 2:10"}},
		"types":          {"{\"goal\": 1,\n\"steps\": {}}", []string{"plan-form 1:10", "plan-form 2:10"}},
		"other case":     {`{"Goal": "g", "steps": [{"tool": "a"}]}`, []string{"plan-form 1:10"}},
		"odd steps":      {"{\"goal\": \"g\", \"steps\": [\n1,\nnull,\n{\"args\": {}},\n{\"tool\": \" \"},\n{\"tool\": 7},\n{\"tool\": \"a\", \"args\": [1]},\n{\"tool\": \"a\", \"after\": 1}]}", []string{"plan-form 2:1", "plan-form 3:1", "plan-form 4:1", "plan-form 5:1", "plan-form 6:10", "plan-form 7:23", "plan-form 8:24"}},
		"no name":        {`{"goal": "g", "steps": [{"tool": "a\nb"}, {"tool": "` + strings.Repeat("x", 201) + `"}]}`, []string{"plan-form 1:34", "plan-form 1:52"}},
		"steps in a gap": {"{\"goal\": \"g\", \"requires_new_skill\": true, \"missing_capability\": \"fax\", \"reason\": \"r\",\n\"steps\": [{\"tool\": \"a\"}]}", []string{"plan-steps 2:11"}},
		"a gap of what":  {`{"goal": "g", "requires_new_skill": true}`, []string{"plan-form 1:37", "plan-form 1:37"}},
		"a secret gap":   {`{"goal": "g", "steps": [{"tool": "a"}], "missing_capability": "fax"}`, []string{"plan-form 1:63"}},
		"too many":       {`{"goal": "g", "steps": [` + strings.Repeat(`{"tool": "a"},`, 200) + `{"tool": "a"}]}`, []string{"plan-form 1:24"}},
		"too large":      {`{"goal": "` + strings.Repeat("x", plan.MaxBytes) + `"}`, []string{"plan-form 0:0"}},
	} {
		p, ds := plan.Parse("p.json", []byte(tc.src))
		var got []string
		for _, d := range ds {
			got = append(got, fmt.Sprintf("%s %d:%d", d.Rule, d.Line, d.Column))
			if d.File != "p.json" || d.Fix == "" {
				t.Errorf("%s: %+v", name, d)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
		if name == "sound" && (p.Goal != "g" || len(p.Steps) != 2 || p.Steps[1].Tool != "b__c" || p.Steps[1].Pos.Column != 52 || string(p.Steps[0].Args) != "{}") {
			t.Errorf("%+v", p)
		}
	}
}

// TestFaultsAreBounded: a plan of megabytes with a fault in each field is not read for minutes.
func TestFaultsAreBounded(t *testing.T) {
	for _, src := range []string{
		"{" + strings.Repeat(`"x": 1, `, 400_000) + `"x": 1}`,
		`{"goal": "g", "steps": [` + strings.Repeat(`{"x": 1, "y": 2}, `, 199) + `{"x": 1}]}`,
	} {
		if _, ds := plan.Parse("p", []byte(src)); len(ds) < 50 || len(ds) > 52 {
			t.Errorf("%d faults", len(ds))
		}
	}
}

// FuzzParse: no text breaks the program, and places are inside of it.
func FuzzParse(f *testing.F) {
	f.Add(`{"goal": "g", "steps": [{"tool": "a", "args": {"x": [1, {}]}}]}`)
	f.Add("{\"goal\": \"語\",\n\"steps\": [1, null, {\"tool\": 3, \"tool\": \"b\"}], \"x\": 1}")
	f.Add(`{"requires_new_skill": true, "missing_capability": "\ud83d", "steps": [{}]}`)
	f.Fuzz(func(t *testing.T, src string) {
		p, ds := plan.Parse("p", []byte(src))
		lines := strings.Count(src, "\n") + 1
		for _, d := range ds {
			if d.Line > lines || d.Fix == "" || d.Rule == "" {
				t.Errorf("%+v", d)
			}
		}
		for _, s := range p.Steps {
			if s.Pos.Line < 1 || s.Pos.Line > lines || src[offset(src, s.Pos.Line, s.Pos.Column):] == "" {
				t.Errorf("%+v", s)
			}
		}
		if !ds.HasErrors() && (p.Goal == "" || p.RequiresNewSkill == (len(p.Steps) > 0)) {
			t.Errorf("%+v is sound", p)
		}
	})
}

func offset(src string, line, column int) int {
	at := 0
	for range line - 1 {
		at += strings.IndexByte(src[at:], '\n') + 1
	}
	return at + column - 1
}
