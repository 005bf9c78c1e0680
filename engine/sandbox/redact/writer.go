package redact

import (
	"io"
	"slices"
)

// A Writer redacts what is written to it and passes it on. It holds back only the possible
// start of a secret, until the next write or Flush.
type Writer struct {
	to      io.Writer
	r       *Redactor
	waiting []byte
}

// NewWriter returns a Writer to another. It must be used by one goroutine.
func NewWriter(to io.Writer, r *Redactor) *Writer { return &Writer{to: to, r: r} }

// Write implements io.Writer. It reports all of p as written unless the underlying writer
// fails.
func (w *Writer) Write(p []byte) (int, error) {
	out, waiting := w.r.redactPart(slices.Concat(w.waiting, p), false)
	w.waiting = slices.Clone(waiting)
	if len(out) == 0 {
		return len(p), nil
	}
	if _, err := w.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush passes on the held-back bytes.
func (w *Writer) Flush() error {
	out, _ := w.r.redactPart(w.waiting, true)
	w.waiting = nil
	_, err := w.to.Write(out)
	return err
}
