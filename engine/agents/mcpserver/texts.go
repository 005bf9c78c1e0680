package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/agents/toolset"
)

// foundText lists matches, one on each line.
func foundText(out toolset.FindOutput) []string {
	var b strings.Builder
	if out.Archived != "" {
		b.WriteString(out.Archived + "\n")
	}
	if len(out.Matches) == 0 {
		b.WriteString("nothing approved fits these words")
		if len(out.Near) > 0 {
			b.WriteString("; names that look like them: " + strings.Join(out.Near, ", "))
		}
		return []string{b.String() + "\nNext: try other words; then propose it, or report it"}
	}
	for _, m := range out.Matches {
		fmt.Fprintf(&b, "%s (%s; %s)", m.Name, m.Kind, m.Use)
		if m.Takes != "" {
			b.WriteString(" " + m.Takes)
		}
		b.WriteString("\n  " + m.Description + "\n")
	}
	return []string{strings.TrimSuffix(b.String(), "\n")}
}

// loadedText returns the file as one text, and everything else as another.
func loadedText(out toolset.LoadOutput) []string {
	texts := []string{out.Text}
	var more []string
	if out.Call != "" {
		more = append(more, "call it by name: "+out.Call, "input schema: "+jsonText(out.Input))
	}
	for _, t := range out.Tools {
		more = append(more, "tool "+t.Name+": "+t.Description+" "+jsonText(t.Input))
	}
	if out.Why != "" {
		more = append(more, "its tools could not be listed: "+out.Why)
	}
	if len(out.Files) > 0 {
		more = append(more, "other files, for load with file: "+strings.Join(out.Files, ", "))
	}
	if len(more) > 0 {
		texts = append(texts, strings.Join(more, "\n"))
	}
	return texts
}

func calledText(out toolset.CallOutput) []string {
	texts := []string{string(out.Result)}
	if out.Printed != "" {
		texts = append(texts, "it also printed: "+out.Printed)
	}
	return texts
}

func proposalText(p toolset.Proposal) []string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\nstate: %s, risk %s\n", p.ID, p.Goal, p.State, p.Risk)
	for _, list := range []struct {
		name  string
		lines []string
	}{{"waits for", p.WaitingFor}, {"reason", p.Reasons}, {"finding", p.Findings}, {"note", p.Notes}} {
		for _, line := range list.lines {
			fmt.Fprintf(&b, "%s: %s\n", list.name, line)
		}
	}
	if p.Review != "" {
		fmt.Fprintf(&b, "review: %s\n", p.Review)
	}
	return []string{b.String() + "Next: " + p.Next}
}

func statusText(out toolset.StatusOutput) []string {
	if p := out.Proposal; p != nil {
		texts := proposalText(p.Proposal)
		for _, said := range p.Said {
			texts[0] += "\nsaid: " + said
		}
		return texts
	}
	return []string{jsonText(out)}
}

func reportText(out toolset.ReportOutput) []string {
	var b strings.Builder
	for _, r := range out.Runs {
		verb := "started"
		if r.Already {
			verb = "is under way already:"
		}
		fmt.Fprintf(&b, "%s %s (%s)", verb, r.ID, r.Workflow)
		if len(r.WaitsFor) > 0 {
			b.WriteString(", waits for " + strings.Join(r.WaitsFor, ", "))
		}
		b.WriteString("\n")
	}
	if out.Recorded > 0 {
		fmt.Fprintf(&b, "recorded for %d\n", out.Recorded)
	}
	return []string{b.String() + "Next: " + out.Next}
}

func jsonText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(data)
}
