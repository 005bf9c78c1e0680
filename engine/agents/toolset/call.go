package toolset

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/tools/tool"
)

// CallInput is one call. Input is a JSON object.
type CallInput struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"`
	// Timeout, in seconds, shortens the tool's time limit.
	Timeout float64 `json:"timeout,omitempty"`
}

// CallOutput is the answer of a tool.
type CallOutput struct {
	Result json.RawMessage `json:"result"`
	// Printed is the tool's output besides its answer.
	Printed string `json:"printed,omitempty"`
}

// maxTimeout limits Timeout, in seconds, so that it fits a duration.
const maxTimeout = 24 * 60 * 60

// Call runs a tool that is in force, as assent run-tool does.
func (a *Agent) Call(ctx context.Context, in CallInput) (CallOutput, error) {
	switch {
	case in.Name == "":
		return CallOutput{}, refuse("find says which tools there are", "no name is given")
	case in.Timeout < 0 || in.Timeout > maxTimeout:
		return CallOutput{}, refuse("give a number of seconds, or leave timeout out", "the timeout %v is no time that a call can take", in.Timeout)
	}
	cur, err := a.Open(ctx)
	if err != nil {
		return CallOutput{}, err
	}
	engine, err := a.Engine(cur, a.Name, a.Session)
	if err != nil {
		return CallOutput{}, err
	}
	var turned []tool.Turned
	engine.Turned = func(t tool.Turned) { turned = append(turned, t) }
	res, err := engine.Do(ctx, tool.Call{Name: in.Name, Input: in.Input, Timeout: time.Duration(in.Timeout * float64(time.Second))})
	if err != nil {
		return CallOutput{}, err
	}
	if a.Called != nil {
		a.Called(ctx, cur, a.Name, res, turned)
	}
	if !res.Success {
		return CallOutput{}, failed(in.Name, res)
	}
	return CallOutput{Result: res.Result, Printed: strings.TrimSpace(res.Printed)}, nil
}

// maxPrinted limits a failed tool's output in an error.
const maxPrinted = 4000

// failed tells a model why a call had no result, and what to do.
func failed(called string, res tool.Result) error {
	what := strings.Builder{}
	what.WriteString(res.Error + " (" + string(res.Type) + ")")
	for _, f := range res.Faults[min(1, len(res.Faults)):] {
		what.WriteString("\n- " + f.String())
	}
	if res.Answer != nil {
		what.WriteString("\nIt answered: " + cut(string(res.Answer)))
	}
	if printed := strings.TrimSpace(res.Printed); printed != "" && printed != res.Error {
		what.WriteString("\nIt printed: " + cut(printed))
	}
	name := res.Tool
	if name == "" {
		name = called
	}
	return &Refusal{What: what.String(), Next: afterCall(res, name)}
}

func cut(s string) string {
	if len(s) <= maxPrinted {
		return s
	}
	return strings.ToValidUTF8(s[:maxPrinted], "") + " …"
}

// afterCall is the next step after a call without a result.
func afterCall(res tool.Result, name string) string {
	switch res.Type {
	case tool.NotFound:
		if res.Tool != "" { // a server without that tool, or a name without one
			return "load " + name + " lists what can be called"
		}
		return "find searches by words; report says what is missing"
	case tool.NotCallable:
		return "load " + name + " and follow what it says; if it should be callable, report it"
	case tool.InvalidInput:
		return "load " + name + " shows the schema; call again with an input that fits it"
	case tool.NotActive, tool.Quarantined, tool.Stopped:
		return "find another one; status says more about " + name + "; propose a repair if you can make one"
	case tool.NotAllowed:
		return "use another one; only a merged change of the workspace lifts this"
	case tool.ExecutionsCap, tool.CostCap, tool.RateLimited:
		return "stop calling and tell the person: this session has used its limit by the policy"
	case tool.MissingSecret, tool.HostRefused, tool.NotAvailable, tool.NoSandbox:
		if res.Hint != "" {
			return "tell the person: " + res.Hint
		}
		return "tell the person that this machine lacks it"
	case tool.TimedOut, tool.OutOfMemory, tool.TooMuchOutput, tool.DepthCap, tool.LimitsExceeded:
		return "call again with a smaller input"
	case tool.Interrupted:
		return "call again if it is still needed"
	}
	if res.Hint != "" {
		return res.Hint
	}
	return "check the input against load " + name + "; if the tool is at fault, propose a repair or report it"
}
