package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/engine/gate/workflow"
)

// MaxOutputs bounds the values of one script, as JSON, in bytes.
const MaxOutputs = 8 << 10

// ReadOutputs reads the declared outputs from what a script wrote: the last line of its standard
// output is a JSON object with exactly these values. why says what is wrong, "" if nothing is.
func ReadOutputs(declared []workflow.Output, stdout string) (values map[string]any, why string) {
	if len(declared) == 0 {
		return nil, ""
	}
	text := strings.TrimRight(stdout, "\r\n")
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if len(line) > MaxOutputs {
		return nil, fmt.Sprintf("its outputs have more than %d bytes; write them to a file below $ASSENT_ARTIFACTS", MaxOutputs)
	}
	if _, twice, err := eachOnce([]byte(line)); err != nil || twice != "" || json.Unmarshal([]byte(line), &values) != nil || values == nil {
		return nil, "the last line of its standard output is no JSON object with its outputs; print " + example(declared) + " last"
	}
	for _, o := range declared {
		v, there := values[o.Name]
		right := false
		switch v.(type) {
		case string:
			right = o.Type == "string"
		case float64:
			right = o.Type == "number"
		case bool:
			right = o.Type == "boolean"
		}
		switch {
		case !there:
			return nil, fmt.Sprintf("its output %s is missing", o.Name)
		case !right:
			return nil, fmt.Sprintf("its output %s is no %s", o.Name, o.Type)
		case strings.ContainsRune(fmt.Sprint(v), 0): // no variable of an environment can hold it
			return nil, fmt.Sprintf("its output %s has a NUL byte", o.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.ContainsFunc(declared, func(o workflow.Output) bool { return o.Name == name }) {
			return nil, fmt.Sprintf("its output %s is not declared; add it to outputs, or leave it out", strconv.Quote(name[:min(len(name), 64)]))
		}
	}
	return values, ""
}

// example is a line with the declared outputs.
func example(declared []workflow.Output) string {
	var out []string
	for _, o := range declared {
		value := map[string]string{"string": `"…"`, "number": "1", "boolean": "true"}[o.Type]
		out = append(out, fmt.Sprintf("%q: %s", o.Name, value))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// Needed returns the environment in which a script gets the outcomes and outputs of the jobs that it
// needs: ASSENT_NEEDS_JOB_OUTCOME and ASSENT_NEEDS_JOB_NAME.
func Needed(w workflow.Workflow, s State, j workflow.Job) map[string]string {
	out := map[string]string{}
	for need, facts := range s.needed(w, j) {
		facts, _ := facts.(map[string]any)
		for fact, v := range facts {
			name := workflow.NeededVariable(need, fact)
			switch v := v.(type) {
			case string:
				out[name] = v
			case bool:
				out[name] = strconv.FormatBool(v)
			case float64:
				out[name] = strconv.FormatFloat(v, 'f', -1, 64)
			}
		}
	}
	return out
}
