package acquire

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	machine "runtime"
	"strconv"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/snippet"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/sandbox/runtime"
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/tools/tool"
)

// Bench tries code.
type Bench struct {
	// Box returns the isolation for code; it is called only if something has to run.
	Box      func(context.Context) (sandbox.Runner, error)
	Policies policy.Policies
	Now      func() time.Time
	// Known has the names in force. Same finds a capability with the same code and schema, in
	// force or proposed, and says where it is.
	Known capability.Namer
	Same  func(a capability.Acquired) (where string, err error)
}

// Result is a tool that passed.
type Result struct {
	Edits []tree.Edit
	// Taken is the wrapping removed from the code; Notes are further remarks.
	Taken, Notes []string
}

// Try makes a tool of an offer. The diagnostics have errors when it does not pass; the
// error is for a machine that failed, or that cannot isolate: a *sandbox.Refusal.
func (b Bench) Try(ctx context.Context, o Offer) (Result, diag.List, error) {
	a, out := o.read()
	if out.HasErrors() {
		return Result{}, out, nil
	}
	box, err := b.Box(ctx)
	if err != nil {
		return Result{}, nil, err
	}
	at := diag.Pos{File: o.File}
	form, why, err := snippet.Choose(a.Code, a.Runtime, func(code string) (string, error) {
		why, line, err := parse(ctx, box, a, code)
		if code == a.Code { // code taken out of a wrapper has other line numbers
			at.Line = line
		}
		return why, err
	})
	if err != nil {
		return Result{}, nil, err
	}
	if why != "" {
		out.Errorf(RuleCode, at, unparsed(a.Code), "the code does not parse as %s: %s", a.Runtime, why)
		return Result{}, out, nil
	}
	a.Code = form.Code
	if found, err := b.there(a); err != nil || found.HasErrors() {
		return Result{}, found, err
	}
	res := Result{Taken: form.Taken}
	if out, err = b.call(ctx, box, &a, o.File, &res); err != nil || out.HasErrors() {
		return Result{}, out, err
	}
	res.Edits, out = a.Files()
	v, c, more, err := load(res.Edits)
	out.Add(more...)
	if err == nil && !out.HasErrors() {
		err = b.prove(ctx, box, v, c, o.File, &res, &out)
	}
	return res, out, err
}

// prove runs the tests that the tool will have to pass, so that the gate's refusal is reported now:
// a failed required test as an error, any other as a note.
func (b Bench) prove(ctx context.Context, box sandbox.Runner, v view, c capability.Capability, file string, res *Result, out *diag.List) error {
	plan, err := prove.Plan([]prove.Target{{View: v, Path: c.Path}})
	if err != nil {
		return err
	}
	proofs, err := prove.Options{Runner: box, Policies: b.Policies, Now: b.Now, Workers: machine.GOMAXPROCS(0)}.Run(ctx, plan)
	if err != nil {
		return err
	}
	for _, r := range proofs[0].Report.Cases {
		switch fix := cmp.Or(r.Fix, "mend the code, or narrow the schema to what it takes"); {
		case r.Verdict == suite.Pass:
		case r.Required:
			out.Errorf(RuleRun, diag.Pos{File: file}, fix, "%s: %s", r.ID(), r.Cause)
		default:
			res.Notes = append(res.Notes, fmt.Sprintf("%s does not pass: %s; %s", r.ID(), r.Cause, fix))
		}
	}
	return nil
}

// there refuses a name in use, and code that exists already.
func (b Bench) there(a capability.Acquired) (diag.List, error) {
	var out diag.List
	where, err := b.Same(a)
	if err != nil {
		return nil, fmt.Errorf("look for the same code: %w", err)
	}
	if where != "" {
		out.Errorf(RuleAgain, diag.Pos{}, "there is nothing to do: call it by name once it is in force", "%s has exactly this code and schema", where)
		return out, nil
	}
	known, err := b.Known.Named(a.Name)
	if err != nil {
		return nil, fmt.Errorf("look for %s in what is in force: %w", a.Name, err)
	}
	if len(known) > 0 {
		out.Errorf(RuleTaken, diag.Pos{}, "choose another name; or change that one: assent export "+names.ShellWord(a.Name)+" DIR, edit it, and assent propose DIR",
			"the name %s is taken by %s", a.Name, known[0].Path)
	}
	return out, nil
}

// unparsed returns advice for code that does not parse.
func unparsed(code string) string {
	if s := snippet.Suspects(code); s != "" {
		return s + "; write the bare code into the file, whole"
	}
	return "write the bare code into the file, whole: a stream that was cut off, text around the code and line breaks that were escaped twice do not parse either"
}

// parsers are the arguments with which a runtime's own program parses a file and does not
// run it.
var parsers = map[capability.Runtime][]string{
	capability.Python: {"-I", "-B", "-c", "import sys\ncompile(open(sys.argv[1], 'rb').read(), sys.argv[1], 'exec', dont_inherit=True)"},
	capability.Bash:   {"--noprofile", "--norc", "-n"},
	capability.Node:   {"--check"},
}

// parse returns why code does not parse, and in which line, 0 if unknown; empty if it
// does.
func parse(ctx context.Context, box sandbox.Runner, a capability.Acquired, code string) (why string, line int, err error) {
	rt, _ := runtime.Named(string(a.Runtime))
	args := append([]string{rt.Program}, parsers[a.Runtime]...)
	r, err := box.Run(ctx, sandbox.Spec{
		Args: append(args, a.Entry), Files: map[string]sandbox.File{a.Entry: {Data: []byte(code)}},
		Limits: sandbox.Limits{Wall: 10 * time.Second},
	})
	switch {
	case err != nil:
		return "", 0, err
	case r.OK():
		return "", 0, ctx.Err()
	case r.Ended == sandbox.Exited:
		return suite.Cause(suite.Outcome{Ended: suite.Exited, Exit: r.Exit, Stderr: string(r.Stderr)}), toldLine(a.Entry, string(r.Stderr)), ctx.Err()
	}
	return "the parser did not come to an end: " + r.Ended.String(), 0, ctx.Err()
}

// toldLine is the line of a file that a parser names in its message: as main.py", line 4 does,
// main.sh: line 4, or main.js:4.
func toldLine(entry, message string) int {
	found := regexp.MustCompile(regexp.QuoteMeta(entry) + `(?:",|:)(?: line )?(\d+)`).FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	line, err := strconv.Atoi(found[1])
	if err != nil {
		return 0
	}
	return line
}

// view is the folder of a tool by itself.
type view struct {
	*tree.Map
	capability.Namer
}

func load(edits []tree.Edit) (view, capability.Capability, diag.List, error) {
	m := tree.NewMap(edits...)
	v := view{m, capability.NamerOf(m)}
	dir := strings.TrimSuffix(edits[0].Path, "/"+capability.SkillFile)
	c, found, err := capability.Load(v, dir)
	return v, c, found, err
}

// call calls the tool twice, and makes a case of its answer.
func (b Bench) call(ctx context.Context, box sandbox.Runner, a *capability.Acquired, file string, res *Result) (diag.List, error) {
	edits, out := a.Files()
	if out.HasErrors() {
		return out, nil
	}
	v, c, found, err := load(edits)
	if err != nil || found.HasErrors() {
		return found, err
	}
	run, err := tool.NewTrial(v, b.Policies, box, b.Now, "").Runner(c)
	if err != nil {
		return nil, err
	}
	payload, err := compact(a.Payload)
	if err != nil {
		return nil, fmt.Errorf("write the payload: %w", err)
	}
	var answers [2]any
	var outcome suite.Outcome
	for i := range answers {
		outcome, err = run(ctx, suite.Call{Input: payload})
		if err != nil {
			return nil, err
		}
		answer, why := passed(outcome)
		if why != "" {
			out.Errorf(RuleRun, diag.Pos{File: file}, b.hint(*a, outcome), "%s", why)
			return out, nil
		}
		answers[i] = answer
	}
	a.Expect = expected(answers, outcome, res)
	return out, nil
}
