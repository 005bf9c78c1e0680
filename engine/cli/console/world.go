package console

import (
	"crypto/rand"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/assent-dev/assent/engine/home/keys"
)

// Process is the world of this process.
func Process() World {
	return World{
		In: os.Stdin, Out: stream(os.Stdout), Err: stream(os.Stderr),
		Getenv: os.Getenv, Now: time.Now, Random: rand.Reader,
		Width: width, Interactive: term.IsTerminal(int(os.Stdin.Fd())), ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		Unattended: keys.Unattended, Chdir: os.Chdir,
	}
}

func width() int {
	w, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || w < 40 {
		return 80
	}
	return min(w, 120)
}

// World is the part of the process that a run uses.
type World struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Now      func() time.Time
	Random   io.Reader
	// Width of the terminal in columns.
	Width func() int
	// Interactive is set when a person can be asked on the terminal.
	Interactive bool
	// ErrTerminal is set when a person reads Err.
	ErrTerminal bool
	// Chdir moves the process, for -C; nil if other goroutines need the folder unchanged, and then
	// only files of the repository are found below -C.
	Chdir func(dir string) error
	// Unattended reports whether keys without a passphrase may sign for people without a terminal;
	// nil means no.
	Unattended func() (bool, error)
}
