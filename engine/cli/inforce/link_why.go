package inforce

import (
	"fmt"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/linker"
)

// linkWhy explains what became of one capability.
type linkWhy struct {
	Name   string `json:"name"`
	Linked bool   `json:"linked"`
	// For names the capability for which it is linked; empty if it serves a step.
	For   string    `json:"for,omitempty"`
	Steps []stepWhy `json:"steps"`
}

type stepWhy struct {
	Step int `json:"step"`
	// Place is its place among the answers, from 1; 0 if it is none. Share is the part of the
	// step's words that it answers.
	Place  int     `json:"place"`
	Share  float64 `json:"share"`
	Linked bool    `json:"linked"`
	Why    string  `json:"why,omitempty"`
}

func linkReasons(here discover.Here, a linker.Answer, q link.Question, f capability.Folder) (*linkWhy, error) {
	reasons, err := linker.Explain(here, a, q, f)
	out := &linkWhy{Name: f.Name, Steps: []stepWhy{}}
	for _, l := range a.Linked {
		if l.Name == f.Name {
			out.Linked, out.For = true, l.For
		}
	}
	for _, r := range reasons {
		out.Steps = append(out.Steps, stepWhy(r))
	}
	return out, err
}

func printLinkWhy(c *console.Console, out linkJSON) {
	name := c.Style.Bold(console.OneLine(out.Why.Name))
	switch w := out.Why; {
	case w.For != "":
		c.Printf("%s is linked for %s\n", name, console.OneLine(w.For))
	case w.Linked:
		c.Printf("%s is linked\n", name)
	default:
		c.Printf("%s is not linked\n", name)
	}
	var rows [][]string
	for _, s := range out.Why.Steps {
		why := s.Why
		if s.Linked {
			why = fmt.Sprintf("linked: answer %d, share %.2f", s.Place, s.Share)
		}
		for _, d := range out.Explored {
			if d.Step == s.Step && d.Name == out.Why.Name {
				why += fmt.Sprintf("; drew %.2f, place %d of the equally fit", d.Draw, d.Place)
			}
		}
		rows = append(rows, []string{fmt.Sprintf("  step %d", s.Step), console.OneLine(out.Steps[s.Step-1]), console.OneLine(why)})
	}
	c.Table(rows)
}
