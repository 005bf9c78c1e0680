package stage

// Path is the path of the stage inside the sandbox.
const Path = "/.assent-stage"

// Report is the descriptor on which the stage reports its progress: Began, with a descriptor of
// the first process inside, before it executes the program, and on failure the data for
// Program.Failure. The program does not inherit it.
const (
	Report = 3
	Began  = "+"
)

// Message is what a stage with a Late argument waits for. It begins with the path, so that a stage
// that receives nothing, because the process outside has ended, has no program to execute.
func (o Order) Message(last string) []byte { return []byte(o.Args[0] + "\x00" + last + "\x00") }

// maxArgument is the longest argument that Linux accepts, with its end (MAX_ARG_STRLEN).
const maxArgument = 128 << 10

// An Order lists the rights to drop and the program to execute. None of its strings may contain
// NUL.
type Order struct {
	Args []string // the program's path and its arguments
	// Late is set if the last argument is not known yet: the stage waits for Message on Report. Until then
	// nothing of the program has run.
	Late bool
	Env  []string // "NAME=value"
	// User is the user and group to switch to; 0 means no switch.
	User int
	// Writable lists the writable folders; all others are read-only.
	Writable []string
	// Runnable lists the folders whose programs may be executed.
	Runnable []string
	// Limits has resource limits by number, soft and hard alike.
	Limits map[int]uint64
	// Port is the only port of 127.0.0.1 that may be connected to; 0 means no network.
	Port int
	// Channel is the descriptor of the socket to which the socket listening on Port is passed.
	Channel int
}
