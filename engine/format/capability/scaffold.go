package capability

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
)

//go:embed templates
var templates embed.FS

// ScaffoldOptions are the initial values of a new capability or soul. All are optional,
// except the template of a server.
type ScaffoldOptions struct {
	Group       string
	Description string
	// Runtime of a tool: python (the default), bash, node or starlark.
	Runtime Runtime
	// Template is the purpose of a server, Language its programming language: typescript
	// (the default) or python.
	Template Template
	Language Language
	// Hosts and Secrets are all that a server may access; none by default.
	Hosts, Secrets []string
}

// Scaffold returns the files of a new capability, with paths from the workspace's root.
// They pass every strict check, except for the warning about placeholders. A tool and a
// server validate their input and answer "not implemented"; no logic is invented.
func Scaffold(kind Kind, name string, o ScaffoldOptions) ([]tree.Edit, diag.List) {
	out := names.CheckCapability(name, diag.Pos{})
	dir := tree.Join(Root, name)
	if o.Group != "" {
		out.Add(names.CheckGroup(o.Group, diag.Pos{})...)
		dir = tree.Join(tree.Join(Root, o.Group), name)
	}
	if !slices.Contains(Kinds(), kind) {
		out.Errorf(RuleRecordKind, diag.Pos{}, "use one of "+wordsOf(Kinds()), "there is no kind %q", clip(string(kind)))
	}
	if out.HasErrors() {
		return nil, out
	}
	s := newSheet(name, o, fmt.Sprintf("Says in one sentence what %s does. %s", name, situations))
	switch kind {
	case KindTool:
		if out.Add(s.setRuntime(o.Runtime)...); out.HasErrors() {
			return nil, out
		}
		return s.render(dir, &out,
			part{"tool.md.tmpl", SkillFile, true},
			part{"capability.yaml.tmpl", RecordFile, false},
			part{"tests.yaml.tmpl", SuiteFile, false},
			part{s.script, s.Entry, false}), out
	case KindMCP:
		return s.server(dir, o, &out), out
	case KindAgent:
		return s.agent(dir, &out), out
	}
	return s.render(dir, &out, part{"skill.md.tmpl", SkillFile, true}), out
}

// ScaffoldSoul returns the SOUL.md of a new agent, with its path from the workspace's
// root.
func ScaffoldSoul(name string, o ScaffoldOptions) ([]tree.Edit, diag.List) {
	out := names.CheckAgent(name, diag.Pos{})
	if out.HasErrors() {
		return nil, out
	}
	s := newSheet(name, o, "Says in one paragraph who this agent is and whom it serves.")
	return s.render(string(names.SoulArea)+"/"+name, &out, part{"soul.md.tmpl", "SOUL.md", false}), out
}

// sheet holds the values for the templates.
type sheet struct {
	Name, Title, Callable, Description string
	Risk                               Risk
	SideEffects, Permissions           string
	Layer                              Layer
	Runtime                            Runtime
	Entry, Bins                        string
	script                             string // template of Entry
	// The fields up to Build are for servers.
	Template                             Template
	Network, SecretNames, Methods, About string
	Build                                bool // its source is compiled before it runs
	// Payload and Inputs are for acquired tools: a call as JSON, and the members of its
	// input.
	Payload string
	Inputs  []string
}

// values returns the values by their names in templates.
func (s *sheet) values() map[string]string {
	only := func(is bool) string { return map[bool]string{true: "yes"}[is] }
	open := s.Template == HTTPAPI
	return map[string]string{
		"Name": s.Name, "Title": s.Title, "Callable": s.Callable, "Description": s.Description, "Risk": string(s.Risk),
		"SideEffects": s.SideEffects, "Permissions": s.Permissions, "Layer": string(s.Layer), "Runtime": string(s.Runtime),
		"Entry": s.Entry, "Bins": s.Bins, "Files": only(s.Template == Files), "HTTP": only(s.Template == HTTPAPI),
		"Network": s.Network, "SecretNames": s.SecretNames, "Methods": s.Methods, "About": s.About,
		"OpenWorld": strconv.FormatBool(open), "OpenWorldPython": map[bool]string{true: "True", false: "False"}[open],
		"Build": only(s.Build), "Payload": s.Payload, "Inputs": strings.Join(s.Inputs, "\n- "),
	}
}

func newSheet(name string, o ScaffoldOptions, description string) *sheet {
	s := &sheet{
		Name: name, Title: title(name), Callable: names.Callable(name), Description: oneLineText(o.Description),
		Risk: RiskLow, SideEffects: "none", Permissions: "none",
	}
	if s.Description == "" {
		s.Description = description
	}
	return s
}

func (s *sheet) setRuntime(r Runtime) diag.List {
	var out diag.List
	s.Layer = LayerBase
	switch r {
	case "", Python:
		r, s.script = Python, "main.py"
	case Node:
		s.script = "main.mjs"
	case Bash:
		s.script, s.Bins = "main.sh", "jq"
	case Starlark:
		s.script, s.Layer = "main.star", LayerComposed
	default:
		out.Errorf(RuleRecordRun, diag.Pos{}, "use python, bash, node or starlark", "there is no template for runtime %q", clip(string(r)))
	}
	s.Runtime, s.Entry = r, ScriptsDir+"/"+s.script
	s.script += ".tmpl"
	return out
}

// part is one file of a scaffold.
type part struct {
	template, path string
	front          bool // begins with the front matter of a skill
}

// render fills the templates. They are part of the program, so a failure is a fault of
// assent; it becomes a diagnostic so that it is not lost. A test renders all of them.
func (s *sheet) render(dir string, out *diag.List, parts ...part) []tree.Edit {
	var edits []tree.Edit
	for _, p := range parts {
		content, err := s.fill(p)
		path := tree.Join(dir, p.path)
		if err != nil {
			out.Errorf(RuleScaffold, diag.Pos{File: path}, "report it as a fault of assent", "template %s: %v", p.template, err)
			continue
		}
		edits = append(edits, tree.Edit{Path: path, Mode: tree.Regular, Content: content})
	}
	return edits
}

func (s *sheet) fill(p part) ([]byte, error) {
	text, err := templates.ReadFile("templates/" + p.template)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if p.front {
		front, err := strictyaml.Marshal(Skill{Name: s.Name, Description: s.Description})
		if err != nil {
			return nil, err
		}
		b.WriteString("---\n" + string(front) + "---\n")
	}
	err = expand(&b, string(text), s.values())
	return b.Bytes(), err
}

// expand fills a template: it replaces each {{Name}} by its value, which may hold
// anything. Lines between {{if Name}} and {{end}}, each alone on its line, are omitted if
// the value is empty.
func expand(to *bytes.Buffer, text string, values map[string]string) error {
	skip := false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		if name, is := strings.CutPrefix(bare, "{{if "); is {
			skip = values[strings.TrimSuffix(name, "}}")] == ""
			continue
		}
		if bare == "{{end}}" {
			skip = false
			continue
		}
		for !skip {
			before, rest, found := strings.Cut(line, "{{")
			to.WriteString(before)
			if !found {
				break
			}
			name, after, _ := strings.Cut(rest, "}}")
			value, known := values[name]
			if !known {
				return fmt.Errorf("unknown value %q", name)
			}
			to.WriteString(value)
			line = after
		}
	}
	return nil
}

// title makes a heading of a name: parse-csv becomes Parse csv.
func title(name string) string {
	words := strings.ReplaceAll(name, "-", " ")
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// oneLineText joins words by single spaces and removes invisible characters, so that a
// description fits a comment as well as front matter.
func oneLineText(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > MaxDescription {
		return string(r[:MaxDescription])
	}
	return s
}
