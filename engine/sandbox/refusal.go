package sandbox

// A Refusal says why this machine cannot protect itself from a program, and what to
// do about it. Nothing was run.
type Refusal struct {
	Why string // "bubblewrap is not installed"
	Fix string // what to do, as a sentence without a full stop
}

func (r *Refusal) Error() string {
	return "nothing runs without a sandbox: " + r.Why + "; " + r.Fix
}

// A SpecError says that a Spec asks for what cannot be given. Nothing was run.
type SpecError struct{ Reason string }

func (e *SpecError) Error() string { return "sandbox: " + e.Reason }
