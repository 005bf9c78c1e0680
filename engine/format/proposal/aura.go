package proposal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

// aura is the JSON answer of AURA's limitation analysis.
type aura struct {
	Tool struct {
		Name          string         `json:"name"`
		Description   string         `json:"description"`
		Category      string         `json:"category"`
		Inputs        map[string]any `json:"inputs"`
		SideEffects   []string       `json:"side_effects"`
		RiskLevel     string         `json:"risk_level"`
		OSPermissions []string       `json:"os_permissions"`
	} `json:"proposed_tool"`
	Rationale    string   `json:"rationale"`
	Alternatives []string `json:"alternative_approaches"`
}

// specification is the capability.yaml of a tool without code.
type specification struct {
	Kind        string         `yaml:"kind"`
	Version     string         `yaml:"version"`
	Status      string         `yaml:"status"`
	Category    string         `yaml:"category,omitempty"`
	Input       map[string]any `yaml:"input,omitempty"`
	SideEffects []string       `yaml:"side_effects,omitempty"`
	Permissions []string       `yaml:"permissions,omitempty"`
	Risk        string         `yaml:"risk,omitempty"`
}

// parseAura converts AURA's answer to a proposal of a specification: metadata and schema,
// status researching, no code.
func parseAura(file string, src []byte) (Drafted, diag.List) {
	var a aura
	var out diag.List
	dec := json.NewDecoder(bytes.NewReader(src))
	err := oneReading(dec)
	if err == nil {
		err = json.Unmarshal(src, &a)
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		fix := "write a text"
		switch wrong.Type.Kind() {
		case reflect.Slice:
			fix = `write a list of texts, such as ["network"]`
		case reflect.Map, reflect.Struct:
			fix = "write an object"
		}
		out.Errorf(RuleJSON, diag.Pos{File: file, Line: lineAt(src, wrong.Offset)}, fix,
			"%s cannot be a value of type %s", cmp.Or(wrong.Field, "the answer"), wrong.Value)
		return Drafted{}, out
	case err != nil:
		out.Errorf(RuleJSON, diag.Pos{File: file, Line: lineAt(src, dec.InputOffset())},
			`write {"proposed_tool": {"name", "description", "inputs"}, "rationale"}`, "the JSON does not parse: %v", err)
		return Drafted{}, out
	}
	at, named := diag.Pos{File: file, Line: 1}, fieldAt(file, src, "name")
	name, bad := names.FoldTool(a.Tool.Name)
	for _, d := range bad {
		d.Pos = named
		out.Add(d)
	}
	if n := len([]rune(strings.TrimSpace(a.Tool.Description))); n < 10 {
		out.Errorf(RuleDescription, at, "say in at least ten characters what the tool does",
			"proposed_tool.description has %d characters", n)
	}
	if strings.TrimSpace(a.Rationale) == "" {
		out.Errorf(RuleRationale, at, "say why the tool is needed", "rationale is missing")
	}
	if a.Tool.Inputs != nil && a.Tool.Inputs["type"] != "object" {
		out.Warnf(RuleInputSchema, at, `add "type": "object" to inputs`, "inputs is not the schema of an object")
		a.Tool.Inputs["type"] = "object"
	}
	if out.HasErrors() {
		return Drafted{}, out
	}
	edits, err := a.edits(name)
	if err != nil {
		out.Errorf(RuleJSON, at, "simplify the draft", "the specification cannot be written as YAML: %v", err)
		return Drafted{}, out
	}
	_, bad = capability.ParseRecord(edits[1].Path, edits[1].Content)
	for _, d := range bad {
		key := keyAbove(edits[1].Content, d.Line)
		d.Pos = fieldAt(file, src, cmp.Or(map[string]string{"input": "inputs", "risk": "risk_level", "permissions": "os_permissions"}[key], key))
		if d.Severity == diag.Error {
			d.Fix = cmp.Or(d.Fix, "correct the field, and draft it again")
			out.Add(d)
		}
	}
	if out.HasErrors() {
		return Drafted{}, out
	}
	p := Proposal{
		Kind: Add, Goal: strings.TrimSpace(a.Tool.Description), Capability: name,
		Alternatives: a.Alternatives, Body: "# Why\n\n" + strings.TrimSpace(a.Rationale) + "\n",
	}
	return Drafted{Proposal: p, Edits: edits, Named: named}, out
}

// keyAbove is the top-level key that a line of a YAML text belongs to.
func keyAbove(src []byte, line int) (key string) {
	for text := range strings.Lines(string(src)) {
		if line--; line < 0 {
			break
		}
		if name, _, is := strings.Cut(text, ":"); is && text[0] >= 'a' && text[0] <= 'z' {
			key = name
		}
	}
	return key
}

// fieldAt is the line of a key, the first one if it is missing.
func fieldAt(file string, src []byte, key string) diag.Pos {
	return diag.Pos{File: file, Line: lineAt(src, int64(bytes.Index(bytes.ToLower(src), []byte(`"`+key+`"`))))}
}

func (a aura) edits(name string) ([]tree.Edit, error) {
	t := a.Tool
	group := "other"
	if strings.TrimSpace(t.Category) != "" {
		group = names.Suggest(t.Category)
	}
	if t.Inputs == nil {
		t.Inputs = map[string]any{"type": "object"}
	}
	record, err := strictyaml.Marshal(specification{
		Kind: "tool", Version: "0.1.0", Status: "researching", Category: group, Input: t.Inputs,
		SideEffects: lines(t.SideEffects), Permissions: lines(t.OSPermissions), Risk: t.RiskLevel,
	})
	if err != nil {
		return nil, err
	}
	skill, err := skillFile(name, t.Description, fmt.Sprintf(
		"# %s\n\n%s\n\nThis is a specification: it has no implementation yet and is never linked into a mission.\n",
		name, strings.TrimSpace(t.Description)))
	if err != nil {
		return nil, err
	}
	dir := "skills/" + group + "/" + name + "/"
	return []tree.Edit{
		{Path: dir + "SKILL.md", Content: skill},
		{Path: dir + "capability.yaml", Content: record},
	}, nil
}

// lines writes each text on one line and leaves out empty ones.
func lines(texts []string) []string {
	var out []string
	for _, t := range texts {
		if t = strings.Join(strings.Fields(t), " "); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// skillFile writes a SKILL.md with the two required keys.
func skillFile(name, description, body string) ([]byte, error) {
	front, err := strictyaml.Marshal(struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}{name, strings.Join(strings.Fields(description), " ")})
	if err != nil {
		return nil, err
	}
	return []byte("---\n" + string(front) + "---\n\n" + strings.TrimLeft(body, "\n")), nil
}

func lineAt(src []byte, offset int64) int {
	offset = min(max(offset, 0), int64(len(src)))
	return 1 + bytes.Count(src[:offset], []byte("\n"))
}
