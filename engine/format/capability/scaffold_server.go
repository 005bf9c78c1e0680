package capability

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Template is the purpose of a new server.
type Template string

// The templates of servers. Each requests no more than it needs.
const (
	HTTPAPI  Template = "http-api" // only the named hosts
	Files    Template = "files"    // no network at all
	Database Template = "database" // only the named hosts; read-only
)

// Templates lists all templates of servers.
func Templates() []Template { return []Template{HTTPAPI, Files, Database} }

// Language is the programming language of a new server.
type Language string

// The languages of servers.
const (
	TypeScript Language = "typescript"
	PythonCode Language = "python"
)

// Languages lists all languages of servers, the default first.
func Languages() []Language { return []Language{TypeScript, PythonCode} }

// serverSchema is the schema of a server.json.
const serverSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// describedServer is the written form of a server.json, for a server that is not
// published.
type describedServer struct {
	Schema      string  `json:"$schema"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Version     Version `json:"version"`
}

// maxServed bounds the description in a server.json, in characters.
const maxServed = 100

// server renders a server: its code and minimal permissions.
func (s *sheet) server(dir string, o ScaffoldOptions, out *diag.List) []tree.Edit {
	if o.Language == "" {
		o.Language = TypeScript
	}
	record := o.serverRecord(out)
	stored := written(dir, RecordFile, record, out)
	if _, found := ParseRecord(stored.Path, stored.Content); !out.HasErrors() {
		out.Add(found...)
	}
	if out.HasErrors() {
		return nil
	}
	s.Template, s.Risk = o.Template, record.Risk
	s.Network, s.SecretNames, s.Build = listed(o.Hosts), listed(o.Secrets), o.Language == TypeScript
	if len(record.SideEffects) > 0 {
		s.SideEffects = strings.Join(record.SideEffects, ", ")
	}
	s.Methods, s.About = s.piece("methods", out), s.piece("about", out)
	edits := s.render(dir, out, part{"server.md.tmpl", SkillFile, true}, part{"tests_" + string(o.Template) + ".tmpl", SuiteFile, false})
	if s.Build {
		edits = append(edits, s.render(dir, out, part{"server.mts.tmpl", ScriptsDir + "/main.mts", false}, part{"server.mjs.tmpl", ScriptsDir + "/main.mjs", false},
			part{"package.json.tmpl", "package.json", false}, part{"tsconfig.json.tmpl", "tsconfig.json", false})...)
	} else {
		edits = append(edits, s.render(dir, out, part{"server.py.tmpl", ScriptsDir + "/main.py", false})...)
	}
	return append(edits, stored, s.described(dir, out))
}

// serverRecord returns the record of a new server. It refuses access that the template
// does not use, so that it cannot be misused.
func (o ScaffoldOptions) serverRecord(out *diag.List) Record {
	r := Record{
		Kind: KindMCP, Version: "0.1.0", Status: Developing, Risk: RiskLow, Limitations: []string{"Not implemented yet."},
		Requires: Requires{Hosts: o.Hosts, Secrets: o.Secrets},
		Run:      &Run{Runtime: MCPStdio, Entry: ScriptsDir + "/main.mjs", Timeout: Duration(30 * time.Second), Memory: 512 << 20},
	}
	if !slices.Contains(Templates(), o.Template) {
		out.Errorf(RuleRecordKind, diag.Pos{}, "use one of "+wordsOf(Templates()), "there is no template %q for a server", clip(string(o.Template)))
	}
	switch o.Language {
	case TypeScript:
		r.Requires.Bins = []string{"node"}
	case PythonCode:
		r.Run.Entry, r.Run.Memory, r.Requires.Bins = ScriptsDir+"/main.py", 256<<20, []string{"python3"}
	default:
		out.Errorf(RuleRecordRun, diag.Pos{}, "use one of "+wordsOf(Languages()), "there is no template in %q", clip(string(o.Language)))
	}
	if o.Template == Files && len(o.Hosts)+len(o.Secrets) > 0 {
		out.Errorf(RuleRecordField, diag.Pos{}, "leave them out, or use another template", "a server of files has neither network nor secrets")
	}
	if len(o.Hosts) > 0 {
		r.SideEffects, r.Risk = []string{"network"}, RiskMedium
	}
	return r
}

// piece returns the part specific to one template, without its last line break.
func (s *sheet) piece(kind string, out *diag.List) string {
	name := kind + "_" + string(s.Template) + ".tmpl"
	content, err := s.fill(part{template: name})
	if err != nil {
		out.Errorf(RuleScaffold, diag.Pos{}, "report it as a fault of assent", "template %s: %v", name, err)
	}
	return strings.TrimSuffix(string(content), "\n")
}

// described returns the server.json.
func (s *sheet) described(dir string, out *diag.List) tree.Edit {
	text := s.Description
	if r := []rune(text); len(r) > maxServed {
		text = strings.TrimSpace(string(r[:maxServed-1])) + "…"
	}
	content, err := json.MarshalIndent(describedServer{serverSchema, "localhost/" + s.Name, text, "0.1.0"}, "", "  ")
	if err != nil {
		out.Errorf(RuleScaffold, diag.Pos{}, "report it as a fault of assent", "%s: %v", ServerFile, err)
	}
	return tree.Edit{Path: tree.Join(dir, ServerFile), Mode: tree.Regular, Content: append(content, '\n')}
}

// agent renders a sub-agent: when to delegate to it, and its instructions.
func (s *sheet) agent(dir string, out *diag.List) []tree.Edit {
	edits := s.render(dir, out, part{"agent.md.tmpl", SkillFile, true}, part{"agent_body.md.tmpl", AgentFile, true})
	return append(edits, written(dir, RecordFile, Record{
		Kind: KindAgent, Version: "0.1.0", Status: Developing, Risk: RiskLow, Limitations: []string{"Not written yet."},
	}, out))
}

// written returns a YAML file.
func written(dir, name string, v any, out *diag.List) tree.Edit {
	content, err := strictyaml.Marshal(v)
	if err != nil {
		out.Errorf(RuleScaffold, diag.Pos{File: tree.Join(dir, name)}, "report it as a fault of assent", "%v", err)
	}
	return tree.Edit{Path: tree.Join(dir, name), Mode: tree.Regular, Content: content}
}

func listed(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}
