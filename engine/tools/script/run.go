package script

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Run runs the script to its end, and returns its artifacts. why says in a line why it failed, "" if it did not. The
// error is a *Refused, ctx's own if that ended, or of a world that failed. After ctx ended, out has the
// output until then.
func (r Ready) Run(ctx context.Context) (out run.Output, made []tree.Edit, why string, err error) {
	view := r.View
	if r.Governed {
		view = governed{view}
	}
	dir, left, remove, err := lay(view, r.Files, r.Event, r.Given...)
	defer remove()
	if err != nil {
		return out, nil, "", err
	}
	var stdout, stderr io.Writer
	if r.Live != nil {
		live := &live{to: r.Live, left: sandbox.Default().Output}
		stdout, stderr = &stream{live: live, name: LiveStdout, mark: r.mark}, &stream{live: live, name: LiveStderr}
	}
	limits := sandbox.Limits{Wall: r.Timeout, CPU: r.Timeout, Memory: r.Memory}
	if r.mark != "" {
		limits.Output = sandbox.Default().Output + 2*run.MaxArtifactBytes // as text, with their names
	}
	res, err := r.runner.Run(ctx, sandbox.Spec{
		Args: r.args, Folder: dir, Stdin: r.Stdin, Env: r.Env, Secrets: r.secrets, Hosts: r.Hosts, Write: true, Limits: limits,
		Stdout: stdout, Stderr: stderr,
	})
	var spec *sandbox.SpecError
	var missing *sandbox.Missing
	switch {
	case errors.As(err, &spec), errors.As(err, &missing):
		return out, nil, "", &Refused{err.Error()}
	case err != nil:
		return out, nil, "", err
	}
	out = run.Output{Exit: res.Exit, Ended: res.Ended.String(), MS: res.Elapsed.Milliseconds()}
	if res.Ended != sandbox.Exited {
		out.Exit = -1
	}
	packing := false // whether the script itself succeeded, and its artifacts could not be read
	switch {
	case r.mark == "":
	case res.OK():
		res.Stdout, made, why = unbundle(res.Stdout, r.mark, r.Artifacts)
	default:
		res.Stdout, _, packing = cutMark(res.Stdout, r.mark)
		res.Stderr = bytes.TrimSuffix(res.Stderr, []byte(tarGaveUp))
	}
	out.Stdout, out.StdoutCut = end(res.Stdout)
	out.Stderr, out.StderrCut = end(append(res.Stderr, leftOut(left)...))
	if ctx.Err() != nil {
		return out, nil, "", context.Cause(ctx)
	}
	if !res.OK() {
		why = cause(res, r.Timeout) + r.hint(res)
		if packing {
			why = unreadable + why
		}
		if res.Ended == sandbox.TooMuchOutput && r.mark != "" {
			why = sprint("it wrote more than %d bytes, or its artifacts are more than %d MiB", sandbox.Default().Output, run.MaxArtifactBytes>>20)
		}
	}
	return out, made, why, nil
}

// end returns the end of a program's output as text, and the number of bytes cut before it.
func end(said []byte) (text string, missing int) {
	text = strings.ToValidUTF8(string(said), "�")
	missing = max(len(text)-run.MaxOutput, 0)
	for missing < len(text) && !utf8.RuneStart(text[missing]) {
		missing++
	}
	return text[missing:], missing
}

// cause says in one line why a script failed.
func cause(res sandbox.Result, limit time.Duration) string {
	o := suite.Outcome{Exit: res.Exit, Stderr: string(res.Stderr), Stdout: string(res.Stdout)}
	switch res.Ended {
	case sandbox.Exited:
		o.Ended = suite.Exited
		return sprint("exit code %d: %s", res.Exit, suite.Ending(o))
	case sandbox.TimedOut:
		return sprint("it did not end within %s", limit)
	case sandbox.TooMuchMemory:
		return "it took more memory than it may"
	case sandbox.TooMuchOutput:
		return sprint("it wrote more than %d bytes", sandbox.Default().Output)
	case sandbox.Killed:
		return sprint("it was ended by %s", res.Signal)
	default:
		return sprint("it was %s", res.Ended)
	}
}
