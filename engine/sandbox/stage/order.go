package stage

// Path is where the sandbox has the program.
const Path = "/.assent-stage"

// Report is the descriptor on which the stage says how far it came: Began before it becomes the program,
// with a descriptor of the first process inside, and what failed, if anything did, in the
// form that Program.Failure reads. The program does not inherit it.
const (
	Report = 3
	Began  = "+"
)

// An Order says what to give up, and what to become. None of its strings may contain NUL.
type Order struct {
	Args []string // the program's path and its arguments
	Env  []string // "NAME=value"
	// User is the user and group to become; 0 stays who it is.
	User int
	// Writable are folders that may be written to; all others are only read.
	Writable []string
	// Runnable are folders whose programs may be run.
	Runnable []string
	// Limits are resource limits by their number, soft and hard alike.
	Limits map[int]uint64
	// Port of 127.0.0.1 is the only one that may be connected to; 0 means no network.
	Port int
	// Channel is the descriptor of the socket that the one listening on Port is handed to.
	Channel int
}
