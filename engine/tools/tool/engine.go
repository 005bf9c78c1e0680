package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// View is the tree in force.
type View interface {
	tree.View
	capability.Namer
}

// Engine calls capabilities of one view, in one session. It is for one goroutine; those
// that share a Ledger share its account.
type Engine struct {
	View     View
	Policies policy.Policies
	// Agent is the calling agent; empty is a person.
	Agent string
	// Session is the name under which the caps count, Ledger the store of the counts.
	Session string
	Ledger  *calls.Ledger
	// Context are the tags of the task, each once. They select the implementation of a
	// specification, and results are counted by them.
	Context []string
	Now     func() time.Time
	// Secret returns a secret by its name, SecretHint how to set one up.
	Secret     func(name string) (value string, ok bool, err error)
	SecretHint func(name string) string
	// Runner returns the isolation for programs; it is called only if one has to run.
	Runner func(ctx context.Context) (sandbox.Runner, error)
	// Packages is the folder with the packages of servers, see docs/tools.md.
	Packages string
	// Warm keeps servers and sandboxes ready between calls; nil ends each with its call.
	Warm *Warm
	// Health is the health of capabilities by trials, and records the trial of each call that ran;
	// with nil nothing is known or recorded.
	Health *triallog.Health
	// Stopped reports at each call whether a human stopped the capability of that name; nil
	// means that nothing is stopped.
	Stopped func(name string) (stop.Held, bool, error)
	// Model and Mission are those of the caller; both may be empty.
	Model, Mission string
	// Unrecorded, if not nil, is called if a call that ran is in no trial. The call keeps its answer.
	Unrecorded func(error)
	// Turned, if not nil, is called for each capability that a call takes out of use.
	Turned func(Turned)
	// uncounted: no session pays, see Trial.
	uncounted bool
}

// Call is one call.
type Call struct {
	// Name is a capability in any spelling, or server__method.
	Name string
	// Input is a JSON object; nil is an empty one.
	Input json.RawMessage
	// Live asks a server for its methods, even if they were merged with it; only Methods reads it.
	Live bool
	// Timeout shortens the time of the capability; 0 leaves it.
	Timeout time.Duration
}

// MaxInput is the largest input, in bytes of JSON.
const MaxInput = 4 << 20

// maxDepth is how deep composed tools may call each other, maxInner how many calls come of one that
// a session made.
const (
	maxDepth = 8
	maxInner = 1000
)

// job is a call that is about to run.
type job struct {
	capability capability.Capability
	method     string
	input      json.RawMessage
	timeout    time.Duration
	depth      int
	inner      *int // calls that came of the one that a session made
	secrets    map[string]string
	hosts      []string
	// digest identifies the content that runs, health is its recorded health.
	digest string
	health health.Entry
	// spec is the specification that was called, and resolved the implementation that runs; nil
	// if the capability itself was called.
	spec     *capability.Capability
	resolved *Resolved
	// files are the capability's, if they were read already.
	files map[string]sandbox.File
}

// Do makes a call. An error means that the environment failed; a faulty call and a failing
// program are in the Result.
func (e *Engine) Do(ctx context.Context, call Call) (Result, error) {
	return e.do(ctx, call, 0, new(int))
}

func (e *Engine) do(ctx context.Context, call Call, depth int, inner *int) (Result, error) {
	began := e.Now()
	j, err := e.prepare(call, depth)
	j.inner = inner
	res := Result{Tool: j.capability.Name, Method: j.method, Version: j.capability.Version, Resolved: j.resolved}
	if err == nil {
		err = e.preflight(ctx, &j)
	}
	ran, said := false, health.Nothing
	if err == nil {
		err = e.try(ctx, j, &res)
		said, ran = e.track().outcomeOf(j, res, err)
	}
	res.MS = max(e.Now().Sub(began), 0).Milliseconds()
	var r *refusal
	if errors.As(err, &r) {
		res.Error, res.Type, res.Hint, res.Faults = r.text, r.kind, r.hint, r.faults
		if r.kind.Started() {
			res.Input = j.input
		}
		err = nil
	}
	if err != nil {
		return res, err
	}
	err = res.redacted(j.secrets) // first: the trial is published
	if ran && e.Health != nil {
		if unrecorded := e.track().note(context.WithoutCancel(ctx), j, e.observed(j, res, said, r)); unrecorded != nil && e.Unrecorded != nil {
			e.Unrecorded(unrecorded)
		}
	}
	return res, err
}

// permit finds what a call would run, and checks that it may run, whatever the input.
func permit(e *Engine, call Call, depth int) (job, error) {
	c, method, err := e.catalogue().find(call.Name)
	if err != nil {
		return job{}, err
	}
	j := job{capability: c, method: method, depth: depth}
	if err := e.track().halted(c.Name); err != nil {
		return j, err
	}
	if err := e.ways().resolve(&j); err != nil {
		return j, err
	}
	c = j.capability
	j.timeout = e.permits().limitOf(c, call.Timeout)
	if err := e.permits().mayRun(c); err != nil {
		return j, e.ways().instead(c, err)
	}
	if err := e.track().held(&j); err != nil {
		return j, e.ways().instead(c, err)
	}
	return j, e.permits().reviewed(c)
}

// prepare does all that can be done before anything is taken from the account.
func (e *Engine) prepare(call Call, depth int) (job, error) {
	j, err := permit(e, call, depth)
	if err != nil {
		return j, err
	}
	c, method := j.capability, j.method
	switch server := c.Kind == capability.KindMCP; {
	case server && method == "":
		return j, refuse(NotFound, "assent run-tool "+names.ShellWord(c.Name)+" --methods lists them", "%s is a server: what is called is one of its methods, by server__method", c.Name)
	case !server && method != "":
		return j, refuse(NotFound, "assent inspect "+names.ShellWord(c.Name)+" shows what it takes", "%s is of kind %s: it has no methods, and is called by its name", c.Name, c.Kind)
	}
	if c.Methods != nil { // before the server is started
		if _, err := agreed(c.Methods, j); err != nil {
			return j, err
		}
	}
	if depth > maxDepth {
		return j, refuse(DepthCap, "compose less deeply", "composed tools call each other more than %d deep", maxDepth)
	}
	if j.spec != nil { // every implementation has the caller's signature
		if _, err := input(*j.spec, call.Input); err != nil {
			return j, err
		}
	}
	if j.input, err = input(c, call.Input); err != nil {
		return j, err
	}
	err = e.provide(&j)
	return j, err
}

// provide adds the needs of a job's capability from this machine and its owner: packages, hosts, secrets.
func (e *Engine) provide(j *job) (err error) {
	if err := installed(j.capability); err != nil {
		return unavailable(j.capability.Name, err)
	}
	if j.hosts, err = e.permits().hosts(j.capability); err != nil {
		return err
	}
	j.secrets, err = e.permits().secrets(j.capability)
	return err
}

// limitOf returns the time limit of a capability: that of its record, or the sandbox's default,
// within the policy's limit for any call and the caller's own.
func (may permits) limitOf(c capability.Capability, wanted time.Duration) time.Duration {
	limit := sandbox.Default().Wall
	if c.Record.Run != nil && c.Record.Run.Timeout > 0 {
		limit = time.Duration(c.Record.Run.Timeout)
	}
	if most := may.policies.Limits.TimePerCall; most > 0 {
		limit = min(limit, most)
	}
	if wanted > 0 {
		limit = min(limit, wanted)
	}
	return limit
}

// memoryOf returns the memory of a capability in bytes: that of its record, or otherwise, which is
// the default of its runtime, within the policy's limit for any call.
func (may permits) memoryOf(run capability.Run, otherwise int64) int64 {
	if run.Memory > 0 {
		otherwise = int64(run.Memory)
	}
	if most := may.policies.Limits.MemoryPerCall; most > 0 {
		return min(otherwise, most)
	}
	return otherwise
}

// find looks up the called name in the tree in force.
func (in catalogue) find(called string) (capability.Capability, string, error) {
	name, method := capability.SplitCall(called)
	known, err := in.view.Named(name)
	if err != nil {
		return capability.Capability{}, "", fmt.Errorf("look up %s in the tree in force: %w", name, err)
	}
	if len(known) == 0 {
		return capability.Capability{Folder: capability.Folder{Name: name}}, method,
			refuse(NotFound, "assent find WORD searches what is in force", "no capability %q is in force", name)
	}
	c, found, err := capability.Load(in.view, known[0].Path)
	if err != nil {
		return c, method, fmt.Errorf("read %s as it is in force: %w", known[0].Path, err)
	}
	if found.HasErrors() {
		return c, method, refuse(NotCallable, "assent inspect "+names.ShellWord(c.Name)+" shows what is wrong", "%s is damaged: %s", c.Name, found[0].Message)
	}
	return c, method, nil
}

// input brings the argument into one form, and holds it against the capability's schema. An
// object with a key twice is refused: programs differ in which value they take.
func input(c capability.Capability, given json.RawMessage) (json.RawMessage, error) {
	if len(given) == 0 {
		given = json.RawMessage("{}")
	}
	if len(given) > MaxInput {
		return nil, refuse(InvalidInput, "hand over less, or in parts", "the input has more than %d bytes", MaxInput)
	}
	if !utf8.Valid(given) {
		return nil, refuse(InvalidInput, "write it in UTF-8", "the input is no text in UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(given))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, refuse(InvalidInput, "an input is one JSON object", "the input is no JSON: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, refuse(InvalidInput, "an input is one JSON object", "the input is more than one JSON value")
	}
	if _, object := value.(map[string]any); !object {
		return nil, refuse(InvalidInput, "an input is one JSON object", "the input is no object")
	}
	if key, twice := keyTwice(given); twice {
		return nil, refuse(InvalidInput, "leave one of them out", "the key %q occurs twice in one object of the input", key)
	}
	if c.Kind == capability.KindTool {
		if err := fits(c.Record.Input, value, InvalidInput, "the input", c.Name); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, fmt.Errorf("write the input: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// keyTwice finds a key that occurs twice in one object of valid JSON.
func keyTwice(text []byte) (string, bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	type level struct {
		keys map[string]bool // nil in a list
		key  bool            // a key is next
	}
	var open []level
	for {
		t, err := dec.Token()
		if err != nil {
			return "", false
		}
		var in *level
		if len(open) > 0 {
			in = &open[len(open)-1]
		}
		switch t {
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
			continue
		}
		if in != nil && in.key {
			key, _ := t.(string)
			if in.keys[key] {
				return key, true
			}
			in.keys[key], in.key = true, false
			continue
		}
		if in != nil {
			in.key = in.keys != nil
		}
		switch t {
		case json.Delim('{'):
			open = append(open, level{map[string]bool{}, true})
		case json.Delim('['):
			open = append(open, level{})
		}
	}
}

// fits holds a value against one of a record's schemas; without one everything fits.
func fits(schema map[string]any, value any, kind ErrorType, what, name string) error {
	if schema == nil {
		return nil
	}
	compiled, err := capability.CompileSchema(schema)
	if err != nil {
		return refuse(NotCallable, "assent inspect "+names.ShellWord(name), "%s of %s has no usable schema: %v", what, name, err)
	}
	faults, err := compiled.Faults(value)
	if err != nil {
		return refuse(kind, "", "%s cannot be held against the schema: %v", what, err)
	}
	if len(faults) == 0 {
		return nil
	}
	return &refusal{kind: kind, faults: faults, hint: "assent cat " + names.ShellWord(name) + "/" + capability.RecordFile + " shows the schema",
		text: fmt.Sprintf("%s does not fit the schema of %s: %s", what, name, faults[0])}
}
