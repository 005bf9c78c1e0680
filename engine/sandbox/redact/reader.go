package redact

import (
	"io"
	"slices"
)

// A Reader redacts what it reads from another. It holds back only the possible start of a
// secret.
type Reader struct {
	from           io.Reader
	r              *Redactor
	ready, waiting []byte
	err            error
}

// NewReader returns a Reader of another. It must be used by one goroutine.
func NewReader(from io.Reader, r *Redactor) *Reader { return &Reader{from: from, r: r} }

// Read implements io.Reader. Held-back bytes are returned at the end, or before an error.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.ready) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

func (r *Reader) fill() {
	buf := make([]byte, 32<<10)
	n, err := r.from.Read(buf)
	text := slices.Concat(r.waiting, buf[:n])
	ready, waiting := r.r.redactPart(text, err != nil)
	r.ready, r.waiting, r.err = ready, slices.Clone(waiting), err
	if n == 0 && err == nil {
		r.err = io.ErrNoProgress
	}
}
