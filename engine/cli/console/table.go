package console

import (
	"io"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// gap is the space between two columns.
const gap = "  "

// Table prints rows with aligned columns. Cells may be styled, and must be clean;
// on a terminal the last column, which must be plain, is cut to what is left of
// its width.
func (c *Console) Table(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	left := c.World.Width()
	for _, w := range widths[:max(0, len(widths)-1)] {
		left -= w + len(gap)
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if i == len(row)-1 {
				if c.Terminal() {
					cell = Cut(cell, max(left, 20))
				}
				line.WriteString(cell)
				break
			}
			line.WriteString(cell + strings.Repeat(" ", widths[i]-lipgloss.Width(cell)) + gap)
		}
		c.Printf("%s\n", strings.TrimRight(line.String(), " "))
	}
}

// Cut shortens plain text to a number of columns.
func Cut(s string, columns int) string {
	if lipgloss.Width(s) <= columns {
		return s
	}
	return strings.TrimRight(ansi.Truncate(s, max(0, columns-1), ""), " ") + "…"
}

// Raw is standard output without the filter and the translation of colours, for bytes that
// must arrive as they are.
func (c *Console) Raw() io.Writer { return unfiltered(c.World.Out) }

// unfiltered returns the writer behind the filters of an output.
func unfiltered(w io.Writer) io.Writer {
	for {
		switch outer := w.(type) {
		case *answer:
			w = outer.to
		case screen:
			w = outer.terminal
		case *colorprofile.Writer:
			w = outer.Forward
		default:
			return w
		}
	}
}

// Terminal reports whether a person reads standard output.
func (c *Console) Terminal() bool {
	f, ok := c.Raw().(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
