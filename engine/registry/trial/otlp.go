package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The parts of a request to export logs, in the JSON mapping of OTLP 1.x: 64-bit integers are strings.
type (
	otlpValue struct {
		String *string     `json:"stringValue,omitempty"`
		Int    string      `json:"intValue,omitempty"`
		Double json.Number `json:"doubleValue,omitempty"`
		Bool   *bool       `json:"boolValue,omitempty"`
		Array  *otlpArray  `json:"arrayValue,omitempty"`
	}
	otlpArray struct {
		Values []otlpValue `json:"values"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpRecord struct {
		Time       string          `json:"timeUnixNano"`
		Observed   string          `json:"observedTimeUnixNano"`
		Severity   int             `json:"severityNumber"`
		Text       string          `json:"severityText"`
		Event      string          `json:"eventName"`
		Body       otlpValue       `json:"body"`
		Attributes []otlpAttribute `json:"attributes"`
	}
)

func otlpText(s string) otlpValue { return otlpValue{String: &s} }

// OTLP writes records as the body of a request to export logs. Each field is an attribute
// assent.trial.FIELD; resource describes who sends them.
func OTLP(resource map[string]string, trials []Trial) ([]byte, error) {
	records := make([]otlpRecord, 0, len(trials))
	for _, t := range trials {
		body := t.Capability + " " + string(t.Level)
		r := otlpRecord{
			Time: strconv.FormatInt(t.At.UnixNano(), 10), Observed: strconv.FormatInt(t.ID.Time().UnixNano(), 10),
			Severity: 9, Text: "INFO", Event: "assent.trial",
		}
		if t.Outcome == Failure {
			r.Severity, r.Text = 13, "WARN"
		}
		r.Body = otlpText(strings.TrimSpace(body + " " + string(t.Outcome)))
		line, err := json.Marshal(t)
		if err != nil {
			return nil, fmt.Errorf("write a trial: %w", err)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(line, &fields); err != nil {
			return nil, fmt.Errorf("write a trial: %w", err)
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			r.Attributes = append(r.Attributes, otlpAttribute{"assent.trial." + name, otlpOf(fields[name])})
		}
		records = append(records, r)
	}
	var from []otlpAttribute
	for _, name := range slices.Sorted(maps.Keys(resource)) {
		from = append(from, otlpAttribute{name, otlpText(resource[name])})
	}
	type m = map[string]any
	data, err := json.Marshal(m{"resourceLogs": []m{{
		"resource":  m{"attributes": from},
		"scopeLogs": []m{{"scope": m{"name": "assent.trials"}, "logRecords": records}},
	}}})
	return data, err
}

// otlpOf is the value of a field. An object becomes its JSON.
func otlpOf(field json.RawMessage) otlpValue {
	var s string
	var list []string
	switch {
	case json.Unmarshal(field, &s) == nil:
		return otlpText(s)
	case json.Unmarshal(field, &list) == nil:
		out := &otlpArray{Values: []otlpValue{}}
		for _, s := range list {
			out.Values = append(out.Values, otlpText(s))
		}
		return otlpValue{Array: out}
	case field[0] == '{':
		return otlpText(string(field))
	case field[0] == 't' || field[0] == 'f':
		is := field[0] == 't'
		return otlpValue{Bool: &is}
	case bytes.ContainsAny(field, ".eE"):
		return otlpValue{Double: json.Number(field)}
	}
	return otlpValue{Int: string(field)}
}

// OTLPRejected reads the answer to an export: how many records the collector rejected, and why.
func OTLPRejected(answer []byte) (n int, why string, err error) {
	var out struct {
		Partial struct {
			Rejected json.RawMessage `json:"rejectedLogRecords"`
			Message  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if len(answer) == 0 {
		return 0, "", nil
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		return 0, "", fmt.Errorf("the answer is none of a collector: %w", err)
	}
	if text := strings.Trim(string(out.Partial.Rejected), `"`); text != "" {
		n, err = strconv.Atoi(text)
	}
	return n, out.Partial.Message, err
}
