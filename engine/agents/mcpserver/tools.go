package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-dev/assent/engine/agents/toolset"
)

// tool is one of the six tools. Its listing must stay small: see TestListingIsSmall.
type tool struct {
	name, title, description string
	// input and output are JSON Schemas. Clients show a model the structured answer, if
	// there is one, instead of the text; a tool without output answers only with text.
	input, output string
	// reads: it changes nothing. open: it may reach beyond the workspace.
	reads, open, destroys bool
	run                   func(ctx context.Context, a *toolset.Agent, c call) (answer, error)
}

// call is a request's arguments and client.
type call struct {
	arguments json.RawMessage
	client    string
}

// answer is the text for the model, and the same as data.
type answer struct {
	texts []string
	value any
}

// tools are the same for every client and every state of the workspace.
func tools() []tool {
	return []tool{
		{
			name: "find", title: "Find a capability", reads: true,
			description: "Search the approved skills and tools by words. Do this before building something.",
			input:       `{"type":"object","properties":{"words":{"type":"string"},"kind":{"enum":["skill","tool","mcp","agent"]},"category":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"min_mastery":{"type":"number"},"limit":{"type":"integer"}},"required":["words"]}`,
			output:      `{"type":"object","properties":{"matches":{"type":"array"},"near":{"type":"array"},"archived":{"type":"string"}},"required":["matches"]}`,
			run: func(ctx context.Context, a *toolset.Agent, c call) (answer, error) {
				return run(ctx, c, a.Find, foundText)
			},
		},
		{
			name: "load", title: "Load a skill", reads: true,
			description: "Read a skill's SKILL.md and follow it, or another file of it. Of a tool: how it is called. Of an MCP server: its tools.",
			input:       `{"type":"object","properties":{"name":{"type":"string"},"file":{"type":"string"}},"required":["name"]}`,
			run: func(ctx context.Context, a *toolset.Agent, c call) (answer, error) {
				return run(ctx, c, a.Load, loadedText)
			},
		},
		{
			name: "call", title: "Call a tool", open: true, destroys: true,
			description: "Run an approved tool by name, or a server's tool by server__tool, in the sandbox. Never run its code yourself.",
			input:       `{"type":"object","properties":{"name":{"type":"string"},"input":{"type":"object"},"timeout":{"type":"number","description":"seconds"}},"required":["name"]}`,
			output:      `{"type":"object","properties":{"result":{}},"required":["result"]}`,
			run: func(ctx context.Context, a *toolset.Agent, c call) (answer, error) {
				return run(ctx, c, a.Call, calledText)
			},
		},
		{
			name: "propose", title: "Propose a change",
			description: "Propose a new or changed skill, tool or soul; people decide. files: text by path; either one skill's folder (SKILL.md, scripts/…) or workspace paths (skills/…, soul/…); null removes. Or a draft with front matter. update: id of an open proposal. Returns who must approve and where.",
			input:       `{"type":"object","properties":{"goal":{"type":"string"},"files":{"type":"object","additionalProperties":{"type":["string","null"]}},"draft":{"type":"string"},"update":{"type":"string"},"dry_run":{"type":"boolean"}}}`,
			output:      `{"type":"object","properties":{"id":{"type":"string"},"state":{"type":"string"},"waiting_for":{"type":"array"},"review":{"type":"string"},"next":{"type":"string"}},"required":["id","state","next"]}`,
			run: func(ctx context.Context, a *toolset.Agent, c call) (answer, error) {
				return run(ctx, c, func(ctx context.Context, in toolset.ProposeInput) (toolset.Proposal, error) {
					in.MadeWith = c.client
					return a.Propose(ctx, in)
				}, proposalText)
			},
		},
		{
			name: "status", title: "See where things stand", reads: true,
			description: "What is in force, your open proposals, what changed since you last asked. about: a proposal's id (what reviewers said) or a capability's name (who approved it).",
			input:       `{"type":"object","properties":{"about":{"type":"string"}}}`,
			output:      `{"type":"object"}`,
			run: func(ctx context.Context, a *toolset.Agent, c call) (answer, error) {
				return run(ctx, c, a.Status, statusText)
			},
		},
		{
			name: "report", title: "Report a gap or an outcome",
			description: "Say that a capability is missing and you cannot propose it yourself; others build it. With outcome: how a capability did, or without one your mission; satisfaction rates it, reason says why.",
			input:       `{"type":"object","properties":{"capability":{"type":"string","description":"name-with-hyphens"},"goal":{"type":"string"},"missing":{"type":"string"},"reason":{"type":"string"},"type":{"type":"string","description":"such as webhook"},"complexity":{"enum":["simple","medium","complex"]},"priority":{"enum":["low","normal","high","critical"]},"anyway":{"type":"boolean"},"outcome":{"enum":["success","failure","partial"]},"satisfaction":{"type":"number","minimum":0,"maximum":1},"mission":{"type":"string"}}}`,
			output:      `{"type":"object","properties":{"runs":{"type":"array"}},"required":["runs"]}`,
			run: func(ctx context.Context, a *toolset.Agent, c call) (answer, error) {
				return run(ctx, c, a.Report, reportText)
			},
		},
	}
}

// describe is a tool as clients list it. Claude Code loads it into each prompt by its _meta.
func (t tool) describe() *mcp.Tool {
	out := &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description, InputSchema: json.RawMessage(t.input),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.reads, IdempotentHint: t.reads, DestructiveHint: &t.destroys, OpenWorldHint: &t.open},
		Meta:        mcp.Meta{"anthropic/alwaysLoad": true},
	}
	if t.output != "" {
		out.OutputSchema = json.RawMessage(t.output)
	}
	return out
}

// run decodes the arguments, does the operation and formats the result.
func run[In, Out any](ctx context.Context, c call, do func(context.Context, In) (Out, error), show func(Out) []string) (answer, error) {
	var in In
	if err := decode(c.arguments, &in); err != nil {
		return answer{}, err
	}
	out, err := do(ctx, in)
	if err != nil {
		return answer{}, err
	}
	return answer{show(out), out}, nil
}

// decode reads arguments strictly: a misspelt name must not be ignored.
func decode(arguments json.RawMessage, into any) error {
	if len(bytes.TrimSpace(arguments)) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(arguments))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, more := dec.Token(); errors.Is(more, io.EOF) {
			return nil
		}
		err = errors.New("there is more than one value")
	}
	why := strings.TrimPrefix(err.Error(), "json: ")
	return &toolset.Refusal{What: "the arguments do not fit: " + why, Next: "see the tool's input schema, and call it again"}
}
