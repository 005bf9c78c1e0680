package tool

import (
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
)

// TestErrorAnswers: an answer that is an error is read alike by a call and by a test, and a call
// that fails so has the whole answer, counts as a failure and is explained by the record.
func TestErrorAnswers(t *testing.T) {
	all := map[string]string{"policies/autonomy.yaml": "executables: [tool]\n"}
	files(all, "say", record+"run: {runtime: starlark, entry: scripts/main.star}\nlayer: composed\nerror_patterns: [{match: no ink, means: It is dry}]\n",
		map[string]string{"scripts/main.star": "def main(input):\n  return input['say']\n"})
	files(all, "ask", record+"run: {runtime: starlark, entry: scripts/main.star}\nlayer: composed\n",
		map[string]string{"scripts/main.star": "def main(input):\n  return tools.say(**input)\n"})
	e := engine(t, all)
	e.Health = store(t, t.TempDir())
	run, err := NewTrial(e.View, e.Policies, nil, e.Now, "").Runner(load(t, e, "say"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ say, want string }{
		{`{"n":1}`, ""}, {`{"error":null}`, ""}, {`{"error":false}`, ""}, {`{"error":""}`, ""}, {`{"error":{}}`, ""}, {`[{"error":"x"}]`, ""}, {`"error"`, ""},
		{`{"error":"no paper","tray":2}`, "no paper"}, {`{"error":true,"message":"no paper"}`, "no paper"}, {`{"error":{"message":"no paper"}}`, "no paper"},
		{`{"error":7}`, "7"}, {`{"error":true}`, "it answers an error and does not say which"}, {`{"error":"one\ntwo"}`, "one"},
	} {
		res := do(t, e, "say", `{"say":`+tc.say+`}`)
		if tc.want == "" && (!res.Success || string(res.Result) != tc.say || res.Answer != nil) {
			t.Errorf("%s: %+v", tc.say, res)
		}
		if tc.want != "" && (res.Success || res.Type != Failed || res.Error != tc.want || string(res.Answer) != tc.say || res.Result != nil) {
			t.Errorf("%s: %s %q %s", tc.say, res.Type, res.Error, res.Answer)
		}
		out, err := run(t.Context(), suite.Call{Input: []byte(`{"say":` + tc.say + `}`)})
		if err != nil {
			t.Fatal(err)
		}
		_, met := suite.Case{Expect: capability.Expect{Succeeds: true}}.Check(out)
		if met != res.Success {
			t.Errorf("%s: for a test it succeeds: %t, for a call: %t", tc.say, met, res.Success)
		}
		do(t, e, "say", `{"say":1}`) // so that none are in a row
	}
	if got := stateOf(t, e, "say"); got.Failures != 6 {
		t.Errorf("%d failures are counted", got.Failures)
	}
	if res := do(t, e, "say", `{"say":{"error":"no ink"}}`); res.Hint != "It is dry" || stateOf(t, e, "say").Failures != 6 {
		t.Errorf("what the record knows: %q, %d failures", res.Hint, stateOf(t, e, "say").Failures)
	}
	if res := do(t, e, "ask", `{"say":{"error":"no paper"}}`); res.Type != Failed {
		t.Errorf("what a composed tool calls: %+v", res)
	}
}

func load(t *testing.T, e *Engine, name string) capability.Capability {
	t.Helper()
	c, _, err := e.catalogue().find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
