package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/sandbox/redact"
)

// Asker sends a question, as JSON, and returns the answer.
type Asker func(ctx context.Context, question []byte) ([]byte, error)

// Form describes the expected answer, for commands and models alike.
type Form struct {
	// Instructions is the system prompt of a model.
	Instructions string
	// Most is the largest answer, in bytes. A larger answer is cut to Most+1 bytes, so that
	// the caller can refuse it. A command that writes more is ended.
	Most int
}

// Of returns the Asker for the program or model in the user's file. key is the content of
// its key_file.
func (f Form) Of(c advice.Config, key string) Asker {
	if c.URL != "" {
		return f.Endpoint(c.URL, c.Model, key)
	}
	return f.Program(c.Command)
}

// Ask encodes a question as JSON, sends it and waits at most so long for the answer.
func (a Asker) Ask(ctx context.Context, most time.Duration, question any) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	data, err := json.Marshal(question)
	if err != nil {
		return nil, fmt.Errorf("encode the question: %w", err)
	}
	answer, err := a(ctx, data)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer came within %s: %w", most, ctx.Err())
	}
	return answer, err
}

// Command returns an Asker that runs a command line in the user's shell. The question is on
// its standard input, the answer on its standard output.
func (f Form) Command(line string) Asker {
	return func(ctx context.Context, question []byte) ([]byte, error) {
		return f.answered(Shell(ctx, line), question)
	}
}

// Shell returns the command that runs a command line of the user's in their shell.
func Shell(ctx context.Context, line string) *exec.Cmd {
	shell, flag := "/bin/sh", "-c"
	if runtime.GOOS == "windows" {
		shell, flag = "cmd", "/C"
	}
	return exec.CommandContext(ctx, shell, flag, line) //nolint:gosec // the user's own command line
}

// Program returns an Asker that runs a program without a shell, outside the workspace.
func (f Form) Program(words []string) Asker {
	return func(ctx context.Context, question []byte) ([]byte, error) {
		cmd := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the user's own file names it
		cmd.Dir = os.TempDir()
		return f.answered(cmd, question)
	}
}

// answered runs a command without the engine's credentials, because the question holds
// text by others. What the command leaves in its process group ends with it.
func (f Form) answered(cmd *exec.Cmd, question []byte) ([]byte, error) {
	cmd.WaitDelay = time.Second
	out, problem := capped{most: f.Most + 1}, capped{most: maxProblem}
	cmd.Env = redact.Environment(os.Environ())
	end, err := Group(cmd)
	if err != nil {
		return nil, err
	}
	defer end()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(question), &out, &problem
	out.full = func() error { return errors.Join(errFull, cmd.Cancel()) }
	if err := cmd.Run(); err != nil && out.kept.Len() <= f.Most {
		if text := strings.TrimSpace(problem.kept.String()); text != "" {
			return nil, fmt.Errorf("the command failed (%w): %.200s", err, text)
		}
		if where := new(fs.PathError); errors.As(err, &where) {
			err = where.Err // others may read it; do not reveal folders of this machine
		}
		return nil, fmt.Errorf("the command failed: %w", err)
	}
	return out.kept.Bytes(), nil
}

// maxProblem bounds the kept error output of a command, in bytes.
const maxProblem = 4 << 10

// capped keeps the first most bytes and discards the rest. The buffer is not embedded,
// because io.Copy would use its ReadFrom and pass the bound.
type capped struct {
	kept bytes.Buffer
	most int
	full func() error // what a full one does, if it is set; its error ends the reading
}

// errFull ends the reading of an answer that is too long.
var errFull = errors.New("the answer is too long")

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	c.kept.Write(p[:min(len(p), c.most-c.kept.Len())])
	if c.full != nil && c.kept.Len() == c.most {
		return 0, c.full()
	}
	return len(p), nil
}
