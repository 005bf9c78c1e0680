package judging

import (
	"fmt"
	"sync"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// validated validates a change that anyone may have written. If a library breaks on it, the error names
// the file that was read last.
func validated(in validate.Input) (out validate.Outcome, err error) {
	broke := broken(func() { out, err = validate.Run(in) })
	if broke == nil {
		return out, err
	}
	last := &reading{View: in.Head}
	in.Head = last
	_ = broken(func() { _, _ = validate.Run(in) }) // again, to find the file
	return validate.Outcome{}, &console.Failure{
		Code: console.ExitWorld, Err: fmt.Errorf("%s: assent broke on this file: %v", last.file(), broke),
		Hint: "report it as a fault of assent, with the file; without the file the rest can be validated",
	}
}

// broken returns what do panics with, nil if it does not.
func broken(do func()) (broke any) {
	defer func() { broke = recover() }()
	do()
	return nil
}

// reading is a view that remembers the file that was read last.
type reading struct {
	tree.View
	mu   sync.Mutex
	last string
}

// Read implements tree.View.
func (r *reading) Read(path string) ([]byte, error) {
	r.mu.Lock()
	r.last = path
	r.mu.Unlock()
	return r.View.Read(path)
}

func (r *reading) file() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == "" {
		return "the names of the files"
	}
	return r.last
}
