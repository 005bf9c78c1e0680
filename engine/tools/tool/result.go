package tool

import (
	"encoding/json"
	"fmt"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/home/calls"
)

// ErrorType says why a call gave no result.
type ErrorType string

// The reasons for which nothing ran.
const (
	NotFound      ErrorType = "not_found"      // nothing in force has the name
	NotCallable   ErrorType = "not_callable"   // it is no tool or server, or has no code yet
	NotActive     ErrorType = "not_active"     // its status does not let it run
	Quarantined   ErrorType = "quarantined"    // it failed here, and nothing calls it until it is mended
	Stopped       ErrorType = "stopped"        // a human stopped it everywhere
	NotAllowed    ErrorType = "not_allowed"    // the agent, or this kind of capability, may not
	Unreviewed    ErrorType = "unreviewed"     // a server lists the method otherwise than it was merged
	InvalidInput  ErrorType = "invalid_input"  // the input does not fit its schema
	MissingSecret ErrorType = "missing_secret" // a secret that it needs is not set up here
	HostRefused   ErrorType = "host_refused"   // the policy does not admit a host that it needs
	NotAvailable  ErrorType = "not_available"  // a program or package that it needs is not here
	NoSandbox     ErrorType = "no_sandbox"     // the machine cannot isolate
	ExecutionsCap ErrorType = "executions_cap" // the session has made all its executions
	CostCap       ErrorType = "cost_cap"       // the call would cost more than the session may
	RateLimited   ErrorType = "rate_limited"   // it is called too often
	DepthCap      ErrorType = "depth_cap"      // composed tools call each other too deeply
)

// The reasons why a program that ran gave no result.
const (
	Failed         ErrorType = "failed"          // it reports an error
	Crashed        ErrorType = "crashed"         // it was killed or broke off
	TimedOut       ErrorType = "timeout"         // its time was up
	OutOfMemory    ErrorType = "out_of_memory"   // its memory was up
	TooMuchOutput  ErrorType = "too_much_output" // it wrote more than it may
	InvalidAnswer  ErrorType = "invalid_answer"  // its output is not JSON
	InvalidOutput  ErrorType = "invalid_output"  // its answer does not fit its schema
	Interrupted    ErrorType = "interrupted"     // the caller ended it
	LimitsExceeded ErrorType = "limits_exceeded" // a composed tool used up its steps, values or calls
)

// Started reports whether something ran before the error.
func (e ErrorType) Started() bool {
	switch e {
	case Failed, Crashed, TimedOut, OutOfMemory, TooMuchOutput, InvalidAnswer, InvalidOutput, Interrupted, LimitsExceeded:
		return true
	}
	return false
}

// Result is the result of a call, or its failure.
type Result struct {
	Success bool            `json:"success"`
	Result  json.RawMessage `json:"result,omitempty"`
	// Error says in one line what went wrong; Type is for machines, Hint what to do.
	Error string    `json:"error,omitempty"`
	Type  ErrorType `json:"error_type,omitempty"`
	Hint  string    `json:"hint,omitempty"`
	// Faults are the places in the input, or the answer, that do not fit.
	Faults []capability.Fault `json:"faults,omitempty"`
	// Answer is its answer {"error": …}, which is not a result.
	Answer json.RawMessage `json:"answer,omitempty"`
	// Tool is the capability's name, Method the method of a server that was called.
	Tool    string             `json:"tool"`
	Method  string             `json:"method,omitempty"`
	Version capability.Version `json:"version,omitempty"`
	// Resolved is the implementation that ran for a specification.
	Resolved *Resolved `json:"resolved,omitempty"`
	// Input is the input of a call that ran and failed, without secrets.
	Input json.RawMessage `json:"input,omitempty"`
	// Failure is the name under which the caller keeps it (package failures).
	Failure string `json:"failure,omitempty"`
	// Printed is its output beside the answer.
	Printed string `json:"printed,omitempty"`
	// Spent is the session's consumption so far, this call included.
	Spent *calls.Spent `json:"session,omitempty"`
	// Attempts counts the runs, if there was more than one: see health.Flaky.
	Attempts int   `json:"attempts,omitempty"`
	MS       int64 `json:"ms"`

	last string // see ran
	// cost is the charge to the session, all attempts together.
	cost float64
}

// refusal is the reason why a call gives no result. It is an error within this package only:
// callers get a Result.
type refusal struct {
	kind   ErrorType
	text   string
	hint   string
	faults []capability.Fault
	// pattern is the entry of the record for the error. known is set if the error is not the
	// capability's own: its record says so, or it refuses the input.
	pattern *capability.ErrorPattern
	known   bool
}

func (r *refusal) Error() string { return r.text }

func refuse(kind ErrorType, hint, format string, args ...any) error {
	return &refusal{kind: kind, hint: hint, text: fmt.Sprintf(format, args...)}
}
