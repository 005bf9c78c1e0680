package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/home/ledger"
	"github.com/assent-dev/assent/engine/tools/mcpclient"
	"github.com/assent-dev/assent/engine/tools/tool"
)

// toolCode is the exit code of a call without a result: what ran and failed is a
// finding, what was not allowed to run is refused.
func toolCode(t tool.ErrorType) int {
	switch {
	case t == tool.NotFound || t == tool.NotCallable || t == tool.InvalidInput:
		return exitUsage
	case t == tool.Interrupted || t == tool.NotAvailable:
		return exitWorld
	case t.Started():
		return exitFindings
	}
	return exitRefused
}

func (c *console) toolAnswered(res tool.Result) error {
	if c.json {
		if err := c.emit(res); err != nil {
			return err
		}
		if !res.Success {
			return quiet(toolCode(res.Type))
		}
		return nil
	}
	if res.Resolved != nil {
		c.progress("%s runs as %s, %s", oneLine(res.Resolved.Called), oneLine(res.Tool), oneLine(res.Resolved.Why))
	}
	if text := strings.TrimSpace(res.Printed); text != "" && text != res.Error {
		if strings.Contains(text, "\n") {
			text = "it printed:\n" + text
		}
		c.progress("%s", text)
	}
	if !res.Success {
		return &failure{code: toolCode(res.Type), err: fmt.Errorf("%s%s (%s)", res.Error, faultsOf(res), res.Type), hint: res.Hint}
	}
	var out bytes.Buffer
	if err := json.Indent(&out, res.Result, "", "  "); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	c.printf("%s\n", clean(out.String())) // JSON in which nothing is obeyed by a screen, also a later one
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

func (c *console) toolPlanned(p tool.Plan) error {
	if c.json {
		if err := c.emit(p); err != nil {
			return err
		}
	} else {
		c.toolPlan(p)
	}
	switch {
	case p.Type == "":
		return nil
	case c.json:
		return quiet(toolCode(p.Type))
	}
	return &failure{code: toolCode(p.Type), err: fmt.Errorf("%s (%s)", p.Error, p.Type), hint: p.Hint}
}

func (c *console) toolPlan(p tool.Plan) {
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
		rows[i][1] = oneLine(rows[i][1])
	}
	c.table(rows)
}

// because says why a specification runs as what it does; "" where none was called.
func because(r *tool.Resolved) string {
	if r == nil {
		return ""
	}
	return "of " + r.Called + " it is " + r.Why
}

func spentOf(s ledger.Spent, caps ledger.Caps) string {
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

func (c *console) toolMethods(ctx context.Context, engine *tool.Engine, call tool.Call) error {
	methods, res, err := engine.Methods(ctx, call)
	if err != nil {
		return err
	}
	if !res.Success {
		return c.toolAnswered(res)
	}
	return c.listed(res.Tool, methods)
}

// listed shows what a server says that it offers: nobody's word but its own.
func (c *console) listed(server string, methods []mcpclient.Method) error {
	out := []methodJSON{}
	var rows [][]string
	for _, m := range methods {
		out = append(out, methodJSON{m.Name, server + "__" + m.Name, m.Description, m.Input})
		rows = append(rows, []string{c.style.bold(oneLine(server + "__" + m.Name)), oneLine(m.Description)})
	}
	if c.json {
		return c.emit(out)
	}
	c.table(rows)
	return nil
}
