//go:build amd64 || arm64

package stage

import (
	"errors"
	"slices"
	"unsafe"
)

// steps goes through the list of system calls. It is written in assembler, runs only where it
// was copied to, and uses no stack and no memory but the list.
func steps()

// code is where steps is, without the wrapper that Go calls it by.
func code() unsafe.Pointer

var _ = steps // it is never called

// mark follows the last instruction of steps, which has fewer bytes than mostCode.
var mark = []byte("\x00steps\x00\x00")

const mostCode = 512

// machineCode is a copy of steps.
func machineCode() ([]byte, error) {
	text := unsafe.Slice((*byte)(code()), mostCode)
	for n := range text[:mostCode-len(mark)] {
		if slices.Equal(text[n:n+len(mark)], mark) {
			return slices.Clone(text[:n]), nil
		}
	}
	return nil, errors.New("the code of the stage has no end: this program was built wrongly")
}
