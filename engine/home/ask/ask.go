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

// Form is the form of an answer, whatever program or model gives it.
type Form struct {
	// Instructions come before the question that a model gets.
	Instructions string
	// Most is how many bytes an answer may have. One that has more is cut behind the first
	// byte too many, for the caller to refuse.
	Most int
}

// Of asks the program or model that the user's file names; key is the content of its key_file.
func (f Form) Of(c advice.Config, key string) Asker {
	if c.URL != "" {
		return f.Endpoint(c.URL, c.Model, key)
	}
	return f.Program(c.Command)
}

// Ask asks a question, as JSON, and waits for the answer at most so long.
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

// Command asks a command of the user's shell: the question on its standard input,
// the answer on its standard output.
func (f Form) Command(line string) Asker {
	return func(ctx context.Context, question []byte) ([]byte, error) {
		shell, flag := "/bin/sh", "-c"
		if runtime.GOOS == "windows" {
			shell, flag = "cmd", "/C"
		}
		return f.answered(exec.CommandContext(ctx, shell, flag, line), question) //nolint:gosec // the user's own command line
	}
}

// Program asks a program without a shell, in a folder that is not the workspace's.
func (f Form) Program(words []string) Asker {
	return func(ctx context.Context, question []byte) ([]byte, error) {
		cmd := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the user's own file names it
		cmd.Dir = os.TempDir()
		return f.answered(cmd, question)
	}
}

// answered runs a command that is asked, without what the engine logs in with: the
// question holds what others wrote.
func (f Form) answered(cmd *exec.Cmd, question []byte) ([]byte, error) {
	cmd.WaitDelay = time.Second
	out, problem := capped{most: f.Most + 1}, capped{most: maxProblem}
	cmd.Env = redact.Environment(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(question), &out, &problem
	if err := cmd.Run(); err != nil {
		if said := strings.TrimSpace(problem.kept.String()); said != "" {
			return nil, fmt.Errorf("the command failed: %w: %.200s", err, said)
		}
		if where := new(fs.PathError); errors.As(err, &where) {
			err = where.Err // others read it, and need not know this machine's folders
		}
		return nil, fmt.Errorf("the command failed: %w", err)
	}
	return out.kept.Bytes(), nil
}

// maxProblem is how much is kept of what a command says that fails, in bytes.
const maxProblem = 4 << 10

// capped keeps so many bytes, and takes the rest in. The buffer is not embedded: io.Copy
// would read into it by its ReadFrom, past the bound.
type capped struct {
	kept bytes.Buffer
	most int
}

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	c.kept.Write(p[:min(len(p), c.most-c.kept.Len())])
	return len(p), nil
}
