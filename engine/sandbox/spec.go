package sandbox

import (
	"context"
	"time"
)

// Where a program finds what it was given.
const (
	// Code is the folder of the Spec's files. Nothing in it can be written to.
	Code = "/code"
	// Scratch is the folder that may be written to, if the Spec says so. It is empty
	// at the start, in memory, and gone at the end.
	Scratch = "/scratch"
)

// A Runner runs what a Spec describes. [Box] and [Unprotected] are the two.
type Runner interface {
	// Run runs a program to its end. The error says that the machine failed, or that
	// the Spec is wrong, and that nothing ran; whatever a program does is a Result.
	Run(ctx context.Context, spec Spec) (Result, error)
	// Start starts a program that is talked to while it runs. Wait has to be called.
	Start(ctx context.Context, spec Spec) (*Process, error)
	// Protects reports whether programs are isolated.
	Protects() bool
}

// A Spec is one program and everything that it is given.
type Spec struct {
	// Args are the program and its arguments. A program without a slash is looked for
	// on this machine ("python3", "bash", "node"); one with a slash is a path inside,
	// relative to Code.
	Args []string
	// Dir is the folder to start in: Code when empty, or Scratch.
	Dir string
	// Files are laid down below Code, by their relative, slash-separated paths.
	Files map[string]File
	// Folder is a folder of this machine, absolute, that is shown as Code instead of Files,
	// for reading only: for more files than can be handed over one by one. Who runs the
	// program, and everybody, must be able to read what is in it.
	Folder string
	// Stdin is what the program can read; Start ignores it and gives a pipe.
	Stdin []byte
	// Env is all of the program's environment but for the secrets and what the sandbox
	// itself says where the Spec does not: PATH, HOME, TMPDIR, LANG and the proxy's
	// address if there are hosts.
	Env map[string]string
	// Secrets are further variables of the environment. Their values are replaced by
	// [redacted:NAME] in all output. Values shorter than redact.Shortest bytes are refused.
	Secrets map[string]string
	// Hosts may be reached, each "name:port" or "address:port". None means no network.
	Hosts []string
	// Readable are folders of this machine, absolute, that can be read at the same path.
	// Those of the system and of the interpreter need not be named.
	Readable []string
	// Write gives the program the folder Scratch. Without it nothing can be written to.
	Write bool
	// Limits are how much it may take; what is zero is taken from Default.
	Limits Limits
}

// A File is content that is laid down for a program.
type File struct {
	Data       []byte
	Executable bool
}

// Limits are how much a program may take, with all of the processes that it starts.
type Limits struct {
	Wall        time.Duration // from start to end, by the clock
	CPU         time.Duration // of each process; whole seconds, rounded up
	Memory      int64         // bytes of each process
	Output      int64         // bytes of standard output and error together
	FileSize    int64         // bytes of Scratch together, and so of each file
	Processes   int           // and threads, at one time
	Descriptors int           // open files of each process
}

// Default are the limits of a tool that says nothing: 30 seconds (K25), and what an
// interpreter with a few threads needs.
func Default() Limits {
	return Limits{
		Wall: 30 * time.Second, CPU: 30 * time.Second,
		Memory: 512 << 20, Output: 1 << 20, FileSize: 64 << 20,
		Processes: 64, Descriptors: 256,
	}
}

// orDefault fills in what is zero.
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
