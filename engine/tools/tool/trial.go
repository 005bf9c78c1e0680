package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/mcpclient"
)

// Trial calls capabilities of one view as tests do: like a call, except for the things that tests
// check. The input is validated if the test requires it, the test judges the answer, any status
// runs, nothing is counted, and secrets are made up. Hosts that the policy does not admit are not
// reached, and a kind that may hold no code does not run.
type Trial struct{ engine Engine }

// NewTrial prepares trials. packages is as for an Engine.
func NewTrial(view View, p policy.Policies, runner sandbox.Runner, now func() time.Time, packages string) *Trial {
	return &Trial{Engine{
		View: view, Policies: p, Now: now, Packages: packages, uncounted: true,
		Runner: func(context.Context) (sandbox.Runner, error) { return runner, nil },
		Secret: func(name string) (string, bool, error) { return fakeSecret(name), true, nil },
	}}
}

// fakeSecret returns the value that a test gets for a secret.
func fakeSecret(name string) string {
	return "fake-" + strings.ReplaceAll(strings.ToLower(name), "_", "-") + "-for-tests"
}

// Runner runs one capability, whose files are read once. A capability that cannot be
// called is an error.
func (t *Trial) Runner(c capability.Capability) (suite.Runner, error) {
	j, err := t.job(c)
	if err != nil {
		return nil, err
	}
	if no := Admits(t.engine.Policies, c.Kind); no != nil {
		return func(context.Context, suite.Call) (suite.Outcome, error) { return unadmitted(no), nil }, nil
	}
	if err := installed(c); err != nil {
		return func(context.Context, suite.Call) (suite.Outcome, error) { return without(err) }, nil
	}
	return func(ctx context.Context, call suite.Call) (suite.Outcome, error) {
		j := j
		j.inner = new(int)
		j.input, j.timeout = call.Input, t.engine.permits().limitOf(c, call.Timeout)
		if len(j.input) == 0 {
			j.input = json.RawMessage("{}")
		}
		if c.Kind == capability.KindMCP {
			var told *suite.Outcome
			if j.method, j.input, told = methodCall(j.input); told != nil {
				return *told, nil
			}
		}
		if call.Checked {
			if _, err := input(c, j.input); err != nil {
				return without(err)
			}
		}
		out, err := t.engine.execute(ctx, j)
		if err == nil || ctx.Err() != nil {
			return out.Outcome, ctx.Err()
		}
		return without(err)
	}, nil
}

// job returns the common part of all calls of a capability.
func (t *Trial) job(c capability.Capability) (job, error) {
	if !c.Callable() {
		return job{}, fmt.Errorf("%s of kind %s has nothing to run", c.Name, c.Kind)
	}
	e := &t.engine
	files, err := e.catalogue().files(c)
	if err != nil {
		return job{}, err
	}
	secrets, err := e.permits().secrets(c)
	if err != nil {
		return job{}, err
	}
	hosts, err := e.permits().hosts(c)
	if err != nil {
		hosts = nil
	}
	return job{capability: c, timeout: t.engine.permits().limitOf(c, 0), secrets: secrets, hosts: hosts, files: files}, nil
}

// Methods starts a server and lists its methods. The outcome is Answered, or says why there is
// no list.
func (t *Trial) Methods(ctx context.Context, c capability.Capability) (methods []capability.Method, o suite.Outcome, err error) {
	j, err := t.job(c)
	if err != nil {
		return nil, o, err
	}
	if no := Admits(t.engine.Policies, c.Kind); no != nil {
		return nil, unadmitted(no), nil
	}
	//defence:listing-takes-no-declared-time
	j.timeout = min(j.timeout, sandbox.Default().Wall) // whatever the record asks for its calls
	out, err := t.engine.machine().converse(ctx, j, func(ctx context.Context, s *mcpclient.Session) (ran, error) {
		methods, err = s.Methods(ctx, false)
		return ran{Outcome: suite.Outcome{Ended: suite.Answered}}, err
	})
	if err == nil || ctx.Err() != nil {
		return methods, out.Outcome, ctx.Err()
	}
	o, err = without(err)
	return nil, o, err
}

func unadmitted(no *Unadmitted) suite.Outcome {
	return suite.Outcome{Ended: suite.NotRun, Message: no.Why + "; " + no.Fix}
}

// methodCall reads the call in a test of a server: {"method": NAME, "input": OBJECT}.
func methodCall(input json.RawMessage) (string, json.RawMessage, *suite.Outcome) {
	var call struct {
		Method string          `json:"method"`
		Input  json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(input, &call); err != nil || call.Method == "" {
		return "", nil, &suite.Outcome{Ended: suite.NotRun, Message: "a case of a server names the method: {method: NAME, input: {…}}"}
	}
	if len(call.Input) == 0 {
		call.Input = json.RawMessage("{}")
	}
	return call.Method, call.Input, nil
}

// without returns the outcome of a run that gave none: not started if the machine lacks
// something, or an error of the capability itself.
func without(err error) (suite.Outcome, error) {
	var refused *sandbox.Refusal
	if errors.As(err, &refused) {
		return suite.Outcome{}, err
	}
	var missing *sandbox.Missing
	var spec *sandbox.SpecError
	switch {
	case errors.As(err, &missing):
		return suite.Outcome{Ended: suite.NotRun, Message: missing.Error()}, nil
	case errors.As(err, &spec):
		return suite.Outcome{Ended: suite.NotRun, Message: spec.Reason}, nil
	}
	var r *refusal
	if !errors.As(err, &r) {
		return suite.Outcome{}, err
	}
	switch r.kind {
	case InvalidInput, Failed:
		return suite.Outcome{Ended: suite.Failed, Message: r.text}, nil
	case NotCallable, NotFound, Unreviewed, Crashed, TooMuchOutput:
		return suite.Outcome{Ended: suite.Crashed, Message: r.text}, nil
	}
	return suite.Outcome{Ended: suite.NotRun, Message: r.text}, nil
}
