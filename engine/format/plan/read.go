package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// reader decodes JSON with the place of each value, as an offset in src.
type reader struct {
	file string
	src  []byte
	ds   *diag.List
}

func (r reader) pos(offset int) diag.Pos {
	before := r.src[:min(max(offset, 0), len(r.src))]
	return diag.Pos{File: r.file, Line: 1 + bytes.Count(before, []byte("\n")), Column: len(before) - bytes.LastIndexByte(before, '\n')}
}

// valid reports whether src is one JSON value.
func (r reader) valid() bool {
	var raw json.RawMessage
	err := json.Unmarshal(r.src, &raw)
	var broken *json.SyntaxError
	if err == nil {
		return true
	}
	at := 0
	if errors.As(err, &broken) {
		at = int(broken.Offset) - 1
	}
	const shape = `write one JSON object and nothing around it: {"goal": "…", "steps": [{"tool": "…", "args": {…}}]}`
	if len(bytes.TrimSpace(r.src)) == 0 {
		r.ds.Errorf(RuleForm, r.pos(0), shape, "the plan is empty")
		return false
	}
	r.ds.Errorf(RuleForm, r.pos(at), shape, "the plan is no JSON: %v", err)
	return false
}

// object decodes the object between two offsets of valid JSON into the targets of its fields. It returns the place of
// each value, and its own under "". Fields that are unknown or occur twice are faults: one of them may be what counts.
func (r reader) object(begin, end int, what string, targets map[string]any) map[string]int {
	dec := json.NewDecoder(bytes.NewReader(r.src[begin:end]))
	open, err := dec.Token()
	at := map[string]int{"": begin + int(dec.InputOffset()) - 1}
	if err != nil || open != json.Delim('{') {
		r.ds.Errorf(RuleForm, r.pos(begin), "write a JSON object", "%s is no object", what)
		return at
	}
	for dec.More() && len(*r.ds) < maxFaults {
		token, err := dec.Token()
		key, _ := token.(string)
		var raw json.RawMessage
		if err == nil {
			err = dec.Decode(&raw)
		}
		if err != nil { // it is valid, so that this is not reached
			r.ds.Errorf(RuleForm, r.pos(begin), "write JSON", "%s cannot be read: %v", what, err)
			return at
		}
		place := begin + int(dec.InputOffset()) - len(raw)
		target, known := targets[key]
		_, twice := at[key]
		switch {
		case !known:
			r.unknown(place, what, key, targets)
			continue
		case twice:
			r.ds.Errorf(RuleForm, r.pos(place), "write it once", "%s has %s twice", what, key)
			continue
		}
		if at[key] = place; json.Unmarshal(raw, target) != nil {
			r.ds.Errorf(RuleForm, r.pos(place), "write "+wanted(target), "%s of %s is not %s", key, what, wanted(target))
		}
	}
	return at
}

func (r reader) unknown(place int, what, key string, targets map[string]any) {
	fix := "leave it out"
	if near := strictyaml.Nearest(key, slices.Sorted(maps.Keys(targets))); near != "" {
		fix = "write " + near
	}
	if len(key) > maxTool {
		key = key[:maxTool]
	}
	r.ds.Errorf(RuleForm, r.pos(place), fix, "%s has no field %q", what, key)
}

// wanted describes the JSON for a target.
func wanted(target any) string {
	switch target.(type) {
	case *string:
		return "a text"
	case *bool:
		return "true or false"
	}
	return "a list"
}

// items returns the place of each value of a list that begins at an offset.
func (r reader) items(begin int, values []json.RawMessage) []int {
	var out []int
	for _, raw := range values {
		// Only white space and one mark are between a value and the next.
		begin++
		begin += bytes.Index(r.src[begin:], raw)
		out = append(out, begin)
		begin += len(raw)
	}
	return out
}
