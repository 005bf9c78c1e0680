package toolset

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

// LoadInput names a capability, and one of its files other than SKILL.md.
type LoadInput struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
}

// LoadOutput is a file as it is in force.
type LoadOutput struct {
	Name    string             `json:"name"`
	Kind    capability.Kind    `json:"kind"`
	Version capability.Version `json:"version,omitempty"`
	Status  capability.Status  `json:"status"`
	File    string             `json:"file"`
	Text    string             `json:"text"`
	// Files are the other files of the folder, without the tests.
	Files []string `json:"files,omitempty"`
	// Call is how a tool is called, Input its JSON Schema.
	Call  string         `json:"call,omitempty"`
	Input map[string]any `json:"input,omitempty"`
	// Tools are those that a server lists. If it listed none, Why is the reason.
	Tools []ServerTool `json:"tools,omitempty"`
	Why   string       `json:"why,omitempty"`
}

// ServerTool is a tool of an MCP server, by the name under which call takes it.
type ServerTool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Input       any    `json:"input,omitempty"`
}

// Load reads a capability's SKILL.md, or another of its files. Of a server it also lists the
// tools, for which the server is started.
func (a *Agent) Load(ctx context.Context, in LoadInput) (LoadOutput, error) {
	cur, err := a.Open(ctx)
	if err != nil {
		return LoadOutput{}, err
	}
	c, err := a.named(cur, in.Name)
	if err != nil {
		return LoadOutput{}, err
	}
	file := strings.TrimPrefix(in.File, "./")
	if file == "" {
		file = names.SkillFile
	}
	out := LoadOutput{Name: c.Name, Kind: c.Kind, Version: c.Version, Status: c.Status, File: file}
	view, err := cur.Handout(ctx, cur.View)
	if err != nil {
		return out, err
	}
	if out.Text, err = textOf(view, c, file); err != nil || file != names.SkillFile {
		return out, err
	}
	a.loaded(ctx, cur, a.Name, c)
	if out.Files, err = filesBeside(view, c); err != nil {
		return out, err
	}
	switch c.Kind {
	case capability.KindTool:
		out.Call, out.Input = names.Callable(c.Name)+c.Record.Signature(), c.Record.Input
	case capability.KindMCP:
		err = a.list(ctx, cur, c, &out)
	}
	return out, err
}

func textOf(view tree.View, c capability.Capability, file string) (string, error) {
	e, err := view.Lookup(tree.Join(c.Path, file))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !e.Mode.IsFile() {
		files, _ := filesBeside(view, c) // the answer is a refusal anyway
		return "", refuse("it has "+strings.Join(append([]string{names.SkillFile}, files...), ", "), "%s has no file %q", c.Name, file)
	}
	if err != nil {
		return "", err
	}
	data, err := view.Read(e.Path)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(data) {
		return "", refuse("read the resource "+SkillURI(c.Name, file)+" for its bytes", "%s of %s is no text: %d bytes", file, c.Name, len(data))
	}
	return string(data), nil
}

// maxListed bounds how many files of a folder are named.
const maxListed = 100

func filesBeside(view tree.View, c capability.Capability) ([]string, error) {
	var out []string
	err := tree.Files(view, c.Path, func(e tree.Entry) error {
		name := strings.TrimPrefix(e.Path, c.Path+"/")
		if name != names.SkillFile && name != capability.SuiteFile && len(out) < maxListed {
			out = append(out, name)
		}
		return nil
	})
	return out, err
}

// list asks a server for its tools. One that cannot be started is loaded all the same.
func (a *Agent) list(ctx context.Context, cur workspace.Session, c capability.Capability, out *LoadOutput) error {
	engine, err := a.Engine(cur, a.Name, a.Session)
	if err != nil {
		return err
	}
	methods, res, err := engine.Methods(ctx, tool.Call{Name: c.Name})
	if err != nil {
		return err
	}
	if !res.Success {
		out.Why = res.Error
	}
	for _, m := range methods {
		out.Tools = append(out.Tools, ServerTool{names.Callable(c.Name) + "__" + m.Name, m.Description, m.Input})
	}
	return nil
}
