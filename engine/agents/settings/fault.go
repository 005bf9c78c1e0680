package settings

import (
	"bytes"
	"fmt"
)

// Fault is the reason why a file cannot be edited, with its line.
type Fault struct {
	// Line counts from 1.
	Line int
	What string
	// Fix is what a person can do.
	Fix string
}

// Error is the sentence without the file's name, which the caller knows.
func (f *Fault) Error() string { return fmt.Sprintf("line %d: %s", f.Line, f.What) }

func fault(src []byte, at int, fix, format string, args ...any) error {
	at = min(max(at, 0), len(src))
	return &Fault{Line: 1 + bytes.Count(src[:at], []byte("\n")), What: fmt.Sprintf(format, args...), Fix: fix}
}

// newline is the line end that a file uses.
func newline(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
