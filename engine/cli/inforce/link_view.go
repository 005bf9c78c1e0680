package inforce

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/linker"
	"github.com/assent-dev/assent/engine/tools/tool"
)

// linkJSON is the answer of assent link.
type linkJSON struct {
	Steps []string `json:"steps"`
	// Rest are the steps after the first link.MaxSteps, which are not linked.
	Rest    []string `json:"rest"`
	Context []string `json:"context"`
	Phase0  phase0   `json:"phase0"`
	Phase1  []linked `json:"phase1"`
	LeftOut []aside  `json:"left_out"`
	Tokens  bill     `json:"tokens"`
	// Unread names archived capabilities that cannot be read, and were not searched.
	Unread []string `json:"unread,omitempty"`
	// Preflight are the smoke tests that were run, with --preflight.
	Preflight []tool.Tested `json:"preflight,omitempty"`
	// Explored are the draws by which equally fit tools were ordered.
	Explored []link.Draw `json:"explored,omitempty"`
	// Problems are parts of the search that were left out, and why.
	Problems []string `json:"problems,omitempty"`
	// Moved lists the differences from the lock, with --verify.
	Moved []link.Move `json:"moved,omitempty"`
	// Why explains one capability, with --why.
	Why *linkWhy `json:"why,omitempty"`
}

// phase0 lists the capabilities to build or repair first.
type phase0 struct {
	Gaps   []gap   `json:"gaps"`
	Repair []aside `json:"repair"`
	// Restore lists archived capabilities that fit a step better than all that can be used, and those that
	// what was left out requires.
	Restore []restore `json:"restore"`
}

type restore struct {
	Step int `json:"step"`
	// For requires it and would serve the step; empty if it fits the step itself.
	For string `json:"for,omitempty"`
	archivedJSON
}

type gap struct {
	Step    int     `json:"step"`
	Text    string  `json:"text"`
	Nearest string  `json:"nearest,omitempty"`
	Share   float64 `json:"share"`
}

type aside struct {
	Name string `json:"name"`
	Step int    `json:"step"`
	Why  string `json:"why"`
}

type linked struct {
	Name    string             `json:"name"`
	Kind    capability.Kind    `json:"kind"`
	Version capability.Version `json:"version"`
	Path    string             `json:"path"`
	Blob    string             `json:"blob"`
	Steps   []int              `json:"steps"`
	// For names the capability that requires it or that it applies to; empty if it serves a step.
	For     string `json:"for,omitempty"`
	Visible bool   `json:"visible"`
	Tokens  int    `json:"tokens"`
	// Share is the part of the step's words that it answers. Score is the resolution score with
	// its parts Success, Affinity and Penalty; Tried counts trials.
	Share    float64 `json:"share"`
	Score    float64 `json:"score"`
	Success  float64 `json:"success"`
	Affinity float64 `json:"affinity"`
	Penalty  float64 `json:"penalty"`
	Tried    int     `json:"tried"`
}

// bill counts tokens, a quarter of the bytes. Link is the whole link, Listed its names and
// descriptions, and Everything those of all that the agent may use.
type bill struct {
	Link       int `json:"link"`
	Listed     int `json:"listed"`
	Everything int `json:"everything"`
	Budget     int `json:"budget"`
}

func asides(list []link.Aside) []aside {
	out := []aside{}
	for _, a := range list {
		out = append(out, aside{a.Name, a.Step, a.Why})
	}
	return out
}

func linkView(ctx context.Context, c *console.Console, here discover.Here, a linker.Answer, q link.Question) (linkJSON, error) {
	out := linkJSON{
		Steps: a.Steps, Rest: append([]string{}, a.Rest...), Context: append([]string{}, a.Context...), Phase0: phase0{[]gap{}, asides(a.Repair), []restore{}}, Phase1: []linked{}, LeftOut: asides(a.LeftOut),
		Explored: a.Draws,
		Tokens:   bill{Link: a.Tokens, Everything: a.Everything, Budget: q.Budget},
	}
	for _, p := range a.Problems {
		out.Problems = append(out.Problems, console.OneLine(p.Error()))
	}
	for _, g := range a.Gaps {
		out.Phase0.Gaps = append(out.Phase0.Gaps, gap(g))
	}
	old, damaged, err := linker.Restorable(ctx, here, a, q)
	out.Unread = unread(c, damaged)
	for _, r := range old {
		one, err := archivedOf(ctx, here, r.Archived)
		if err != nil {
			return out, err
		}
		out.Phase0.Restore = append(out.Phase0.Restore, restore{r.Step, r.For, one})
	}
	for _, l := range a.Linked {
		r := l.Resolution
		if l.Visible {
			out.Tokens.Listed += l.Listed
		}
		out.Phase1 = append(out.Phase1, linked{
			Name: l.Name, Kind: l.Kind, Version: l.Version, Path: l.Path, Blob: l.Blob, Steps: append([]int{}, l.Steps...), For: l.For, Visible: l.Visible,
			Tokens: l.Tokens, Share: l.Share, Score: r.Score, Success: r.Success, Affinity: r.Affinity, Penalty: r.Penalty, Tried: r.All.Tried,
		})
	}
	return out, err
}

func printLink(c *console.Console, out linkJSON, verified bool) {
	for i, s := range out.Steps {
		c.Printf("step %d  %s\n", i+1, console.OneLine(s))
	}
	if n := len(out.Rest); n > 0 {
		c.Printf("%s %s not linked, from %q on: link them as another mission\n", c.Style.Warn("too long:"), console.Plural(n, "step"), console.OneLine(out.Rest[0]))
	}
	if len(out.Context) > 0 {
		c.Printf("context %s\n", strings.Join(out.Context, ", "))
	}
	c.Printf("\nphase 0: build or mend first\n")
	for _, g := range out.Phase0.Gaps {
		if g.Share >= linker.Enough {
			c.Printf("  step %d: %s would serve it and is left out\n", g.Step, console.OneLine(g.Nearest))
			continue
		}
		c.Printf("  nothing serves step %d\n", g.Step)
	}
	for _, r := range out.Phase0.Repair {
		c.Printf("  %s would serve step %d: %s\n", console.OneLine(r.Name), r.Step, console.OneLine(r.Why))
	}
	for _, r := range out.Phase0.Restore {
		if r.For != "" {
			c.Printf("  %s is required by %s for step %d, and was archived (%s): %s\n", console.OneLine(r.Name), console.OneLine(r.For), r.Step, console.OneLine(r.Goal), console.OneLine(r.how()))
			continue
		}
		c.Printf("  %s fits step %d better than all that can be used, and was archived (%s): %s\n", console.OneLine(r.Name), r.Step, console.OneLine(r.Goal), console.OneLine(r.how()))
	}
	if len(out.Phase0.Gaps)+len(out.Phase0.Repair)+len(out.Phase0.Restore) == 0 {
		c.Printf("  nothing\n")
	}
	c.Printf("\nphase 1: linked\n")
	var rows [][]string
	for _, l := range out.Phase1 {
		why := "steps " + strings.Trim(fmt.Sprint(l.Steps), "[]")
		if l.For != "" {
			why = "for " + l.For
		}
		rows = append(rows, []string{"  " + console.OneLine(l.Name), string(l.Kind), string(l.Version), fmt.Sprintf("score %.2f", l.Score), why})
	}
	c.Table(rows)
	for _, p := range out.Preflight {
		why := ""
		if p.Why != "" {
			why = ": " + console.OneLine(p.Why)
		}
		c.Printf("  %s: %s ran%s\n", console.OneLine(p.Name), console.Plural(p.Cases, "smoke test"), why)
	}
	for _, d := range out.Explored {
		c.Printf("  %s (step %d): drew %.2f from %d of %d\n", console.OneLine(d.Name), d.Step, d.Draw, d.Passed, d.Tried)
	}
	if len(out.LeftOut) > 0 {
		c.Printf("\nleft out\n")
	}
	for _, l := range out.LeftOut {
		c.Printf("  %s (step %d): %s\n", console.OneLine(l.Name), l.Step, console.OneLine(l.Why))
	}
	c.Printf("\nabout %d tokens, %d for names and descriptions; those of everything in force have %d\n", out.Tokens.Link, out.Tokens.Listed, out.Tokens.Everything)
	for _, m := range out.Moved {
		c.Printf("moved: %s was %s, is %s\n", console.OneLine(m.What), orNothing(m.Was), orNothing(m.Is))
	}
	if verified && len(out.Moved) == 0 {
		c.Printf("the lock holds\n")
	}
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return console.OneLine(s)
}
