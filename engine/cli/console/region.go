package console

import (
	"fmt"
	"io"
	"sync"
)

// maxRegion bounds the lines of a region, so that it fits on small terminals.
const maxRegion = 16

// Region are the last lines of a person's terminal, which change in place. What is written to it appears above them.
type Region struct {
	to io.Writer

	mu    sync.Mutex
	lines func() []string
	drawn int
}

// Live makes a region of standard error; nil if no person reads it on a terminal that can do this.
func Live(c *Console) *Region {
	if c.JSON || c.Log != nil || !c.World.ErrTerminal || c.World.Getenv("TERM") == "dumb" {
		return nil
	}
	r := &Region{to: c.World.Err}
	c.World.Err = r
	return r
}

// Write writes whole lines above the region.
func (r *Region) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.erase()
	n, err := r.to.Write(p)
	r.draw()
	return n, err
}

// Show replaces the lines, by none if lines is nil. It is called again with each Redraw.
func (r *Region) Show(lines func() []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = lines
	r.erase()
	r.draw()
}

// Redraw draws the lines again, such as another time that has passed.
func (r *Region) Redraw() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.erase()
	r.draw()
}

func (r *Region) erase() {
	if r.drawn > 0 {
		fmt.Fprintf(unfiltered(r.to), "\x1b[%dA\r\x1b[J", r.drawn)
	}
	r.drawn = 0
}

func (r *Region) draw() {
	if r.lines == nil {
		return
	}
	fmt.Fprint(unfiltered(r.to), "\x1b[?7l") // long lines are cut, or the number of lines were wrong
	for _, line := range r.lines() {
		if r.drawn++; r.drawn == maxRegion {
			fmt.Fprintln(r.to, "…")
			break
		}
		fmt.Fprintln(r.to, line)
	}
	fmt.Fprint(unfiltered(r.to), "\x1b[?7h")
}
