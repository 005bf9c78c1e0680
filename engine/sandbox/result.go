package sandbox

import "time"

// A Result is the outcome of a program.
type Result struct {
	Ended Ended
	// Exit is the exit code if Ended is Exited.
	Exit int
	// Signal names the signal if Ended is Killed, as "SIGSEGV".
	Signal string
	// Stdout and Stderr are the redacted output. After Start only Stderr is kept here.
	Stdout, Stderr []byte
	// Truncated is set if the output exceeded its limit and the rest was dropped.
	Truncated bool
	Elapsed   time.Duration
}

// OK reports whether the program exited with code 0.
func (r Result) OK() bool { return r.Ended == Exited && r.Exit == 0 }

// Ended is the way in which a program ended.
type Ended int

// The values of Ended. The zero value means that the program never ran.
const (
	NotRun        Ended = iota // never started; see Run and Failure
	Exited                     // by itself, see Exit
	Killed                     // by a signal from elsewhere, see Signal
	TimedOut                   // Limits.Wall passed
	TooMuchOutput              // more than Limits.Output
	TooMuchMemory              // all processes together, on systems with control groups
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
