package gitstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitrun"
)

// catFile is one git that prints objects. It runs on for the next object, because git keeps what
// many objects are differences from.
type catFile struct {
	place Place
	mu    sync.Mutex
	cmd   *exec.Cmd // nil while none runs
	in    io.WriteCloser
	out   *bufio.Reader
	idle  *time.Timer
}

// maxIdle is how long git waits for the next object.
const maxIdle = 2 * time.Second

// object returns an object with its size. The kind and size of one that exceeds its bound come with
// the error. An object that git cannot read is corrupt.
func (c *catFile) object(h tree.Hash, b bounds) (o object, size int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.start(); err != nil {
		return o, 0, err
	}
	if o, size, err = c.ask(h, b); err != nil && !IsBadObject(err) {
		c.end()
		err = fmt.Errorf("git cat-file: %w: %w", ErrCorrupt, err)
	}
	return o, size, err
}

func (c *catFile) ask(h tree.Hash, b bounds) (o object, size int64, err error) {
	if _, err = fmt.Fprintln(c.in, h); err != nil {
		return o, 0, err
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return o, 0, err
	}
	var name, kind string
	if n, _ := fmt.Sscan(line, &name, &kind, &size); n < 3 {
		return o, 0, errors.New(strings.TrimSpace(line)) // "missing"
	}
	if o.kind, err = parseKind(kind); err != nil {
		return o, 0, err
	}
	if refused := checkSize(o.kind, size, b); refused != nil {
		if _, err = io.CopyN(io.Discard, c.out, size+1); err != nil {
			return o, 0, err
		}
		return o, size, refused
	}
	data := make([]byte, size+1) // and a line break
	_, err = io.ReadFull(c.out, data)
	o.data = data[:size:size]
	return o, size, err
}

// start starts git if it does not run, and lets it wait for more.
func (c *catFile) start() error {
	if c.cmd != nil {
		c.idle.Reset(maxIdle)
		return nil
	}
	cmd, err := gitrun.Command(context.Background(), gitrun.Call{Dir: c.place.commonDir, GitDir: c.place.commonDir, Args: []string{"cat-file", "--batch"}})
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if c.in, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	c.cmd, c.out = cmd, bufio.NewReader(out)
	c.idle = time.AfterFunc(maxIdle, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.cmd == cmd {
			c.end()
		}
	})
	return nil
}

// end ends git, which reads the end of its input.
func (c *catFile) end() {
	c.idle.Stop()
	_ = c.in.Close()
	go func(cmd *exec.Cmd) { _ = cmd.Wait() }(c.cmd)
	c.cmd = nil
}
