package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// OTLP writes records as the body of a request to export logs, in the JSON mapping of OTLP 1.x, where
// 64-bit integers are strings. Each field is an attribute assent.trial.FIELD; resource describes who
// sends them.
func OTLP(resource map[string]any, trials []Trial) ([]byte, error) {
	var records []any
	for _, t := range trials {
		severity, text := 9, "INFO"
		if t.Outcome == Failure {
			severity, text = 13, "WARN"
		}
		line, err := json.Marshal(t)
		if err != nil {
			return nil, fmt.Errorf("write a trial: %w", err)
		}
		var fields map[string]any
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&fields); err != nil {
			return nil, fmt.Errorf("write a trial: %w", err)
		}
		records = append(records, map[string]any{
			"timeUnixNano": strconv.FormatInt(t.At.UnixNano(), 10), "observedTimeUnixNano": strconv.FormatInt(t.ID.Time().UnixNano(), 10),
			"severityNumber": severity, "severityText": text, "eventName": "assent.trial", "attributes": otlpAttributes("assent.trial.", fields),
			"body": otlpOf(strings.TrimSpace(t.Capability + " " + string(t.Level) + " " + string(t.Outcome))),
		})
	}
	return json.Marshal(map[string]any{"resourceLogs": []any{map[string]any{
		"resource":  map[string]any{"attributes": otlpAttributes("", resource)},
		"scopeLogs": []any{map[string]any{"scope": map[string]any{"name": "assent.trials"}, "logRecords": records}},
	}}})
}

// otlpAttributes lists fields by name.
func otlpAttributes(prefix string, fields map[string]any) (out []any) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		out = append(out, map[string]any{"key": prefix + name, "value": otlpOf(fields[name])})
	}
	return out
}

// otlpOf is a value. An object becomes its JSON.
func otlpOf(field any) map[string]any {
	switch v := field.(type) {
	case string:
		return map[string]any{"stringValue": v}
	case bool:
		return map[string]any{"boolValue": v}
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return map[string]any{"doubleValue": v}
		}
		return map[string]any{"intValue": v.String()}
	case []any:
		list := []any{}
		for _, e := range v {
			list = append(list, otlpOf(e))
		}
		return map[string]any{"arrayValue": map[string]any{"values": list}}
	}
	text, _ := json.Marshal(field) // it was JSON before
	return map[string]any{"stringValue": string(text)}
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
		return 0, "", fmt.Errorf("the answer is not a collector's: %w", err)
	}
	text := strings.Trim(string(out.Partial.Rejected), `"`)
	if text == "" || text == "null" {
		return 0, out.Partial.Message, nil
	}
	rejected, err := strconv.ParseFloat(text, 64) // ProtoJSON has integers also as 1.0 and 1e0
	if err == nil && !(math.Abs(rejected) < 1<<53) {
		err = fmt.Errorf("the answer says that %s records were rejected", text)
	}
	if err != nil {
		return 0, out.Partial.Message, err
	}
	return max(int(rejected), 0), out.Partial.Message, nil
}
