package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
)

// Plan is what an agent intends to do.
type Plan struct {
	Goal  string
	Steps []Step
	// RequiresNewSkill: no steps reach the goal, because Missing is missing. Reason says why nothing in force will do.
	RequiresNewSkill bool
	Missing, Reason  string
	// MissingPos is the place of Missing.
	MissingPos diag.Pos
}

// Step uses one capability.
type Step struct {
	// Tool is a capability in any spelling, or server__method.
	Tool string `json:"tool"`
	// Args is a JSON object; nil is an empty one.
	Args json.RawMessage `json:"args,omitempty"`
	Pos  diag.Pos        `json:"-"`
}

const (
	// MaxBytes is the largest plan.
	MaxBytes = 4 << 20
	// MaxSteps is how many steps a plan can have.
	MaxSteps = 200
	// maxTool bounds the name in a step, in bytes: a server's name and that of its method.
	maxTool = 200
	// maxFaults is how many faults are reported: each is looked up in the text.
	maxFaults = 50
)

// Parse reads a plan. With errors in the list, the plan has what could be read.
func Parse(file string, src []byte) (p Plan, ds diag.List) {
	r := reader{file: file, src: src, ds: &ds}
	if !r.readable() {
		return p, ds
	}
	var steps []json.RawMessage
	at := r.object(0, len(src), "the plan", map[string]any{
		"goal": &p.Goal, "steps": &steps, "requires_new_skill": &p.RequiresNewSkill, "missing_capability": &p.Missing, "reason": &p.Reason,
	})
	if p.MissingPos = r.pos(at["missing_capability"]); ds.HasErrors() {
		return p, ds
	}
	if len(steps) > MaxSteps {
		ds.Errorf(RuleForm, r.pos(at["steps"]), "plan a part of the goal, and the rest when that is done", "the plan has %d steps, more than %d", len(steps), MaxSteps)
		return p, ds
	}
	for i, place := range r.items(at["steps"], steps) {
		if len(ds) >= maxFaults {
			break
		}
		step := Step{Pos: r.pos(place)}
		what := fmt.Sprintf("step %d", i+1)
		before := len(ds)
		if fields := r.object(place, place+len(steps[i]), what, map[string]any{"tool": &step.Tool, "args": &step.Args}); len(ds) == before {
			r.step(step, what, fields)
		}
		p.Steps = append(p.Steps, step)
	}
	r.whole(p, at)
	return p, ds
}

// step checks one step.
func (r reader) step(s Step, what string, at map[string]int) {
	args := strings.TrimSpace(string(s.Args))
	switch name := strings.TrimSpace(s.Tool); {
	case name == "":
		r.ds.Errorf(RuleForm, s.Pos, `name what it uses: {"tool": "parse_csv", "args": {…}}`, "%s names no tool", what)
	case len(name) > maxTool || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' }):
		r.ds.Errorf(RuleForm, r.pos(at["tool"]), "write the name of a capability", "the tool of %s is no name", what)
	}
	if args != "" && args != "null" && args[0] != '{' {
		r.ds.Errorf(RuleForm, r.pos(at["args"]), "write a JSON object", "the args of %s are no object", what)
	}
}

// whole checks that the parts of a plan go together.
func (r reader) whole(p Plan, at map[string]int) {
	begin, missing := r.pos(at[""]), strings.TrimSpace(p.Missing)
	if strings.TrimSpace(p.Goal) == "" {
		r.ds.Errorf(RuleForm, begin, `say what is to be reached: "goal"`, "the plan has no goal")
	}
	switch {
	case !p.RequiresNewSkill && missing != "":
		r.ds.Errorf(RuleForm, p.MissingPos, `add "requires_new_skill": true, or leave missing_capability out`, "the plan names a missing capability and does not require one")
	case !p.RequiresNewSkill && len(p.Steps) == 0:
		r.ds.Errorf(RuleForm, begin, `write steps; or "requires_new_skill": true with missing_capability and reason`, "the plan has no steps")
	case !p.RequiresNewSkill:
		return
	case missing == "":
		r.ds.Errorf(RuleForm, r.pos(at["requires_new_skill"]), "name it: missing_capability", "the plan does not say which capability is missing")
	}
	if p.RequiresNewSkill && strings.TrimSpace(p.Reason) == "" {
		r.ds.Errorf(RuleForm, r.pos(at["requires_new_skill"]), "say why nothing in force will do: reason", "the plan does not say why a new capability is required")
	}
	if p.RequiresNewSkill && len(p.Steps) > 0 {
		r.ds.Errorf(RuleSteps, p.Steps[0].Pos, "remove the steps: a plan ends where a capability is missing", "the plan requires a new capability and has %d steps", len(p.Steps))
	}
}

// readable refuses what is no JSON.
func (r reader) readable() bool {
	if len(r.src) > MaxBytes {
		r.ds.Errorf(RuleForm, diag.Pos{File: r.file}, "hand large texts over as files, and name them in args", "the plan has more than %d bytes", MaxBytes)
		return false
	}
	if !utf8.Valid(r.src) {
		r.ds.Errorf(RuleForm, diag.Pos{File: r.file}, "write it in UTF-8", "the plan is no text in UTF-8")
		return false
	}
	return r.valid()
}
