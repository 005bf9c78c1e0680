package capability

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Acquired is a tool whose code was submitted, with one call that it has answered.
type Acquired struct {
	Name, Group, Description string
	Runtime                  Runtime
	// Entry is the file of the code, such as scripts/main.py.
	Entry, Code string
	// Input is the JSON Schema of its argument.
	Input map[string]any
	// Payload is the argument of that call, a JSON object.
	Payload map[string]any
	// Expect is the expectation of its first case; nil before the first call.
	Expect map[string]any
}

// firstCase is the name of an acquired tool's first test case.
const firstCase = "the call that it was proposed with"

// writtenSuite is the form in which a tests.yaml is written.
type writtenSuite struct {
	Cases []writtenCase `yaml:"cases"`
}

type writtenCase struct {
	Name   string         `yaml:"name"`
	Input  map[string]any `yaml:"input"`
	Expect map[string]any `yaml:"expect"`
	Tags   []string       `yaml:"tags"`
}

// Files returns the folder of the tool, with paths from the workspace's root. Its status
// is active: only a merge is missing.
func (a Acquired) Files() ([]tree.Edit, diag.List) {
	out := names.CheckCapability(a.Name, diag.Pos{})
	dir := tree.Join(Root, a.Name)
	if a.Group != "" {
		out.Add(names.CheckGroup(a.Group, diag.Pos{})...)
		dir = tree.Join(tree.Join(Root, a.Group), a.Name)
	}
	if out.HasErrors() {
		return nil, out
	}
	edits := a.sheet().render(dir, &out, part{"acquired.md.tmpl", SkillFile, true})
	add := func(name string, v any) {
		content, err := strictyaml.Marshal(v)
		if err != nil {
			out.Errorf(RuleScaffold, diag.Pos{File: tree.Join(dir, name)}, "hand over plain JSON: text in UTF-8, and numbers that YAML can hold", "%v", err)
			return
		}
		edits = append(edits, tree.Edit{Path: tree.Join(dir, name), Mode: tree.Regular, Content: content})
	}
	add(RecordFile, Record{
		Kind: KindTool, Version: "1.0.0", Layer: LayerBase, Status: Active,
		Run:   &Run{Runtime: a.Runtime, Entry: a.Entry, Timeout: Duration(30 * time.Second), Memory: 256 << 20},
		Input: a.Input, Risk: RiskLow, Examples: []Example{{Input: a.Payload}},
	})
	if a.Expect != nil {
		add(SuiteFile, writtenSuite{[]writtenCase{{firstCase, a.Payload, a.Expect, []string{TagSmoke}}}})
	}
	return append(edits, tree.Edit{Path: tree.Join(dir, a.Entry), Mode: tree.Regular, Content: []byte(a.Code)}), out
}

// sheet returns the values for SKILL.md. The description ends with how to call the tool,
// because agents see the description first.
func (a Acquired) sheet() *sheet {
	s := newSheet(a.Name, ScaffoldOptions{Description: a.Description}, "Does what its code says. "+situations)
	if a.Description != "" {
		how := fmt.Sprintf("Call it by name: %s.", s.Callable)
		if r := []rune(s.Description); len(r) > MaxDescription-len(how)-1 {
			s.Description = strings.TrimSpace(string(r[:MaxDescription-len(how)-2])) + "…"
		}
		if last := s.Description[len(s.Description)-1]; !strings.ContainsRune(".!?", rune(last)) && !strings.HasSuffix(s.Description, "…") {
			s.Description += "."
		}
		s.Description = oneLineText(s.Description + " " + how)
	}
	s.Payload, s.Inputs = a.shown(), a.inputs()
	return s
}

// maxShown bounds the payload in SKILL.md, in bytes.
const maxShown = 2000

// shown returns the payload for a code fence, without backticks that would end the fence.
func (a Acquired) shown() string {
	text, err := json.MarshalIndent(a.Payload, "", "  ")
	if err != nil || len(text) > maxShown {
		return ""
	}
	return strings.ReplaceAll(string(text), "`", `\u0060`)
}

// inputs returns the members of the input schema, one per line.
func (a Acquired) inputs() []string {
	members, _ := a.Input["properties"].(map[string]any)
	required, _ := a.Input["required"].([]any)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		line := "`" + strings.ReplaceAll(oneLineText(name), "`", "'") + "`"
		if slices.Contains(required, any(name)) {
			line += " (required)"
		}
		about, _ := members[name].(map[string]any)
		if text, _ := about["description"].(string); text != "" {
			line += ": " + oneLineText(text)
		}
		out = append(out, line)
	}
	return out
}
