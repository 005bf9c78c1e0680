package sandbox

import (
	"context"
	"io"
	"time"
)

// Paths inside the sandbox.
const (
	// Code is the folder of the Spec's files. It is read-only.
	Code = "/code"
	// Scratch is the writable folder, if the Spec has one. It is in memory, empty at the start
	// and removed at the end.
	Scratch = "/scratch"
)

// A Runner runs a Spec. [Box] and [Unprotected] implement it.
type Runner interface {
	// Run runs a program to its end. An error means that the machine failed or the Spec is
	// invalid, and that nothing ran. Everything that a program does is a Result.
	Run(ctx context.Context, spec Spec) (Result, error)
	// Start starts a program for communication while it runs. The caller must call Wait.
	Start(ctx context.Context, spec Spec) (*Process, error)
	// Protects reports whether programs are isolated.
	Protects() bool
}

// A Spec describes one program and everything that it gets.
type Spec struct {
	// Args has the program and its arguments. A program without a slash is looked up on this
	// machine ("python3", "bash", "node"). One with a slash is a path inside, relative to Code.
	Args []string
	// Dir is the initial folder: Code if empty, or Scratch.
	Dir string
	// Files are placed below Code, by relative, slash-separated paths.
	Files map[string]File
	// Folder is a folder of this machine, absolute, that is bound read-only as Code instead of
	// Files: for more files than can be passed one by one. Every user must be able to read its
	// content.
	Folder string
	// Stdin is the program's input; Start ignores it and returns a pipe.
	Stdin []byte
	// Env is the program's environment, except for the secrets and the sandbox's defaults:
	// PATH, HOME, TMPDIR, LANG and, if there are hosts, the proxy's address.
	Env map[string]string
	// Secrets are further environment variables. Their values are replaced by [redacted:NAME]
	// in all output. Values shorter than redact.Shortest bytes are refused.
	Secrets map[string]string
	// Hosts lists the reachable hosts, each "name:port" or "address:port". If empty, there is
	// no network.
	Hosts []string
	// Readable lists folders of this machine, absolute, that are readable at the same path, in
	// addition to those of the system and of the interpreter.
	Readable []string
	// Write gives the program the folder Scratch. Otherwise nothing is writable.
	Write bool
	// Stdout and Stderr also get the redacted output while the program runs, if they are not nil; their
	// errors are ignored. Start ignores Stdout.
	Stdout, Stderr io.Writer
	// Limits bound the program's resources; zero fields are taken from Default.
	Limits Limits
}

// A File is the content of a file for a program.
type File struct {
	Data       []byte
	Executable bool
}

// Limits bound the resources of a program with all processes that it starts.
type Limits struct {
	Wall        time.Duration // from start to end, by the clock
	CPU         time.Duration // of each process; whole seconds, rounded up
	Memory      int64         // bytes of each process
	Output      int64         // bytes of standard output and error together
	FileSize    int64         // bytes of Scratch together, and so of each file
	Processes   int           // and threads, at one time
	Descriptors int           // open files of each process
}

// Default returns the limits of a tool that declares none: 30 seconds (K25), and enough for an
// interpreter with a few threads.
func Default() Limits {
	return Limits{
		Wall: 30 * time.Second, CPU: 30 * time.Second,
		Memory: 512 << 20, Output: 1 << 20, FileSize: 64 << 20,
		Processes: 64, Descriptors: 256,
	}
}

// orDefault fills in zero fields.
func (l Limits) orDefault() Limits {
	d := Default()
	l.Wall, l.CPU = positive(l.Wall, d.Wall), positive(l.CPU, d.CPU)
	l.Memory, l.Output = positive(l.Memory, d.Memory), positive(l.Output, d.Output)
	l.FileSize = positive(l.FileSize, d.FileSize)
	l.Processes, l.Descriptors = positive(l.Processes, d.Processes), positive(l.Descriptors, d.Descriptors)
	return l
}

func positive[N int | int64 | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}
