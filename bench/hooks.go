package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/base/names"
)

// hooked measures how long a client waits at each event, and for a command that does nothing: in a new workspace, and in a large one.
func hooked(ctx context.Context, b *bench) ([]line, error) {
	workspace, in, err := b.template(ctx)
	if err != nil {
		return nil, err
	}
	if out, err := in(b.program, "sync", "claude-code", "--agent", "scout").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make a folder of skills: %w: %s", err, out)
	}
	c := hooking{in: in, program: b.program, workspace: workspace, agent: "scout", prompt: "the csv has broken quotes, clean it up", size: "a new workspace", writes: true}
	lines, err := c.lines(ctx, b.short)
	if err != nil {
		return nil, err
	}
	large, err := b.scratch(ctx, kept.Spec{Capabilities: b.small})
	if err != nil {
		return nil, err
	}
	id, err := large.Git(ctx, "", "rev-list", "--max-parents=0", "main")
	if err != nil {
		return nil, err
	}
	c = hooking{program: b.program, workspace: large.Repo, agent: generate.Agent, prompt: words + " and schedule the report", size: capabilities(b.small)}
	c.in = func(program string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir = large.Repo
		return cmd
	}
	if out, err := c.in(b.program, "trust", strings.TrimSpace(id)).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("accept the workspace: %w: %s", err, out)
	}
	more, err := c.lines(ctx, b.short)
	return append(lines, more...), err
}

// hooking is a client in a workspace. If writes is set, it has synced the skill incident-notes, and writes into that.
type hooking struct {
	in                                      func(program string, args ...string) *exec.Cmd
	program, workspace, agent, prompt, size string
	writes                                  bool
}

func (c hooking) lines(ctx context.Context, rounds measure.Rounds) (lines []line, err error) {
	client, end, err := connected(c.in(c.program, "mcp", "--agent", c.agent))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	const fits = "Approved in assent, and likely to fit"
	start, prompt := c.event("SessionStart", "source", "startup"), c.event("UserPromptSubmit", "prompt", c.prompt)
	whats := []string{"a session begins", "a prompt", "a prompt, answered by the server that runs"}
	samples := []measure.Sample{
		c.command("true", prompt, ""), c.command("", start, "You are the agent "+c.agent), c.command("", prompt, fits),
		measure.Seconds(func() error { return client("tools/call", fits, `{"name":"hook","arguments":`+prompt+`}`) }),
	}
	if c.writes {
		write := c.event("PreToolUse", "tool_name", "Write", "file_path", ".claude/skills/incident-notes/SKILL.md")
		whats, samples = append(whats, "a write into a synced skill, which is refused"), append(samples, c.command("", write, `"deny"`))
	}
	took, err := rounds.Medians(ctx, samples...)
	if err != nil {
		return nil, err
	}
	for i, what := range whats {
		lines = append(lines, line{What: what + ", " + c.size, Peer: "`sh -c true`", Unit: inSeconds, Ours: took[i+1], Theirs: took[0], Above: 0.03})
	}
	return lines, nil
}

// event returns the JSON of an event as a client sends it; fields are names and values in turn.
func (c hooking) event(name string, fields ...string) string {
	e := map[string]any{"hook_event_name": name, "session_id": "s", "cwd": c.workspace}
	for i := 0; i < len(fields); i += 2 {
		e[fields[i]] = fields[i+1]
	}
	e["tool_input"] = map[string]any{"file_path": e["file_path"]}
	text, _ := json.Marshal(e)
	return string(text)
}

// command measures a shell that runs a command, or connect's hook for "", with an event as input. Its answer must contain a text.
func (c hooking) command(command, event, contains string) measure.Sample {
	if command == "" {
		command = names.ShellWord(c.program) + " hook --workspace " + names.ShellWord(c.workspace) + " --agent " + names.ShellWord(c.agent) + " || true"
	}
	return measure.Seconds(func() error {
		cmd := c.in("sh", "-c", command)
		cmd.Stdin = strings.NewReader(event)
		out, err := cmd.Output()
		if err == nil && !bytes.Contains(out, []byte(contains)) {
			err = fmt.Errorf("%s was answered by %q", event, out)
		}
		return err
	})
}
