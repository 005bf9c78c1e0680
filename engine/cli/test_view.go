package cli

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/tools/prove"
)

// testsJSON is what tests came to.
type testsJSON struct {
	// ID of the proposal; empty for what is in force.
	ID string `json:"id"`
	// Held: everything is proven.
	Held   bool          `json:"held"`
	Proofs []prove.Proof `json:"proofs"`
}

// tested shows what tests came to.
func (c *console) tested(id string, proofs []prove.Proof) error {
	out, code := testsJSON{ID: id, Held: true, Proofs: proofs}, exitOK
	for _, p := range proofs {
		if !p.Held() {
			out.Held, code = false, worse(code, testCode(p))
		}
	}
	if c.json {
		if err := c.emit(out); err != nil {
			return err
		}
	} else {
		for _, p := range proofs {
			c.proof(p)
		}
	}
	if code != exitOK {
		return quiet(code)
	}
	return nil
}

// testCode tells what fails from what this machine could not run.
func testCode(p prove.Proof) int {
	if p.Report.State == suite.Incomplete && p.Report.RequiredSkipped > 0 && !p.Diagnostics.HasErrors() {
		return exitWorld
	}
	return exitFindings
}

// worse puts findings before what could not be run.
func worse(a, b int) int {
	if a == exitFindings || b == exitFindings {
		return exitFindings
	}
	return max(a, b)
}

func (c *console) proof(p prove.Proof) {
	state := c.style.good
	if !p.Held() {
		state = c.style.bad
	}
	r := p.Report
	word, rest, _ := strings.Cut(r.Summary(), ": ")
	c.printf("%s%s %s: %s\n", c.style.bold(oneLine(strings.TrimSpace(r.Subject.Name+" "+string(r.Subject.Version)))), callerOf(p.Calls), state(word), oneLine(rest))
	var rows [][]string
	for _, k := range r.Cases {
		rows = append(rows, []string{"  " + c.caseVerdict(k), oneLine(k.ID()), oneLine(causeOf(k))})
	}
	c.table(rows)
	c.diagnostics(c.world.Out, p.Diagnostics)
}

// callerOf says why something is tested that does not change itself.
func callerOf(calls string) string {
	if calls == "" {
		return ""
	}
	return oneLine(", in force, which calls " + calls)
}

func (c *console) caseVerdict(k suite.Result) string {
	switch k.Verdict {
	case suite.Pass:
		return c.style.good(string(k.Verdict))
	case suite.Skip:
		return c.style.warn(string(k.Verdict))
	}
	if !k.Required {
		return c.style.warn(string(k.Verdict))
	}
	return c.style.bad(string(k.Verdict))
}

// causeOf is why a case does not pass, and what the record says of such an error.
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

// plannedJSON is what would be run of one capability.
type plannedJSON struct {
	Path    string `json:"path"`
	Name    string `json:"name"`
	Version string `json:"version"`
	// Calls is what this calls that the proposal gives new code, where it does not change itself.
	Calls string         `json:"calls,omitempty"`
	Cases []testCaseJSON `json:"cases"`
	// Base lists what would be run on what is in force as well.
	Base        []string  `json:"base"`
	Diagnostics diag.List `json:"diagnostics"`
}

type testCaseJSON struct {
	ID       string   `json:"id"`
	Required bool     `json:"required"`
	Weight   float64  `json:"weight"`
	Tags     []string `json:"tags"`
}

// testsPlanned shows what would be run.
func (c *console) testsPlanned(id string, plan []prove.Planned) error {
	out := struct {
		ID   string        `json:"id"`
		Plan []plannedJSON `json:"plan"`
	}{id, []plannedJSON{}}
	broken := false
	for _, p := range plan {
		out.Plan = append(out.Plan, plannedOf(p))
		broken = broken || p.Diagnostics.HasErrors()
	}
	if c.json {
		if err := c.emit(out); err != nil {
			return err
		}
	} else {
		for _, p := range out.Plan {
			c.plannedTests(p)
		}
		if len(plan) == 0 {
			c.printf("nothing has code to test\n")
		}
	}
	if broken {
		return quiet(exitFindings)
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

func (c *console) plannedTests(p plannedJSON) {
	c.printf("%s%s: %s", c.style.bold(oneLine(strings.TrimSpace(p.Name+" "+p.Version))), callerOf(p.Calls), plural(len(p.Cases), "case"))
	if len(p.Base) > 0 {
		c.printf(", and %d on what is in force", len(p.Base))
	}
	c.printf("\n")
	var rows [][]string
	for _, k := range p.Cases {
		rows = append(rows, []string{"  " + oneLine(k.ID), fmt.Sprintf("weight %g", k.Weight), map[bool]string{true: "required", false: "not required"}[k.Required]})
	}
	c.table(rows)
	c.diagnostics(c.world.Out, p.Diagnostics)
}
