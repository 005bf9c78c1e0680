package redact

import (
	"io"
	"slices"
)

// A Reader gives what it reads from another without the secrets. It holds back only
// what may be the beginning of one.
type Reader struct {
	from           io.Reader
	r              *Redactor
	ready, waiting []byte
	err            error
}

// NewReader gives a Reader of another. It is for one goroutine.
func NewReader(from io.Reader, r *Redactor) *Reader { return &Reader{from: from, r: r} }

// Read implements io.Reader. What was held back comes at the end, or before a failure.
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
	ready, waiting := r.r.some(text, err != nil)
	r.ready, r.waiting, r.err = ready, slices.Clone(waiting), err
	if n == 0 && err == nil {
		r.err = io.ErrNoProgress
	}
}
