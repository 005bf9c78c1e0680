package sandbox

import (
	"bytes"
	"io"
	"sync"

	"github.com/assent-dev/assent/engine/sandbox/redact"
)

// allowance is the remaining output of a process.
type allowance struct {
	mu   sync.Mutex
	left int64
	over bool
	end  func() // called once it is exhausted
}

// take returns how many of n bytes are allowed.
func (a *allowance) take(n int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if int64(n) <= a.left {
		a.left -= int64(n)
		return n
	}
	n, a.left = int(a.left), 0
	if !a.over {
		a.over = true
		a.end()
	}
	return n
}

func (a *allowance) exceeded() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.over
}

// output keeps the allowed output of a process, without secrets. A goroutine of os/exec may
// still write when text is called.
type output struct {
	mu      sync.Mutex
	allowed *allowance
	kept    bytes.Buffer
	clean   *redact.Writer
	closed  bool
}

func newOutput(secrets *redact.Redactor, allowed *allowance, live io.Writer) *output {
	o := &output{allowed: allowed}
	o.clean = redact.NewWriter(&tee{&o.kept, live}, secrets)
	return o
}

// tee keeps what is written, and passes it on to a writer that may fail, if there is one.
type tee struct {
	kept *bytes.Buffer
	live io.Writer
}

func (t *tee) Write(p []byte) (int, error) {
	if t.live != nil {
		_, _ = t.live.Write(p)
	}
	return t.kept.Write(p)
}

// Write implements io.Writer. Output beyond the limit is dropped, and the process is ended.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := o.allowed.take(len(p))
	if o.closed {
		return 0, io.ErrClosedPipe
	}
	if _, err := o.clean.Write(p[:n]); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// text closes the output and returns it.
func (o *output) text() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		_ = o.clean.Flush() // into memory
	}
	return o.kept.Bytes()
}

// limitedReader passes on allowed bytes of a reader.
type limitedReader struct {
	from    io.Reader
	allowed *allowance
}

func (c *limitedReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if may := c.allowed.take(n); may < n {
		return may, io.EOF
	}
	return n, err
}
