package work

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/home/ask"
	"github.com/assent-dev/assent/engine/sandbox/redact"
)

// Command is a command line of the user, run in the folder Dir.
type Command struct {
	Line, Dir, Stdin string
	// Env is added to the environment of this process.
	Env      []string
	Out, Err io.Writer
}

// farewell is how long the output of a command that was ended is waited for.
const farewell = 2 * time.Second

// maxLine bounds the kept last line of a command, in bytes.
const maxLine = 300

// Run runs the command in the user's shell, without the engine's credentials. why says how it
// failed, "" if it did not; the error is that of ctx, or of a shell that could not be started. What the
// command leaves in its process group ends with it.
func (c Command) Run(ctx context.Context) (why string, err error) {
	cmd := ask.Shell(ctx, c.Line)
	var last tail
	cmd.Dir, cmd.Env = c.Dir, append(redact.Environment(os.Environ()), c.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.Stdin), c.Out, io.MultiWriter(c.Err, &last)
	cmd.WaitDelay = farewell
	end, err := ask.Group(cmd)
	if err != nil {
		return "", err
	}
	defer end()
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.As(err, &exit):
		return strings.TrimSuffix(fmt.Sprintf("the command ended with %s: %s", exit.ProcessState, last.line()), ": "), nil
	case errors.Is(err, exec.ErrWaitDelay): // it ended, and left a process with its output
		return "", nil
	case err != nil:
		return "", fmt.Errorf("start the command: %w", err)
	}
	return "", nil
}

// tail keeps the end of what is written.
type tail struct{ kept []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - 4*maxLine; over > 0 {
		t.kept = append([]byte{}, t.kept[over:]...)
	}
	return len(p), nil
}

// line returns the last line that is not empty.
func (t *tail) line() string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "")), "\n")
	text := strings.TrimSpace(lines[len(lines)-1])
	return strings.ToValidUTF8(text[:min(len(text), maxLine)], "")
}

// Log keeps the beginning and the end of an output of up to most bytes, and says between them how much it left out. The
// end is in memory until End. It can be written to concurrently.
type Log struct {
	to         io.Writer
	head, tail int // how many more bytes go to each
	mu         sync.Mutex
	end        []byte
	// LeftOut counts the bytes between them, after End.
	LeftOut int64
}

// NewLog returns a Log that writes to a file.
func NewLog(to io.Writer, most int) *Log { return &Log{to: to, head: most - most/4, tail: most / 4} }

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(p), l.head)
	l.head -= n
	if _, err := l.to.Write(p[:n]); err != nil {
		return 0, err
	}
	l.end = append(l.end, p[n:]...)
	if over := len(l.end) - l.tail; over > l.tail {
		l.end, l.LeftOut = append(l.end[:0], l.end[over:]...), l.LeftOut+int64(over)
	}
	return len(p), nil
}

// End writes the end of the output, from a whole line on. What comes later may be left out.
func (l *Log) End() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	cut := max(len(l.end)-l.tail, 0)
	if l.LeftOut+int64(cut) > 0 {
		if i := bytes.IndexByte(l.end[cut:], '\n'); i >= 0 && cut+i+1 < len(l.end) {
			cut += i + 1
		}
		l.LeftOut += int64(cut)
		if _, err := fmt.Fprintf(l.to, "\n[assent left out %d bytes of the output]\n", l.LeftOut); err != nil {
			return err
		}
	}
	_, err := l.to.Write(l.end[cut:])
	l.end = nil
	return err
}
