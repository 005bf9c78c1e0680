package inforce

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
)

// findLimit is how many matches are shown unless something else is asked for, findBeyond how many more
// are looked at for what can be called.
const (
	findLimit  = 10
	findBeyond = 100
)

type findOptions struct {
	kind  string
	limit int
}

func newFind(c *console.Console) *cobra.Command {
	var o findOptions
	cmd := &cobra.Command{
		Use:   "find WORD…",
		Short: "Search the capabilities that are in force",
		Long: `Find shows the capabilities in force that fit the words best: a word counts most in
the name, then in tags, category and description, and least in headings and the
first paragraph. Words are compared as they are, without case: "parses" is not
"parse". What is deprecated or retired is marked and ranked lower. A tool or server
that no call would start (stopped, in quarantine, not active or without code) is
marked and comes last.

Scores compare the answers to one question and mean nothing beside another's.`,
		Example: `  assent find csv table
  assent find send email --kind tool --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runFind(cmd.Context(), c, o, args) },
	}
	cmd.Flags().IntVar(&o.limit, "limit", findLimit, "at most `N` answers")
	cmd.Flags().StringVar(&o.kind, "kind", "", "only this `KIND`: "+console.Words(capability.Kinds()))
	return cmd
}

// matchJSON is one answer.
type matchJSON struct {
	Name        string             `json:"name"`
	Kind        capability.Kind    `json:"kind"`
	Version     capability.Version `json:"version"`
	Status      capability.Status  `json:"status"`
	Path        string             `json:"path"`
	Description string             `json:"description"`
	Score       float64            `json:"score"`
	// Health is how what has code holds up here.
	Health health.State `json:"health,omitempty"`
	// Callable is false for a tool or server that no call would start, whatever its input.
	Callable *bool `json:"callable,omitempty"`
	// Stopped is set while a human has stopped it.
	Stopped *stop.Held `json:"stopped,omitempty"`
}

// refused reports whether a call of it would be refused.
func (m matchJSON) refused() bool { return m.Callable != nil && !*m.Callable }

// findJSON are the answers, and the names that look like what was asked for where
// there are none.
type findJSON struct {
	Matches []matchJSON `json:"matches"`
	Near    []string    `json:"near"`
}

func runFind(ctx context.Context, c *console.Console, o findOptions, args []string) error {
	if kinds := capability.Kinds(); o.kind != "" && !slices.Contains(kinds, capability.Kind(o.kind)) {
		return console.Usage("unknown kind %q: one of %s", o.kind, console.Words(kinds))
	}
	if o.limit < 1 {
		return console.Usage("--limit %d: ask for one answer or more", o.limit)
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	stops, err := cur.Stops(ctx)
	if err != nil {
		return err
	}
	asked := strings.Join(args, " ")
	found, err := cur.Capabilities.Find(index.Query{Words: asked, Limit: o.limit + findBeyond, Kind: capability.Kind(o.kind)})
	if err != nil {
		return err
	}
	store, _, err := healthOf(cur)
	if err != nil {
		return err
	}
	out := findJSON{Matches: []matchJSON{}, Near: []string{}}
	for _, m := range found {
		told := matchJSON{Name: m.Name, Kind: m.Kind, Version: m.Version, Status: m.Status, Path: m.Path, Description: m.Description, Score: m.Score, Stopped: stopOf(stops, m.Name)}
		if err := told.call(cur, store, m.Entry); err != nil { // what is in force is known all the same
			c.Complain("%s no health: %s", c.Style.Warn("warning:"), console.OneLine(err.Error()))
		}
		out.Matches = append(out.Matches, told)
	}
	last := func(m matchJSON) int {
		if m.refused() {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out.Matches, func(a, b matchJSON) int { return cmp.Compare(last(a), last(b)) })
	out.Matches = out.Matches[:min(o.limit, len(out.Matches))]
	if len(found) == 0 {
		if out.Near, err = nearNames(cur, args); err != nil {
			return err
		}
	}
	if c.JSON {
		return c.Emit(out)
	}
	printFound(c, out, asked)
	return nil
}

// call says whether a call would start it, as far as that can be told without an input.
func (m *matchJSON) call(cur workspace.Session, store *calls.Health, e index.Entry) error {
	if e.Kind != capability.KindTool && e.Kind != capability.KindMCP {
		return nil
	}
	may := m.Stopped == nil
	if e.SpecOnly {
		ways, err := cur.Capabilities.Related(index.Implements, e.Name)
		if err != nil {
			return err
		}
		may = may && slices.ContainsFunc(ways, func(way index.Entry) bool { return way.Status == capability.Active && !way.SpecOnly })
	} else {
		known, err := store.Read(e.Name)
		if err != nil {
			return err
		}
		m.Health = known.Entry(e.Tree.String(), e.Version).State
		may = may && m.Health.Runs() && (e.Status == capability.Active || e.Status == capability.Deprecated)
	}
	m.Callable = &may
	return nil
}

// nearNames are names in force that one of the words, or all of them together,
// may have been meant to be.
func nearNames(cur workspace.Session, args []string) ([]string, error) {
	folders, err := cur.Capabilities.Folders()
	if err != nil {
		return nil, err
	}
	known := make([]string, len(folders))
	for i, f := range folders {
		known[i] = f.Name
	}
	out := []string{}
	for _, word := range append([]string{strings.Join(args, "-")}, args...) {
		for _, name := range console.Nearest(names.Fold(word), known) {
			if !slices.Contains(out, name) && len(out) < 3 {
				out = append(out, name)
			}
		}
	}
	return out, nil
}

func printFound(c *console.Console, out findJSON, asked string) {
	if len(out.Matches) == 0 {
		c.Printf("nothing in force fits %q\n", console.OneLine(asked))
		hint := "assent list shows all that is in force"
		if len(out.Near) > 0 {
			hint = "did you mean " + strings.Join(out.Near, " or ") + "? " + hint
		}
		c.Progress("%s", hint)
		return
	}
	var rows [][]string
	for _, m := range out.Matches {
		mark := ""
		if m.Status != capability.Active {
			mark = statusText(c, m.Status)
		}
		mark += unwellText(c, m.Health) + stopMark(c, m.Stopped)
		if m.refused() && m.Stopped == nil && (m.Health == "" || m.Health.Runs()) {
			mark += " (not callable)"
		}
		rows = append(rows, []string{fmt.Sprintf("%6.2f", m.Score), c.Style.Bold(console.OneLine(m.Name)), string(m.Kind), mark, console.OneLine(m.Description)})
	}
	c.Table(rows)
}
