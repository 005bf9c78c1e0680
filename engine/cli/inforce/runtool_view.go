package inforce

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/tools/tool"
)

// toolCode returns the exit code of a call without a result: a program that ran and failed is a
// finding, one that was not allowed to run is refused.
func toolCode(t tool.ErrorType) int {
	switch {
	case t == tool.NotFound || t == tool.NotCallable || t == tool.InvalidInput:
		return console.ExitUsage
	case t == tool.Interrupted || t == tool.NotAvailable:
		return console.ExitWorld
	case t.Started():
		return console.ExitFindings
	}
	return console.ExitRefused
}

func printAnswer(c *console.Console, res tool.Result) error {
	if c.JSON {
		if err := c.Emit(res); err != nil {
			return err
		}
		if !res.Success {
			return console.Quiet(toolCode(res.Type))
		}
		return nil
	}
	if res.Resolved != nil {
		c.Progress("%s runs as %s, %s", console.OneLine(res.Resolved.Called), console.OneLine(res.Tool), console.OneLine(res.Resolved.Why))
	}
	if text := strings.TrimSpace(res.Printed); text != "" && text != res.Error {
		if strings.Contains(text, "\n") {
			text = "it printed:\n" + text
		}
		c.Progress("%s", text)
	}
	if !res.Success {
		return &console.Failure{Code: toolCode(res.Type), Err: fmt.Errorf("%s%s (%s)", res.Error, faultsOf(res), res.Type), Hint: res.Hint}
	}
	var out bytes.Buffer
	if err := json.Indent(&out, res.Result, "", "  "); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	c.Printf("%s\n", console.Clean(out.String())) // JSON in which nothing is obeyed by a screen, also a later one
	return nil
}

// faultsOf are the faults behind the first one, which the error says itself.
func faultsOf(res tool.Result) string {
	var b strings.Builder
	for _, f := range res.Faults[min(1, len(res.Faults)):] {
		b.WriteString("; " + f.String())
	}
	return b.String()
}

func printPlan(c *console.Console, p tool.Plan) error {
	if c.JSON {
		if err := c.Emit(p); err != nil {
			return err
		}
	} else {
		printPlanText(c, p)
	}
	switch {
	case p.Type == "":
		return nil
	case c.JSON:
		return console.Quiet(toolCode(p.Type))
	}
	return &console.Failure{Code: toolCode(p.Type), Err: fmt.Errorf("%s (%s)", p.Error, p.Type), Hint: p.Hint}
}

func printPlanText(c *console.Console, p tool.Plan) {
	if p.Runtime == "" {
		return
	}
	where := "in the sandbox"
	if !p.Protected {
		where = "unprotected, as security.yaml says"
	}
	rows := [][]string{
		{"would run", strings.TrimSpace(p.Tool+" "+string(p.Version)) + ", " + where},
		{"because", because(p.Resolved)},
		{"with", strings.TrimSpace(string(p.Runtime) + " " + p.Entry)},
		{"for", fmt.Sprintf("%s at most, memory %d MiB", p.Timeout, p.Memory>>20)},
		{"hosts", orNone(p.Hosts)},
		{"secrets", orNone(p.Secrets)},
		{"calls", orNone(p.Calls)},
		{"cost", fmt.Sprintf("%.6g; the session has %s", p.Cost, spentOf(p.Spent, p.Caps))},
	}
	rows = slices.DeleteFunc(rows, func(row []string) bool { return row[1] == "" })
	for i := range rows {
		rows[i][1] = console.OneLine(rows[i][1])
	}
	c.Table(rows)
}

// because says why a specification runs as this implementation; "" if none was called.
func because(r *tool.Resolved) string {
	if r == nil {
		return ""
	}
	return "of " + r.Called + " it is " + r.Why
}

func spentOf(s calls.Spent, caps calls.Caps) string {
	return fmt.Sprintf("%d of %d executions, %.6g of %.6g", s.Executions, caps.Executions, s.Cost, caps.Cost)
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// methodJSON is one method of a server.
type methodJSON struct {
	Name        string `json:"name"`
	Call        string `json:"call"`
	Description string `json:"description"`
	Input       any    `json:"input"`
}

func showMethods(ctx context.Context, c *console.Console, engine *tool.Engine, call tool.Call) error {
	methods, res, err := engine.Methods(ctx, call)
	if err != nil {
		return err
	}
	if !res.Success {
		return printAnswer(c, res)
	}
	return printMethods(c, res.Tool, methods)
}

// printMethods shows the methods that a server claims to offer.
func printMethods(c *console.Console, server string, methods []capability.Method) error {
	out := []methodJSON{}
	var rows [][]string
	for _, m := range methods {
		out = append(out, methodJSON{m.Name, server + "__" + m.Name, m.Description, m.Input})
		rows = append(rows, []string{c.Style.Bold(console.OneLine(server + "__" + m.Name)), console.OneLine(m.Description)})
	}
	if c.JSON {
		return c.Emit(out)
	}
	c.Table(rows)
	return nil
}
