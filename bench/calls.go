package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/assent-dev/assent/bench/measure"
	interpreter "github.com/assent-dev/assent/engine/sandbox/runtime"
)

// apart is how long nothing is done between two calls. An agent thinks for longer; what assent does
// between calls must not slow the peer.
const apart = 100 * time.Millisecond

// called is what a call through `assent mcp` takes beside the process of its tool.
func called(ctx context.Context, b *bench) (lines []line, err error) {
	const input = `{"before":{"a":[1,2]},"after":{"a":[1,3]}}`
	python, err := exec.CommandContext(ctx, "python3", "-c", "import os, sys; print(os.path.realpath(sys.executable), end='')").Output()
	if err != nil {
		fmt.Fprintln(b.log, "no python3, so there is no row for calls")
		return nil, nil //nolint:nilerr // it was said
	}
	workspace, in, err := b.template(ctx)
	if err != nil {
		return nil, err
	}
	client, end, err := connected(in(b.program, "mcp", "--agent", "scout"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	rt, _ := interpreter.Named("python")
	bare := func() error {
		cmd := exec.CommandContext(ctx, string(python), rt.Args("scripts/main.py", input)[1:]...)
		cmd.Dir, cmd.Env = filepath.Join(workspace, "skills", "data", "json-diff"), []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"} // as inside
		out, err := cmd.Output()
		if err == nil && !json.Valid(out) {
			err = fmt.Errorf("it wrote %q", out)
		}
		return err
	}
	call := func() error {
		return client("tools/call", "", `{"name":"call","arguments":{"name":"json-diff","input":`+input+`}}`)
	}
	rested := func(f func() error) measure.Sample {
		return func() (float64, error) {
			time.Sleep(apart)
			return measure.Seconds(f)()
		}
	}
	took, err := b.short.Medians(ctx, rested(call), rested(bare))
	if err != nil {
		return nil, err
	}
	return []line{{What: "a call through `assent mcp`, in the sandbox, recorded", Peer: "the same process, bare", Unit: inSeconds, Ours: took[0], Theirs: took[1], Goal: 1.5}}, nil
}

// template makes a workspace as `assent init` leaves it. in returns commands that run in its folder, with its home.
func (b *bench) template(ctx context.Context) (workspace string, in func(program string, args ...string) *exec.Cmd, err error) {
	dir, err := os.MkdirTemp(b.temp, "template-")
	if err != nil {
		return "", nil, fmt.Errorf("make a workspace: %w", err)
	}
	workspace = filepath.Join(dir, "workspace")
	environ := append(os.Environ(), "HOME="+dir, "ASSENT_HOME="+filepath.Join(dir, "home"), "ASSENT_KEY=",
		"GIT_AUTHOR_NAME=Ana", "GIT_AUTHOR_EMAIL=ana@example.org", "GIT_COMMITTER_NAME=Ana", "GIT_COMMITTER_EMAIL=ana@example.org")
	in = func(program string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir, cmd.Env = workspace, environ
		return cmd
	}
	if err := os.Mkdir(workspace, 0o700); err != nil {
		return "", nil, fmt.Errorf("make a workspace: %w", err)
	}
	if out, err := in(b.program, "init").CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("make a workspace: %w: %s", err, out)
	}
	return workspace, in, nil
}

// connected starts a server. The client sends one request and waits for its answer, which has to contain a text.
func connected(cmd *exec.Cmd) (client func(method, contains, params string) error, end func() error, err error) {
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	from, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("start a server: %w", err)
	}
	answers, id := bufio.NewReader(from), 0
	client = func(method, contains, params string) error {
		id++
		if _, err := fmt.Fprintf(to, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
			return err
		}
		text, err := answers.ReadBytes('\n')
		if err != nil {
			return err
		}
		var answer struct {
			ID     int
			Error  json.RawMessage
			Result *struct{ IsError bool }
		}
		if err := json.Unmarshal(text, &answer); err != nil || answer.ID != id || answer.Result == nil || answer.Result.IsError || !bytes.Contains(text, []byte(contains)) {
			return fmt.Errorf("%s was answered by %s", method, text)
		}
		return nil
	}
	end = func() error { return errors.Join(to.Close(), cmd.Wait()) }
	err = client("initialize", "", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	if err == nil {
		_, err = io.WriteString(to, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return client, end, nil
}
