package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/sandbox/redact"
)

// observed returns the trial of a call that ran, from its redacted result. Its summaries have the form
// of input and answer and no value: values stay on the machine.
func (e *Engine) observed(j job, res Result, said health.Outcome, failed *refusal) trial.Observation {
	o := trial.Observation{
		At: e.Now(), Source: trial.Engine, Level: trial.Followed, Agent: e.Agent, Model: e.Model, Mission: e.Mission, Tags: e.Context,
		Capability: j.capability.Name, Version: j.capability.Version, Method: j.method,
		MS: min(res.MS, trial.MaxTime.Milliseconds()), Cost: min(res.cost, trial.MaxCost),
		InputSummary: redact.New(j.secrets).String(form(j.input)), OutputSummary: form(res.Result),
	}
	o.Blob = j.digest
	if failed != nil && failed.kind != Interrupted && failed.pattern != nil {
		o.Pattern, o.Returned = health.PatternKey(failed.pattern.Match), failed.pattern.Resolved
	}
	switch said {
	case health.Passed:
		o.Outcome = trial.Success
	case health.Failed:
		o.Outcome, o.Error, o.Call = trial.Failure, string(res.Type), callKey(e.Agent, j)
	default:
		o.Error = string(res.Type)
	}
	return o.Neat().Summarised(e.Policies.Retention.Trials.NoSummaries)
}

// form describes a JSON value without its content: the keys of an object with the kinds of
// their values.
func form(value json.RawMessage) string {
	if len(value) == 0 {
		return ""
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return ""
	}
	object, ok := v.(map[string]any)
	if !ok {
		return kindOf(v)
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		parts = append(parts, key+" "+kindOf(object[key]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return fmt.Sprintf("text(%d)", utf8.RuneCountInString(v))
	case []any:
		return fmt.Sprintf("list(%d)", len(v))
	case map[string]any:
		return fmt.Sprintf("object(%d)", len(v))
	}
	return "value"
}
