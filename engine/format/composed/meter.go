package composed

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"
)

// The bounds of single values, independent of a run's limits.
const (
	maxText  = 4 << 20  // bytes of one text
	maxBits  = 64 << 10 // of one whole number
	maxDepth = 100      // of values in values
)

// elementBytes is the assumed size of a list element or dictionary entry: the value's two
// words, and a small value that it points to.
const elementBytes = 64

// errLimit is wrapped by every error about an exceeded limit.
var errLimit = errors.New("limit")

func limit(format string, args ...any) error {
	return &limitError{fmt.Sprintf(format, args...)}
}

type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }
func (e *limitError) Unwrap() error { return errLimit }

// meter holds the remaining limits of a run.
type meter struct {
	memory int64 // bytes that may still be allocated; nothing is given back
	limit  int64
	done   <-chan struct{} // closed when the run is to end
}

// set performs d[k] = v within a longer operation. Adversarial keys can make each
// insertion compare with all earlier ones, so that many take hours.
func (m *meter) set(d *starlark.Dict, k, v starlark.Value) error {
	select {
	case <-m.done:
		return errors.New(interrupted)
	default:
		return d.SetKey(k, v)
	}
}

const meterLocal = "meter"

func meterOf(t *starlark.Thread) *meter { return t.Local(meterLocal).(*meter) }

// spend charges bytes before their allocation.
func (m *meter) spend(bytes int64) error {
	if bytes > m.memory {
		return limit("it makes more than %d bytes of values", m.limit)
	}
	m.memory -= bytes
	return nil
}

// room checks that bytes could be allocated now, without charging them.
func (m *meter) room(bytes int64) error {
	if bytes > m.memory {
		return limit("it makes more than %d bytes of values", m.limit)
	}
	return nil
}

// shallow returns the size of a value without its elements.
func shallow(v starlark.Value) int64 {
	switch v := v.(type) {
	case starlark.String:
		return 16 + int64(len(v))
	case starlark.Bytes:
		return 16 + int64(len(v))
	case starlark.Int:
		return 16 + int64(bits(v)/8)
	case *starlark.Dict:
		return 512 + elementBytes*int64(v.Len()) // a dictionary starts with space for eight
	case starlark.Sequence:
		return elementBytes * (1 + length(v))
	case *starlark.Builtin:
		return elementBytes
	}
	return 16
}

// length returns the number of elements, bounded because a range may have more than can
// be multiplied.
func length(v starlark.Sequence) int64 { return min(int64(v.Len()), 1<<40) }

func bits(v starlark.Int) int {
	if _, small := v.Int64(); small {
		return 64
	}
	return v.BigInt().BitLen()
}

// made charges for a new value, and refuses one that is too large.
func (m *meter) made(v starlark.Value) error {
	switch v := v.(type) {
	case starlark.String:
		if len(v) > maxText {
			return limit("a text of %d bytes, more than %d", len(v), maxText)
		}
	case starlark.Bytes:
		if len(v) > maxText {
			return limit("%d bytes in one value, more than %d", len(v), maxText)
		}
	case starlark.Int:
		if bits(v) > maxBits {
			return limit("a whole number of more than %d bits", maxBits)
		}
	case starlark.NoneType, starlark.Bool, starlark.Float:
		return nil
	}
	return m.spend(shallow(v))
}

// walked is the size of a value as a tree. Repeated parts count repeatedly, as they do in
// comparing, hashing and printing.
type walked struct{ nodes, bytes int64 }

// walk measures values, and charges their nodes as steps. It stops early if a value
// exceeds the run's total.
func (m *meter) walk(t *starlark.Thread, values ...starlark.Value) (walked, error) {
	var w walked
	for _, v := range values {
		if err := m.visit(&w, v, 0); err != nil {
			return w, err
		}
	}
	t.Steps += uint64(w.nodes + w.bytes/256)
	return w, m.small(w)
}

func (m *meter) visit(w *walked, v starlark.Value, depth int) error {
	w.nodes++
	w.bytes += 16
	switch v := v.(type) {
	case starlark.String:
		w.bytes += int64(len(v))
	case starlark.Bytes:
		w.bytes += int64(len(v))
	case starlark.Int:
		w.bytes += int64(bits(v) / 3)
	case *starlark.List:
		for i := range v.Len() {
			if err := m.below(w, v.Index(i), depth); err != nil {
				return err
			}
		}
	case starlark.Tuple:
		for _, e := range v {
			if err := m.below(w, e, depth); err != nil {
				return err
			}
		}
	case *starlark.Dict:
		for _, pair := range v.Items() {
			if err := m.below(w, pair, depth); err != nil {
				return err
			}
		}
	case starlark.Sequence: // a range has small elements
		w.nodes += length(v)
		w.bytes += 16 * length(v)
	}
	return nil
}

func (m *meter) below(w *walked, v starlark.Value, depth int) error {
	if depth >= maxDepth {
		return limit("values nested deeper than %d", maxDepth)
	}
	if err := m.small(*w); err != nil {
		return err
	}
	return m.visit(w, v, depth+1)
}

func (m *meter) small(w walked) error {
	if w.bytes > m.limit {
		return limit("a value that is larger than %d bytes when it is written out", m.limit)
	}
	return nil
}
