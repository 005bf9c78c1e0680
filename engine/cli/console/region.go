package console

import (
	"fmt"
	"io"
	"sync"
)

// maxRegion bounds the lines of a region.
const maxRegion = 16

// Region is a block of lines at the end of a terminal that updates in place. Other output appears above it. While the
// last line of that has no end, as a prompt has none, nothing is drawn.
type Region struct {
	to io.Writer

	mu    sync.Mutex
	lines func() []string
	drawn int
	open  bool // the last line above has no end
}

// Live makes a region of standard error; nil if no person reads it on a terminal that can do this.
func Live(c *Console) *Region {
	term := c.World.Getenv("TERM") // a console of Windows that has none may not know the sequences
	if c.JSON || c.Log != nil || !c.World.ErrTerminal || term == "" || term == "dumb" {
		return nil
	}
	r := &Region{to: c.World.Err}
	c.World.Err = r
	return r
}

// Write writes p above the region.
func (r *Region) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.erase()
	n, err := r.to.Write(p)
	if len(p) > 0 {
		r.open = p[len(p)-1] != '\n'
	}
	r.draw()
	return n, err
}

// Show sets the region's content, nil for none. Redraw calls lines again.
func (r *Region) Show(lines func() []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = lines
	r.erase()
	r.draw()
}

// Redraw updates the lines, such as the elapsed time.
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
	if r.lines == nil || r.open {
		return
	}
	lines := r.lines()
	if len(lines) > maxRegion {
		lines = append(lines[:maxRegion-1:maxRegion-1], "…")
	}
	fmt.Fprint(unfiltered(r.to), "\x1b[?7l") // no line wrap: erase counts lines
	for _, line := range lines {
		fmt.Fprintln(r.to, line)
		r.drawn++
	}
	fmt.Fprint(unfiltered(r.to), "\x1b[?7h")
}
