package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"

	"github.com/assent-dev/assent/engine/git/gitrun"
)

// folderReceiver runs `git receive-pack` as a child, so that the configuration, hooks and locks
// of that repository apply as in any push.
type folderReceiver struct {
	there    advertisement
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      io.ReadCloser
	problems words
	once     sync.Once
	ended    error
}

func dialFolder(ctx context.Context, a address, path string) (receiver, error) {
	cmd, err := a.repo.ReceivePack(ctx, path)
	if err != nil {
		return nil, err
	}
	c := &folderReceiver{cmd: cmd}
	cmd.Stderr = &c.problems
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting git receive-pack: %w", err)
	}
	c.there, err = readAdvertisement(c.out)
	if err != nil {
		c.close()
		return nil, errors.Join(err, gitrun.Problems(c.problems.String()))
	}
	return c, nil
}

func (c *folderReceiver) advertised() advertisement { return c.there }
func (c *folderReceiver) takesPack() bool           { return true }

// send writes and reads concurrently: the child may answer or fail before it has read
// everything.
func (c *folderReceiver) send(_ context.Context, moves []Move, pack []byte) (report, error) {
	written := make(chan error, 1)
	go func() {
		_, err := c.in.Write(c.there.request(moves, pack))
		written <- errors.Join(err, c.in.Close())
	}()
	answer, err := readReport(c.out, c.there.capabilities["side-band-64k"])
	if err != nil {
		c.close()
		return answer, errors.Join(err, gitrun.Problems(c.problems.String()))
	}
	werr := <-written
	c.close()
	if answer.words == "" {
		answer.words = c.problems.String()
	}
	if len(answer.refs) > 0 {
		return answer, nil // each ref has a result; the exit status changes nothing
	}
	return answer, errors.Join(werr, c.ended)
}

// close ends the child, which exits once its input is closed.
func (c *folderReceiver) close() {
	c.once.Do(func() {
		_ = c.in.Close()
		_, _ = io.Copy(io.Discard, c.out) // so that it can exit
		c.ended = c.cmd.Wait()
	})
}

// words collects the output of a program, up to a bound. A goroutine of os/exec writes to it,
// also while it is read.
type words struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer and never fails.
func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf.Write(p[:min(len(p), maxWords-w.buf.Len())])
	return len(p), nil
}

// String returns the output so far.
func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}
