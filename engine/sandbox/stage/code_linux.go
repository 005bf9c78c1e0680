//go:build amd64 || arm64

package stage

import (
	"errors"
	"slices"
	"unsafe"
)

// steps executes the list of system calls. It is written in assembler, runs only in its copy,
// and uses no stack and no memory except the list.
func steps()

// code returns the address of steps, without Go's call wrapper.
func code() unsafe.Pointer

var _ = steps // it is never called

// mark follows the last instruction of steps, which is shorter than mostCode bytes.
var mark = []byte("\x00steps\x00\x00")

const mostCode = 512

// machineCode returns a copy of steps.
func machineCode() ([]byte, error) {
	text := unsafe.Slice((*byte)(code()), mostCode)
	for n := range text[:mostCode-len(mark)] {
		if slices.Equal(text[n:n+len(mark)], mark) {
			return slices.Clone(text[:n]), nil
		}
	}
	return nil, errors.New("the code of the stage has no end mark: this program was built incorrectly")
}
