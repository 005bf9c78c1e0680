package capability

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Unversioned is the version of a prompt skill that states none.
const Unversioned Version = "0.0.0"

// Folder is the location of a capability.
type Folder struct {
	Group string // empty directly below skills/
	Name  string // of the folder
	Path  string // skills/<name> or skills/<group>/<name>
}

// Capability is the parsed content of one folder below skills/.
type Capability struct {
	Folder
	Kind        Kind
	Version     Version
	Status      Status
	Description string
	Category    string // the group if the record has none
	Record      Record
	Skill       Skill
	Suite       Suite
	// Methods are those of a server that its MethodsFile lists; nil without one.
	Methods []Method
	// Executable reports that it has code or a server to run.
	Executable bool
	// SpecOnly reports that it is a specification without anything to run. It may merge
	// as researching and is never linked.
	SpecOnly bool
	// HasEvals reports that evals/evals.json exists.
	HasEvals bool

	recordDoc *strictyaml.Doc
}

// FolderOf splits a capability's path.
func FolderOf(path string) Folder {
	parts := strings.Split(path, "/")
	f := Folder{Name: parts[len(parts)-1], Path: path}
	if len(parts) > 2 {
		f.Group = parts[len(parts)-2]
	}
	return f
}

// Load reads and checks the capability in folder dir of v. The diagnostics are about its
// content, the error about v. Despite diagnostics, the Capability is as complete as its
// files allow.
func Load(v tree.View, dir string) (Capability, diag.List, error) {
	l := loader{v: v, c: Capability{Folder: FolderOf(dir)}}
	for _, step := range []func() error{l.files, l.skill, l.record, l.suite, l.methods, l.evals} {
		if err := step(); err != nil {
			return l.c, l.out, fmt.Errorf("load capability %s: %w", dir, err)
		}
	}
	l.complete()
	l.consistent()
	l.out.Sort()
	return l.c, l.out, nil
}

type loader struct {
	v       tree.View
	c       Capability
	out     diag.List
	present map[string]bool // paths inside the folder
}

func (l *loader) at(name string) string { return tree.Join(l.c.Path, name) }

// files lists the folder and refuses hidden content.
func (l *loader) files() error {
	l.present = map[string]bool{}
	return tree.Files(l.v, l.c.Path, func(e tree.Entry) error {
		rest := strings.TrimPrefix(e.Path, l.c.Path+"/")
		l.present[rest] = true
		if strings.HasPrefix(rest, ScriptsDir+"/") || rest == ServerFile {
			l.c.Executable = true
		}
		base := rest[strings.LastIndexByte(rest, '/')+1:]
		switch {
		case base == SkillFile && base != rest:
			l.out.Warnf(RuleSkillNested, diag.Pos{File: e.Path}, "rename it, or make it a capability of its own",
				"a SKILL.md inside the capability %s", l.c.Name)
		case base != SkillFile && names.Fold(base) == names.Fold(SkillFile):
			l.out.Errorf(RuleSkillCase, diag.Pos{File: e.Path}, "rename it to SKILL.md", "the file is called %q", clip(base))
		}
		return nil
	})
}

// read returns a regular file of the folder; nil if it does not exist.
func (l *loader) read(name string) ([]byte, error) {
	entry, err := l.v.Lookup(l.at(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !entry.Mode.IsFile():
		l.out.Add(names.CheckModes(entry)...)
		return nil, nil
	}
	data, err := l.v.Read(l.at(name))
	if data == nil {
		data = []byte{}
	}
	return data, err
}

func (l *loader) skill() error {
	src, err := l.read(SkillFile)
	if err != nil {
		return err
	}
	if src == nil {
		l.out.Errorf(RuleSkillMissing, diag.Pos{File: l.c.Path}, "add a SKILL.md with name and description", "the folder has no SKILL.md")
		return nil
	}
	skill, found := ParseSkill(l.at(SkillFile), src)
	l.c.Skill = skill
	l.out.Add(found...)
	return nil
}

func (l *loader) record() error {
	src, err := l.read(RecordFile)
	if err != nil {
		return err
	}
	if src == nil {
		l.c.Record = noRecord(l.c.Skill)
		return nil
	}
	record, doc, found := parseRecord(l.at(RecordFile), src)
	l.c.Record, l.c.recordDoc = record, doc
	l.out.Add(found...)
	return nil
}

// noRecord returns the record of a prompt skill without a capability.yaml.
func noRecord(s Skill) Record {
	r := Record{Kind: KindSkill, Status: Active, Version: Unversioned, Missing: true}
	if v := Version(s.Metadata["version"]); v.Valid() {
		r.Version = v
	}
	return r
}

func (l *loader) suite() error {
	src, err := l.read(SuiteFile)
	if err != nil || src == nil {
		return err
	}
	suite, found := ParseSuite(l.at(SuiteFile), src)
	l.c.Suite = suite
	l.out.Add(found...)
	return nil
}

func (l *loader) methods() error {
	src, err := l.read(MethodsFile)
	if err != nil || src == nil || l.c.Record.Kind != KindMCP {
		return err
	}
	methods, found := parseMethods(l.at(MethodsFile), src)
	l.c.Methods = methods
	l.out.Add(found...)
	return nil
}

func (l *loader) evals() error {
	src, err := l.read(EvalsFile)
	if err != nil || src == nil {
		return err
	}
	l.c.HasEvals = true
	var content map[string]any
	if err := json.Unmarshal(src, &content); err != nil {
		l.out.Errorf(RuleEvals, diag.Pos{File: l.at(EvalsFile)}, "see the evals of the Agent Skills format", "not a JSON object: %s", clip(err.Error()))
	}
	return nil
}

// complete derives the fields that depend on several files.
func (l *loader) complete() {
	c := &l.c
	c.Kind, c.Version, c.Status = c.Record.Kind, c.Record.Version, c.Record.Status
	c.Description, c.Category = c.Skill.Description, c.Record.Category
	if c.Category == "" {
		c.Category = c.Group
	}
	c.Executable = c.Executable || c.Record.Run != nil
	c.SpecOnly = !c.Executable && (c.Kind == KindTool || c.Kind == KindMCP)
}

// consistent compares the record with the files beside it.
func (l *loader) consistent() {
	c, run := l.c, l.c.Record.Run
	if run != nil && run.Entry != "" && !l.present[run.Entry] {
		l.out.Errorf(RuleRecordRun, c.RecordPos("run", "entry"), "add the file or correct the path", "entry %s is not in the folder", clip(run.Entry))
	}
	switch {
	case c.Kind == KindMCP && c.Status != Researching && c.Status != Retired && !l.present[ServerFile]:
		l.out.Errorf(RuleRecordKind, c.RecordPos("kind"), "add server.json, or set status: researching", "an MCP server without server.json")
	case c.Kind == KindAgent && !l.present[AgentFile]:
		l.out.Errorf(RuleRecordKind, c.RecordPos("kind"), "add AGENT.md", "a sub-agent without AGENT.md")
	case c.Kind != KindMCP && c.Kind != "" && l.present[ServerFile]:
		l.out.Errorf(RuleRecordKind, c.RecordPos("kind"), "use kind: mcp, or remove server.json", "server.json belongs to a capability of kind mcp")
	}
}

// RecordPos returns the position of a field of capability.yaml, or of SKILL.md if there
// is no record.
func (c Capability) RecordPos(at ...any) diag.Pos {
	if c.recordDoc == nil {
		return diag.Pos{File: tree.Join(c.Path, SkillFile)}
	}
	return c.recordDoc.Pos(at...)
}
