package console

import (
	"context"
	"fmt"
	"io"
)

// Reading returns a long input that ends with ctx, and shows on a terminal how far it is read. size is 0 if it is
// unknown.
func Reading(ctx context.Context, c *Console, in io.ReadCloser, size int64) io.ReadCloser {
	return &reading{ReadCloser: in, ctx: ctx, c: c, size: size}
}

type reading struct {
	io.ReadCloser
	ctx               context.Context
	c                 *Console
	size, read, shown int64
}

// step is how many bytes are read between two figures.
const step = 2 << 20

// Read implements io.Reader.
func (r *reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.ReadCloser.Read(p)
	if r.read += int64(n); r.c.World.ErrTerminal && r.read-r.shown >= step {
		r.shown = r.read
		of := ""
		if r.size > 0 {
			of = fmt.Sprintf(" of %d", r.size>>20)
		}
		r.c.Overwrite("read %d%s MiB", r.read>>20, of)
	}
	return n, err
}

// Close ends the line of the figures.
func (r *reading) Close() error {
	if r.shown > 0 {
		fmt.Fprintln(r.c.World.Err)
		r.shown = 0
	}
	return r.ReadCloser.Close()
}
