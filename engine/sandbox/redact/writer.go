package redact

import (
	"io"
	"slices"
)

// A Writer passes on what is written to it without the secrets. It holds back only
// what may be the beginning of one, until the next write or Flush.
type Writer struct {
	to      io.Writer
	r       *Redactor
	waiting []byte
}

// NewWriter gives a Writer that writes to another. It is for one goroutine.
func NewWriter(to io.Writer, r *Redactor) *Writer { return &Writer{to: to, r: r} }

// Write implements io.Writer. It reports all of p as written unless the other fails.
func (w *Writer) Write(p []byte) (int, error) {
	out, waiting := w.r.some(slices.Concat(w.waiting, p), false)
	w.waiting = slices.Clone(waiting)
	if len(out) == 0 {
		return len(p), nil
	}
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush passes on what was held back.
func (w *Writer) Flush() error {
	out, _ := w.r.some(w.waiting, true)
	w.waiting = nil
	_, err := w.to.Write(out)
	return err
}
