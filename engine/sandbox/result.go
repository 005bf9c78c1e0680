package sandbox

import "time"

// A Result is what came of a program.
type Result struct {
	Ended Ended
	// Exit is the exit code if it Exited.
	Exit int
	// Signal names the signal by which it was Killed, as "SIGSEGV".
	Signal string
	// Stdout and Stderr are what it said, without secrets. After Start only Stderr is
	// kept here.
	Stdout, Stderr []byte
	// Truncated says that there was more output than the limit, and that it is missing.
	Truncated bool
	Elapsed   time.Duration
}

// OK reports that the program ended by itself with exit code 0.
func (r Result) OK() bool { return r.Ended == Exited && r.Exit == 0 }

// Ended is how a program came to its end.
type Ended int

// The ways to end. The zero value is that it never ran.
const (
	NotRun        Ended = iota // never begun; Run and Failure say why
	Exited                     // by itself, see Exit
	Killed                     // by a signal from elsewhere, see Signal
	TimedOut                   // Limits.Wall had passed
	TooMuchOutput              // more than Limits.Output
	TooMuchMemory              // all processes together, where the system counts that
	Cancelled                  // the context ended, or Kill was called
)

func (e Ended) String() string {
	switch e {
	case Exited:
		return "exited"
	case Killed:
		return "killed"
	case TimedOut:
		return "timed out"
	case TooMuchOutput:
		return "too much output"
	case TooMuchMemory:
		return "too much memory"
	case Cancelled:
		return "cancelled"
	}
	return "not run"
}
