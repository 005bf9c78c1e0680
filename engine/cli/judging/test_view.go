package judging

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/tools/prove"
)

// testsJSON is the result of tests.
type testsJSON struct {
	// ID of the proposal; empty for capabilities in force.
	ID string `json:"id"`
	// Held reports whether everything is proven.
	Held   bool          `json:"held"`
	Proofs []prove.Proof `json:"proofs"`
}

// printTests shows test results.
func printTests(c *console.Console, id string, proofs []prove.Proof) error {
	out, code := testsJSON{ID: id, Held: true, Proofs: proofs}, console.ExitOK
	for _, p := range proofs {
		if !p.Held() {
			out.Held, code = false, worse(code, testCode(p))
		}
	}
	if c.JSON {
		if err := c.Emit(out); err != nil {
			return err
		}
	} else {
		for _, p := range proofs {
			printProof(c, p)
		}
	}
	if code != console.ExitOK {
		return console.Quiet(code)
	}
	return nil
}

// testCode separates failures from tests that this machine could not run.
func testCode(p prove.Proof) int {
	if p.Report.State == suite.Incomplete && p.Report.RequiredSkipped > 0 && !p.Diagnostics.HasErrors() {
		return console.ExitWorld
	}
	return console.ExitFindings
}

// worse ranks findings above tests that could not be run.
func worse(a, b int) int {
	if a == console.ExitFindings || b == console.ExitFindings {
		return console.ExitFindings
	}
	return max(a, b)
}

func printProof(c *console.Console, p prove.Proof) {
	state := c.Style.Good
	if !p.Held() {
		state = c.Style.Bad
	}
	r := p.Report
	word, rest, _ := strings.Cut(r.Summary(), ": ")
	c.Printf("%s%s %s: %s\n", c.Style.Bold(console.OneLine(strings.TrimSpace(r.Subject.Name+" "+string(r.Subject.Version)))), callerOf(p.Calls), state(word), console.OneLine(rest))
	var rows [][]string
	for _, k := range r.Cases {
		rows = append(rows, []string{"  " + output.CaseVerdict(c, k), console.OneLine(k.ID()), console.OneLine(causeOf(k))})
	}
	c.Table(rows)
	c.Diagnostics(c.World.Out, p.Diagnostics)
}

// callerOf says why something is tested that does not change itself.
func callerOf(calls string) string {
	if calls == "" {
		return ""
	}
	return console.OneLine(", in force, which calls " + calls)
}

// causeOf returns why a case does not pass, with the record's description of such an error.
func causeOf(k suite.Result) string {
	out := k.Cause
	if !k.Required && k.Verdict != suite.Pass {
		out = strings.TrimSpace("(not required) " + out)
	}
	if k.Means != "" {
		out += "; " + k.Means
	}
	if k.Fix != "" {
		out += "; " + k.Fix
	}
	return out
}

// plannedJSON is the test plan of one capability.
type plannedJSON struct {
	Path    string `json:"path"`
	Name    string `json:"name"`
	Version string `json:"version"`
	// Calls names the called capability with new code, if this one does not change itself.
	Calls string         `json:"calls,omitempty"`
	Cases []testCaseJSON `json:"cases"`
	// Base lists the cases to run on the content in force as well.
	Base        []string  `json:"base"`
	Diagnostics diag.List `json:"diagnostics"`
}

type testCaseJSON struct {
	ID       string   `json:"id"`
	Required bool     `json:"required"`
	Weight   float64  `json:"weight"`
	Tags     []string `json:"tags"`
}

// printPlans shows the test plan.
func printPlans(c *console.Console, id string, plan []prove.Planned) error {
	out := struct {
		ID   string        `json:"id"`
		Plan []plannedJSON `json:"plan"`
	}{id, []plannedJSON{}}
	broken := false
	for _, p := range plan {
		out.Plan = append(out.Plan, plannedOf(p))
		broken = broken || p.Diagnostics.HasErrors()
	}
	if c.JSON {
		if err := c.Emit(out); err != nil {
			return err
		}
	} else {
		for _, p := range out.Plan {
			printPlan(c, p)
		}
		if len(plan) == 0 {
			c.Printf("nothing has code to test\n")
		}
	}
	if broken {
		return console.Quiet(console.ExitFindings)
	}
	return nil
}

func plannedOf(p prove.Planned) plannedJSON {
	k := p.Capability
	out := plannedJSON{Path: k.Path, Name: k.Name, Version: string(k.Version), Calls: p.Calls(), Cases: []testCaseJSON{}, Base: []string{}, Diagnostics: append(diag.List{}, p.Diagnostics...)}
	for _, k := range p.Cases {
		out.Cases = append(out.Cases, testCaseJSON{k.ID(), k.Required, k.Weight, append([]string{}, k.Tags...)})
	}
	if p.Base != nil {
		for _, list := range [][]suite.Case{p.Base.Cases, p.Base.Added} {
			for _, k := range list {
				out.Base = append(out.Base, k.ID())
			}
		}
	}
	return out
}

func printPlan(c *console.Console, p plannedJSON) {
	c.Printf("%s%s: %s", c.Style.Bold(console.OneLine(strings.TrimSpace(p.Name+" "+p.Version))), callerOf(p.Calls), console.Plural(len(p.Cases), "case"))
	if len(p.Base) > 0 {
		c.Printf(", and %d on what is in force", len(p.Base))
	}
	c.Printf("\n")
	var rows [][]string
	for _, k := range p.Cases {
		rows = append(rows, []string{"  " + console.OneLine(k.ID), fmt.Sprintf("weight %g", k.Weight), map[bool]string{true: "required", false: "not required"}[k.Required]})
	}
	c.Table(rows)
	c.Diagnostics(c.World.Out, p.Diagnostics)
}
