package critic

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
)

func use(name string, o trial.Outcome, class string) Use {
	return Use{Name: name, Level: trial.Followed, Outcome: o, Error: class, Tokens: 10}
}

// TestRules: what the documents promise.
func TestRules(t *testing.T) {
	loaded := Use{Name: "a", Level: trial.Loaded}
	fails, works, half := use("a", trial.Failure, "timeout"), use("a", trial.Success, ""), use("a", trial.Partial, "")
	for name, tc := range map[string]struct {
		outcome trial.Outcome
		health  health.State
		uses    []Use
		want    float64
		issues  string
		advice  string
	}{
		"it worked":            {"success", "", []Use{works}, 1, "", ""},
		"no outcome of all":    {"", "", []Use{works, fails}, 0.5, "1 of 2 calls failed: timeout; they took 10 tokens", "make it faster, or raise its timeout"},
		"half":                 {"", "", []Use{half}, 0.5, "", ""},
		"worked, in vain":      {"failure", "", []Use{works}, 0.5, "the outcome of the whole was failure", ""},
		"again and again":      {"success", "", []Use{fails, fails, works}, 0.47, "2 of 3", "what to change"},
		"a text that misled":   {"failure", "", []Use{loaded}, 0, "the outcome", "say in its text"},
		"a text that helped":   {"success", "", []Use{loaded}, 1, "", ""},
		"sick":                 {"success", health.Red, []Use{works}, 0.8, "its health here is red", "assent health a"},
		"flaky":                {"success", health.Flaky, []Use{works}, 0.9, "flaky", ""},
		"all is bad":           {"failure", health.Rejected, slices.Repeat([]Use{fails}, 9), 0, "9 of 9", ""},
		"not the tool's fault": {"partial", "", []Use{use("a", trial.Open, "invalid_input")}, 0.5, "calls did not run: invalid_input", "which input it takes"},
		"an unknown class":     {"", "", []Use{use("a", trial.Failure, "moon")}, 0, "moon", "tests.yaml"},
	} {
		e := Evidence{Outcome: tc.outcome}
		for _, u := range tc.uses {
			e.Add(u)
		}
		e.Tools[0].Health = tc.health
		got := e.Judge()
		if len(got) != 1 || got[0].Satisfaction != tc.want || !strings.Contains(strings.Join(got[0].Issues, "; "), tc.issues) || !strings.Contains(strings.Join(got[0].Recommendations, "; "), tc.advice) {
			t.Errorf("%s: %+v, want %v", name, got, tc.want)
		}
	}
	e := Evidence{}
	e.Add(loaded)
	if got := e.Judge(); got == nil || len(got) != 0 {
		t.Errorf("without any outcome: %+v", got)
	}
}

// TestOf: a mission's trials in their order; what was only linked, and critiques, are no evidence.
func TestOf(t *testing.T) {
	of := func(l trial.Level, o trial.Outcome) trial.Trial {
		return trial.Trial{Observation: trial.Observation{Capability: "a", Level: l, Outcome: o, Tokens: 5}}
	}
	e := Of(trial.Mission{Task: "sort", Outcome: trial.Success}, []trial.Trial{
		of(trial.Listed, ""), of(trial.Loaded, ""), of(trial.Followed, trial.Failure), of(trial.Followed, trial.Success), of(trial.Verdict, trial.Success), of(trial.Judged, ""),
	})
	if len(e.Tools) != 1 || e.Tools[0].Loaded != 1 || e.Tools[0].Calls != 2 || e.Tools[0].Retries != 1 || e.Tools[0].Tokens != 15 || e.Goal != "sort" {
		t.Errorf("%+v", e.Tools[0])
	}
}

func tools() []*Tool { return []*Tool{{Name: "parse-csv"}, {Name: "slugify"}} }

func answer(tool string, more string) string {
	return fmt.Sprintf(`{"tool_effectiveness":[{"tool_name":%q%s}]}`, tool, more)
}

// TestAnswer: a bad answer is refused as a whole, and the error says what is wrong.
func TestAnswer(t *testing.T) {
	got, err := Read([]byte(answer("Parse_CSV", `,"satisfaction":0.337,"issues":["a"],"recommendations":[]`)), tools())
	if err != nil || len(got) != 1 || got[0].Tool != "parse-csv" || got[0].Satisfaction != 0.34 {
		t.Fatal(got, err)
	}
	long := strings.Repeat("x", maxRemark+1)
	for text, says := range map[string]string{
		"":                          "requested form",
		"I think that it did well.": "requested form",
		"```json\n" + answer("slugify", `,"satisfaction":1`) + "\n```": "requested form",
		"[]":                  "requested form",
		"null":                "judges 0 tools",
		"{}":                  "judges 0 tools",
		answer("slugify", ""): "satisfaction is missing",
		answer("slugify", `,"satisfaction":null`):                                                                    "satisfaction is missing",
		answer("slugify", `,"satisfaction":NaN`):                                                                     "requested form",
		answer("slugify", `,"satisfaction":"1"`):                                                                     "requested form",
		answer("slugify", `,"satisfaction":1e999`):                                                                   "requested form",
		answer("slugify", `,"satisfaction":1.001`):                                                                   "want 0 to 1",
		answer("slugify", `,"satisfaction":-1`):                                                                      "want 0 to 1",
		answer("rm -rf ~", `,"satisfaction":1`):                                                                      "none of the tools",
		answer("", `,"satisfaction":1`):                                                                              "none of the tools",
		answer("slugify", `,"satisfaction":1,"verdict":"good"`):                                                      "requested form",
		answer("slugify", `,"satisfaction":1,"issues":["a","b","c","d"]`):                                            "at most 3",
		answer("slugify", `,"satisfaction":1,"issues":["`+long+`"]`):                                                 "more than 1000 characters",
		answer("slugify", `,"satisfaction":1,"recommendations":["a\u001b[2Jb"]`):                                     "control characters",
		answer("slugify", `,"satisfaction":1`) + "{}":                                                                "more than one JSON value",
		`{"tool_effectiveness":[{"tool_name":"slugify","satisfaction":1},{"tool_name":"Slugify","satisfaction":0}]}`: "or twice",
		`{"tool_effectiveness":[` + strings.Repeat(`{},`, 200) + `{}]}`:                                              "judges 201 tools",
		strings.Repeat(" ", 10<<20):                                                                                  "more than",
		strings.Repeat("[", 200_000):                                                                                 "requested form",
	} {
		if got, err := Read([]byte(text), tools()); err == nil || got != nil || !strings.Contains(err.Error(), says) || len(err.Error()) > 1000 {
			t.Errorf("%.80s: %v, %.200v, want %s", text, got, err, says)
		}
	}
}

// TestResult: what is no result document is refused with its step.
func TestResult(t *testing.T) {
	for text, says := range map[string]string{
		`{"steps":[{"tool":"a","outcome":"success"}]} {}`:                                 "more than one",
		`{"steps":[` + strings.Repeat(`{"tool":"a","outcome":"success"},`, 1000) + `{}]}`: "1001 steps",
		`{"steps":[{"tool":"a","outcome":"success"},{"tool":"b","outcome":"ok"}]}`:        "step 2",
		`{"steps":{}}`: "form",
	} {
		if _, err := ReadResult([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	if !IsResult([]byte(` {"steps":[]}`)) || IsResult([]byte(`{"type":"assistant"}`)) || IsResult([]byte("{\"steps\":[]}\n{}")) {
		t.Error("a result document is told from a transcript by its steps")
	}
}

// TestCalled: which capability a client's call is of.
func TestCalled(t *testing.T) {
	for _, tc := range []struct {
		tool, input, want string
		level             trial.Level
	}{
		{"mcp__assent__call", `{"input":{"name":"x","a":[1]},"name":"parse-csv"}`, "parse-csv", trial.Followed},
		{"mcp__assent__call", `{"name":"parse-csv","input":{"text":"cut of`, "parse-csv", trial.Followed},
		{"mcp__assent__call", `{"name":["a"],"inp`, "", trial.Followed},
		{"mcp__assent__load", `{"name":"clean-a-csv"}`, "clean-a-csv", trial.Loaded},
		{"mcp__assent__find", `{"words":"parse-csv"}`, "", ""},
		{"mcp__jira__create", `{}`, "jira", trial.Followed},
		{"Skill", `{"skill":"clean-a-csv"}`, "clean-a-csv", trial.Loaded},
		{"Skill", `clean-a-csv`, "clean-a-csv", trial.Loaded},
		{"Bash", `cd x && assent -C ../a run-tool "parse-csv" --input '{}'`, "parse-csv", trial.Followed},
		{"Bash", `assent list; echo run-tool parse-csv`, "", ""},
		{"Read", `{"name":"parse-csv"}`, "", ""},
		{"parse_csv", `{}`, "parse_csv", trial.Followed},
	} {
		if got, level := Called(tc.tool, tc.input); got != tc.want || level != tc.level {
			t.Errorf("%s %s: %q %s, want %q %s", tc.tool, tc.input, got, level, tc.want, tc.level)
		}
	}
	if got := Names("jira__create"); len(got) != 2 || got[1] != "jira" {
		t.Error(got)
	}
}

// TestEnds: the end of a long session fits.
func TestEnds(t *testing.T) {
	all := []Event{{Said: strings.Repeat("a", MaxShown)}, {Tool: "b"}, {Said: "c"}}
	if got := Ends(all); len(got) != 2 || got[0].Tool != "b" {
		t.Errorf("%d events", len(got))
	}
	if got := Ends(all[:1]); len(got) != 1 {
		t.Errorf("%d events", len(got))
	}
}

// FuzzRead: whatever a critic answers, what is read can be recorded.
func FuzzRead(f *testing.F) {
	f.Add([]byte(answer("slugify", `,"satisfaction":0.5,"issues":["a"],"recommendations":["b\u2028c"]`)))
	f.Add([]byte(answer("slugify", `,"satisfaction":-0`)))
	f.Add([]byte(`{"tool_effectiveness":[{"tool_name":"slugify","satisfaction":1e-320,"issues":["\ud800"]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := Read(text, tools())
		if (err == nil) == (len(got) == 0) {
			t.Fatalf("%d judgements and %v", len(got), err)
		}
		for _, j := range got {
			o := trial.Observation{Source: trial.Self, Level: trial.Judged, Capability: j.Tool, Critic: &trial.Critique{
				Satisfaction: j.Satisfaction, By: "x", Issues: j.Issues, Recommendations: j.Recommendations,
			}}
			if err := o.Neat().Summarised(false).Check(); err != nil && !strings.HasPrefix(err.Error(), "at:") {
				t.Error(err)
			}
		}
	})
}
