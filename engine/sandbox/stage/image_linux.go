//go:build amd64 || arm64

package stage

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"syscall"
)

// Addresses of the program's memory. Pages have up to 64 KiB: a segment's address and file
// offset are equal modulo the page size.
const (
	codeAt    = 0x10000000 // with the ELF header
	dataAt    = 0x20001000 // also in code_linux_*.s
	headSize  = 0x100
	dataStart = 0x1000 // in the file
)

// A Program is an executable file for the sandbox, built from an Order.
type Program struct {
	ELF   []byte
	steps []string
}

// Failure describes the report of a stage that ended by itself.
func (p Program) Failure(said []byte) string {
	if len(said) != 16 {
		return "the stage sent an unknown report: " + strings.ToValidUTF8(string(said), "?")
	}
	errno, index := binary.LittleEndian.Uint64(said), binary.LittleEndian.Uint64(said[8:])
	if index >= uint64(len(p.steps)) {
		return "the stage reported a step that does not exist"
	}
	return p.steps[index] + ": " + syscall.Errno(errno).Error()
}

// A step is one system call.
type step struct {
	what string // for error messages
	call uintptr
	args [6]uint64
	// keep is the address to which the result is written, as 32 bits; 0 for none.
	keep uint64
	// from is the address at which the first argument was kept; 0 if it is in args.
	from uint64
}

// image is the memory of a program under construction.
type image struct {
	data  []byte
	steps []step
	err   error
}

// do adds a step. The returned pointer is valid until the next call.
func (m *image) do(what string, call uintptr, args ...uint64) *step {
	s := step{what: what, call: call}
	copy(s.args[:], args)
	m.steps = append(m.steps, s)
	return &m.steps[len(m.steps)-1]
}

// bytes adds bytes to the memory and returns their address.
func (m *image) bytes(b []byte) (addr uint64) {
	addr = dataAt + uint64(len(m.data))
	m.data = append(m.data, b...)
	for len(m.data)%8 != 0 {
		m.data = append(m.data, 0)
	}
	return addr
}

// words adds 64-bit words and returns their address.
func (m *image) words(words ...uint64) (addr uint64) {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return m.bytes(b)
}

func (m *image) text(s string) (addr uint64) {
	if strings.ContainsRune(s, 0) {
		m.err = errors.New("a text for the stage contains a NUL byte")
	}
	return m.bytes(append([]byte(s), 0))
}

// texts adds a null-terminated array of strings, and of further ones by their addresses.
func (m *image) texts(list []string, further ...uint64) (addr uint64) {
	pointers := make([]uint64, 0, len(list)+1)
	for _, s := range list {
		pointers = append(pointers, m.text(s))
	}
	return m.words(append(append(pointers, further...), 0)...)
}

// program adds the list of steps and returns the ELF file.
func (m *image) program() (Program, error) {
	if m.err != nil {
		return Program{}, m.err
	}
	p := Program{}
	list := m.words()
	for i, s := range m.steps {
		p.steps = append(p.steps, s.what)
		m.words(slices.Concat([]uint64{uint64(s.call)}, s.args[:], []uint64{s.keep, s.from, uint64(i)})...)
	}
	binary.LittleEndian.PutUint64(m.data, list)
	text, err := machineCode()
	if err != nil {
		return Program{}, err
	}
	p.ELF = append(head(len(text), len(m.data)), text...)
	p.ELF = append(p.ELF, make([]byte, dataStart-len(p.ELF))...)
	p.ELF = append(p.ELF, m.data...)
	return p, nil
}
