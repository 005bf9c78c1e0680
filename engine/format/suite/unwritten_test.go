package suite_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/format/suite"
)

// TestUnwrittenAnswer: an answer that only says the code is missing is not an answer,
// wherever the text is. A text with more content is one.
func TestUnwrittenAnswer(t *testing.T) {
	for _, c := range []struct {
		value any
		met   bool
	}{
		{"Not implemented yet.", false},
		{map[string]any{"result": []any{"TODO: not implemented"}}, false},
		{map[string]any{"result": "this is not yet implemented"}, false},
		{map[string]any{"status": "501 Not Implemented"}, true},
		{map[string]any{"lines": 1.0}, true},
	} {
		run := suite.Outcome{Ended: suite.Answered, Value: c.value}
		cases := []suite.Case{{Name: "a call", Demand: suite.Answers, Weight: 1, Required: true}, {Name: "ends", Demand: suite.Ends, Weight: 1}}
		report := suite.Judge(suite.Subject{Name: "x", Alone: true}, cases[1:], [][]suite.Outcome{{run}})
		if cause, met := cases[0].Check(run); met != c.met || (report.Mastery > 0) != c.met {
			t.Errorf("%v: %q, %v, mastery %v", c.value, cause, met, report.Mastery)
		}
	}
}
