package tool

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/sandbox/runtime"
)

// stdinMark replaces an argument if the input is too long for one.
const stdinMark = "-"

// script runs a capability's program with the input as its first argument, and on
// its standard input.
func (m machine) script(ctx context.Context, j job) (ran, error) {
	rt, ok := runtime.Named(string(j.capability.Record.Run.Runtime))
	if !ok {
		return ran{}, refuse(NotCallable, "", "%s has the runtime %s, which this version does not run", j.capability.Name, j.capability.Record.Run.Runtime)
	}
	runner, err := m.runner(ctx)
	if err != nil {
		return ran{}, err
	}
	spec, err := m.spec(j)
	if err != nil {
		return ran{}, err
	}
	argument := string(j.input)
	if len(argument) > sandbox.MaxArgument {
		argument = stdinMark
	}
	spec.Args, spec.Stdin = rt.Args(j.capability.Record.Run.Entry, argument), j.input
	r, err := runner.Run(ctx, spec)
	if err != nil {
		return ran{}, err
	}
	out := outcome(r)
	said, cost := costs(out.Stderr)
	out.Stderr = said
	done := ran{Outcome: out, printed: printed(said), cost: cost}
	if argument == stdinMark && out.Ended == suite.Exited && out.Exit != 0 {
		done.unread = true
		done.hint = fmt.Sprintf("the input has %d bytes, too many for an argument: it is on standard input, and the argument is %s; "+
			"the case \"long input\" of assent test %s shows whether the program reads it there", len(j.input), stdinMark, names.ShellWord(j.capability.Name))
	}
	return done, nil
}

// spec is the environment of a capability's program, without its arguments.
func (m machine) spec(j job) (sandbox.Spec, error) {
	run := j.capability.Record.Run
	spec := sandbox.Spec{
		Files: j.files, Secrets: j.secrets, Hosts: j.hosts, Write: run.Write,
		Limits: sandbox.Limits{Wall: j.timeout, Memory: m.permits.memoryOf(*run, sandbox.Default().Memory)},
	}
	if spec.Files != nil {
		return spec, nil
	}
	var err error
	spec.Files, err = m.catalogue.files(j.capability)
	return spec, err
}

// files reads a capability's folder, without SKILL.md, which is for agents and may change
// without tests, and without the tests: they have the answers.
func (in catalogue) files(c capability.Capability) (map[string]sandbox.File, error) {
	out := map[string]sandbox.File{}
	err := tree.Files(in.view, c.Path, func(entry tree.Entry) error {
		name := strings.TrimPrefix(entry.Path, c.Path+"/")
		if !entry.Mode.IsFile() || name == capability.SkillFile || name == capability.SuiteFile {
			return nil
		}
		data, err := in.view.Read(entry.Path)
		if err != nil {
			return err
		}
		out[name] = sandbox.File{Data: data, Executable: strings.HasPrefix(name, capability.ScriptsDir+"/")}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the files of %s: %w", c.Name, err)
	}
	return out, nil
}

// outcome converts a process result to an outcome of tests.
func outcome(r sandbox.Result) suite.Outcome {
	out := suite.Outcome{Exit: r.Exit, Stdout: string(r.Stdout), Stderr: string(r.Stderr), Took: r.Elapsed}
	switch r.Ended {
	case sandbox.Exited:
		out.Ended = suite.Exited
	case sandbox.Killed:
		out.Ended, out.Message = suite.Killed, r.Signal
	case sandbox.TimedOut:
		out.Ended = suite.TimedOut
	case sandbox.TooMuchMemory:
		out.Ended = suite.OverMemory
	case sandbox.TooMuchOutput:
		out.Ended = suite.OverOutput
	case sandbox.Cancelled:
		out.Ended, out.Message = suite.Killed, "interrupted"
	default:
		out.Ended = suite.NotRun
	}
	return out
}

// costLine matches a line of standard error by which a program reports its cost: a number as
// languages print floating point. A line with anything else does not match.
var costLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^assent-cost: ([0-9]{1,9}(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?)[ \t]*\r?(?:\n|\z)`)
})

// costs adds up the costs that a program reports, and removes those lines.
func costs(stderr string) (rest string, sum float64) {
	for _, m := range costLine().FindAllStringSubmatch(stderr, -1) {
		n, _ := strconv.ParseFloat(m[1], 64) // by its shape
		sum += n
	}
	return costLine().ReplaceAllString(stderr, ""), sum
}

const maxPrinted = 4 << 10

// printed returns the end of standard error.
func printed(stderr string) string {
	text := strings.ToValidUTF8(stderr, "\uFFFD")
	if len(text) > maxPrinted {
		text = "…" + strings.ToValidUTF8(text[len(text)-maxPrinted:], "")
	}
	return text
}
