package runs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// graphForms are the values of --graph.
func graphForms() []string { return []string{"terminal", "mermaid", "dot"} }

// graph draws the jobs of a run in one of the forms.
func graph(c *console.Console, form string, steps []run.Step) string {
	switch form {
	case "mermaid":
		return mermaid(steps)
	case "dot":
		return dot(steps)
	}
	if c.Terminal() {
		return layers(c, steps, c.World.Width())
	}
	return layers(c, steps, math.MaxInt)
}

func state(s run.Step) string {
	if s.Status == "" {
		return "pending"
	}
	return string(s.Status)
}

func label(s run.Step) string {
	out := state(s)
	if s.Uncounted != "" {
		out += ", does not count"
	}
	if s.MS > 0 {
		out += ", " + output.Lasted(s.MS)
	}
	if s.Attempt > 1 {
		out += ", attempt " + strconv.Itoa(s.Attempt)
	}
	return out
}

// edges calls add for each need, by the places of both jobs.
func edges(steps []run.Step, add func(from, to int)) {
	for to, s := range steps {
		for _, need := range s.Needs {
			if from := slices.IndexFunc(steps, func(o run.Step) bool { return o.Name == need }); from >= 0 {
				add(from, to)
			}
		}
	}
}

// mermaid names nodes by number, so that no name of a journal can be read as syntax.
func mermaid(steps []run.Step) string {
	out := "flowchart TD\n"
	for i, s := range steps {
		name := strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;").Replace(console.OneLine(s.Name))
		out += fmt.Sprintf("  j%d[\"%s<br/>%s\"]:::%s\n", i, name, label(s), state(s))
	}
	edges(steps, func(from, to int) { out += fmt.Sprintf("  j%d --> j%d\n", from, to) })
	for _, style := range colours() {
		out += fmt.Sprintf("  classDef %s fill:%s\n", style[0], style[1])
	}
	return out
}

func colours() [][2]string {
	return [][2]string{{"done", "#b7e4c7"}, {"failed", "#f5b5b5"}, {"running", "#cfe2ff"}, {"waiting", "#ffe8a1"}, {"skipped", "#e2e3e5"}, {"cancelled", "#ffd8a8"}, {"pending", "#ffffff"}}
}

func dot(steps []run.Step) string {
	out := "digraph run {\n  node [shape=box, style=filled];\n"
	for i, s := range steps {
		fill := "#ffffff"
		for _, style := range colours() {
			if style[0] == state(s) {
				fill = style[1]
			}
		}
		out += fmt.Sprintf("  j%d [label=%s, fillcolor=%q];\n", i, quoted(console.OneLine(s.Name)+"\n"+label(s)), fill)
	}
	edges(steps, func(from, to int) { out += fmt.Sprintf("  j%d -> j%d;\n", from, to) })
	return out + "}\n"
}

// quoted is a text in DOT: there only the quote, the backslash and the line break are special.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// layers draws the jobs in rows: each row needs only rows above it. A row that is wider than width goes on in further
// lines, and a job that is wider ends with "…".
func layers(c *console.Console, steps []run.Step, width int) string {
	depth := make([]int, len(steps))
	var rows [][]string
	edges(steps, func(from, to int) { depth[to] = max(depth[to], depth[from]+1) }) // needs come first
	for i, s := range steps {
		for depth[i] >= len(rows) {
			rows = append(rows, nil)
		}
		text := stepMark(c, s) + " " + console.OneLine(s.Name)
		if s.MS > 0 {
			text += " " + c.Style.Dim(output.Lasted(s.MS))
		}
		if len(s.Needs) > 1 {
			text += c.Style.Dim(" (after " + console.OneLine(strings.Join(s.Needs, ", ")) + ")")
		} else if len(s.Needs) == 1 && len(rows[depth[i]-1]) > 1 {
			text += c.Style.Dim(" (after " + console.OneLine(s.Needs[0]) + ")")
		}
		rows[depth[i]] = append(rows[depth[i]], console.Cut(text, width-2))
	}
	var out []string
	for _, row := range rows {
		line, used := "", 0
		for i, text := range row {
			gap, wide := "   ", lipgloss.Width(text)
			if used += len(gap) + wide; used > width {
				gap, used = "\n  ", 2+wide
			}
			if i == 0 {
				gap, used = "", wide
			}
			line += gap + text
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n  ↓\n") + "\n"
}
