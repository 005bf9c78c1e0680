package inforce

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/discover"
)

// findLimit is how many matches are shown unless something else is asked for.
const findLimit = 10

type findOptions struct {
	agent, kind, status, category string
	tags                          []string
	mastery                       float64
	limit                         int
	explain, archived             bool
}

func newFind(c *console.Console) *cobra.Command {
	var o findOptions
	cmd := &cobra.Command{
		Use:   "find WORD…",
		Short: "Search the capabilities that are in force",
		Long: `Find shows the capabilities in force that fit the words best. What is called by the words
comes first, then what has all of them as tags. The others follow by their scores: a word
counts most in the name, then in tags, description, headings, examples and the body.
What is like the text of past missions that a capability served well comes earlier; two
of the first five places stay with those without such missions. What critics said of a
version moves it by a tenth at most (assent critic). English endings do not
count, a misspelt word finds what it resembles, and words that people use for each other,
such as "movie" and "film", count for each other in part.

What cannot be used now is marked and comes last: what is stopped, in quarantine, neither
active nor deprecated, or without code. What is deprecated is ranked lower. What is retired
is left out without --status retired. With --agent only what that agent may use is shown. --min-mastery asks for the share of its tests that
the version in force passed on this machine.

--archived shows archived capabilities and the command that proposes to restore each. Without
it, one that fits the words better than all that can be used is named after the others.

Scores compare the answers to one question and mean nothing beside another's. --explain
shows what each word added to a score.`,
		Example: `  assent find csv table
  assent find send email --kind tool --json
  assent find invoices --tag eu --agent scout --explain
  assent find rename files --archived`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runFind(cmd.Context(), c, o, args) },
	}
	cmd.Flags().IntVar(&o.limit, "limit", findLimit, "at most `N` answers")
	cmd.Flags().StringVar(&o.kind, "kind", "", "only this `KIND`: "+console.Words(capability.Kinds()))
	cmd.Flags().StringVar(&o.status, "status", "", "only this `STATUS`: "+console.Words(capability.Statuses()))
	cmd.Flags().StringVar(&o.category, "category", "", "only this `CATEGORY`")
	cmd.Flags().StringSliceVar(&o.tags, "tag", nil, "only what has this `TAG`; may be repeated")
	cmd.Flags().Float64Var(&o.mastery, "min-mastery", 0, "only what reached this `SHARE` in its tests here, from 0 to 1")
	cmd.Flags().BoolVar(&o.explain, "explain", false, "show what each word added")
	cmd.Flags().BoolVar(&o.archived, "archived", false, "search archived capabilities instead")
	cmd.MarkFlagsMutuallyExclusive("archived", "explain")
	cmd.MarkFlagsMutuallyExclusive("archived", "status")
	cmd.MarkFlagsMutuallyExclusive("archived", "min-mastery")
	complete.AgentFlag(cmd, c, &o.agent)
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
	// Learned is how much the words are like those of past missions that it served, from 0 to 1.
	Learned float64 `json:"learned,omitempty"`
	// Meaning is the cosine of its vector and that of the words; absent without vectors.
	Meaning *float64 `json:"meaning,omitempty"`
	// Critics is what critics said of its version; absent without any.
	Critics *trial.Opinion `json:"critics,omitempty"`
	// Health is the health of its code in this installation.
	Health health.State `json:"health,omitempty"`
	// Callable is false for a tool or server that no call would start, whatever its input.
	Callable *bool `json:"callable,omitempty"`
	// Stopped is set while a human has stopped it.
	Stopped *stop.Held `json:"stopped,omitempty"`
	// Unusable says why it cannot be used now.
	Unusable string `json:"unusable,omitempty"`
	// Exact is name or tags where the words name it, or its tags have all of them.
	Exact string `json:"exact,omitempty"`
	// Parts are the words' shares of the score, with --explain.
	Parts []partJSON `json:"parts,omitempty"`
}

// partJSON is the share of one word in a score.
type partJSON struct {
	// Word is the searched word, Found the form in which it was found. Near is true if that is
	// another word.
	Word  string  `json:"word"`
	Found string  `json:"found"`
	Near  bool    `json:"near"`
	Score float64 `json:"score"`
}

// findJSON are the answers; if there are none, it has similar names.
type findJSON struct {
	Matches []matchJSON `json:"matches"`
	Near    []string    `json:"near"`
	// Retired is the retired one that fits best, if there are no answers.
	Retired string `json:"retired,omitempty"`
	// Archived are all archived ones that fit, with --archived, else one that fits better than all
	// that can be used.
	Archived []archivedJSON `json:"archived"`
	// Unread names archived ones that cannot be read, and were not searched.
	Unread []string `json:"unread,omitempty"`
	// Problems are parts of the search that were left out, and why.
	Problems []string `json:"problems,omitempty"`
}

// request checks the arguments.
func (o findOptions) request(words string) (discover.Request, error) {
	r := discover.Request{
		Words: words, Kind: capability.Kind(o.kind), Status: capability.Status(o.status), Category: o.category, Tags: o.tags,
		Mastery: o.mastery, Current: true, Limit: o.limit, Explain: o.explain,
	}
	if o.agent != "" {
		r.Agent = &o.agent
	}
	switch {
	case o.kind != "" && !slices.Contains(capability.Kinds(), r.Kind):
		return r, console.Usage("unknown kind %q: one of %s", o.kind, console.Words(capability.Kinds()))
	case o.status != "" && !slices.Contains(capability.Statuses(), r.Status):
		return r, console.Usage("unknown status %q: one of %s", o.status, console.Words(capability.Statuses()))
	case !(o.mastery >= 0 && o.mastery <= 1): // NaN too
		return r, console.Usage("--min-mastery %v: want a share from 0 to 1", o.mastery)
	case o.limit < 1:
		return r, console.Usage("--limit %d: ask for one answer or more", o.limit)
	}
	return r, nil
}

func runFind(ctx context.Context, c *console.Console, o findOptions, args []string) error {
	asked := strings.Join(args, " ")
	r, err := o.request(asked)
	if err != nil {
		return err
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	here, err := discover.Open(ctx, cur)
	if err != nil {
		return err
	}
	here = here.WithEmbeddings(ctx)
	out := findJSON{Matches: []matchJSON{}, Near: []string{}, Archived: []archivedJSON{}}
	if err = out.findArchived(ctx, c, here, r, o.archived); err != nil {
		return err
	}
	if !o.archived {
		if err := out.inForce(ctx, c, here, r); err != nil {
			return err
		}
	}
	if c.JSON {
		return c.Emit(out)
	}
	if !o.archived {
		printFound(c, out, asked)
	}
	printArchived(c, out.Archived, o.archived, asked)
	return nil
}

// inForce fills in the answers in force.
func (out *findJSON) inForce(ctx context.Context, c *console.Console, here discover.Here, r discover.Request) error {
	found, problems, err := here.Find(ctx, r)
	if err != nil {
		return err
	}
	for _, p := range problems { // the content in force is known without it
		out.Problems = append(out.Problems, console.OneLine(p.Error()))
		c.Complain("%s %s", c.Style.Warn("warning:"), console.OneLine(p.Error()))
	}
	for _, m := range found {
		out.Matches = append(out.Matches, matchOf(m))
	}
	if len(found) > 0 {
		return nil
	}
	if out.Near, err = here.Near(r); err != nil || r.Status != "" {
		return err
	}
	r.Status, r.Limit = capability.Retired, 1
	if found, _, err = here.Find(ctx, r); len(found) > 0 {
		out.Retired = found[0].Name
	}
	return err
}

func matchOf(m discover.Match) matchJSON {
	out := matchJSON{
		Name: m.Name, Kind: m.Kind, Version: m.Version, Status: m.Status, Path: m.Path, Description: m.Description, Score: m.Score, Learned: m.Learned, Meaning: m.Meaning,
		Health: m.Health, Stopped: m.Stopped, Unusable: m.Unusable, Exact: m.Exact.String(),
	}
	if m.Called {
		callable := m.Unusable == ""
		out.Callable = &callable
	}
	if m.Opinion.Critics > 0 {
		out.Critics = &m.Opinion
	}
	for _, p := range m.Parts {
		out.Parts = append(out.Parts, partJSON{p.Word, p.Term, p.Near, p.Score})
	}
	return out
}

func printFound(c *console.Console, out findJSON, asked string) {
	if len(out.Matches) == 0 {
		c.Printf("nothing in force fits %q\n", console.OneLine(asked))
		hint := "assent list shows all that is in force"
		if len(out.Near) > 0 {
			hint = "did you mean " + strings.Join(out.Near, " or ") + "? " + hint
		}
		c.Progress("%s", hint)
		if out.Retired != "" {
			c.Progress("%s fits, and is retired: assent find --status retired %s", console.OneLine(out.Retired), names.ShellWord(console.OneLine(asked)))
		}
		return
	}
	var rows [][]string
	for _, m := range out.Matches {
		mark := ""
		if m.Status != capability.Active {
			mark = statusText(c, m.Status)
		}
		mark += unwellText(c, m.Health) + stopMark(c, m.Stopped)
		if m.Callable != nil && !*m.Callable && m.Stopped == nil && (m.Health == "" || m.Health.Runs()) {
			mark += " (not callable)"
		}
		rows = append(rows, []string{fmt.Sprintf("%6.2f", m.Score), c.Style.Bold(console.OneLine(m.Name)), string(m.Kind), mark, console.OneLine(m.Description)})
		if m.Unusable != "" && m.Status.Runs() {
			rows = append(rows, []string{"", "", "", "", console.OneLine(m.Unusable)})
		}
		for _, line := range explained(m) {
			rows = append(rows, []string{"", "", "", "", line})
		}
	}
	c.Table(rows)
}

// explained lists the parts of a score, the largest first.
func explained(m matchJSON) (out []string) {
	if len(m.Parts) == 0 && m.Score > 0 {
		return nil
	}
	switch m.Exact {
	case index.ByName.String():
		out = append(out, "the words are its name")
	case index.ByTags.String():
		out = append(out, "its tags have all the words")
	}
	if m.Learned >= 0.005 { // as it is shown
		out = append(out, fmt.Sprintf("like past missions that it served: %.2f", m.Learned))
	}
	if m.Meaning != nil {
		out = append(out, fmt.Sprintf("meaning: %.2f", *m.Meaning))
	}
	if o := m.Critics; o != nil {
		out = append(out, fmt.Sprintf("satisfaction %.2f by %s: x %.2f", *o.Satisfaction, console.Plural(o.Critics, "critic"), o.Factor()))
	}
	parts := slices.Clone(m.Parts)
	order.Stable(parts, func(a, b partJSON) int { return cmp.Compare(b.Score, a.Score) })
	for _, p := range parts {
		text := fmt.Sprintf("%6.2f  %s", p.Score, console.OneLine(p.Word))
		if p.Near {
			text += ", as " + p.Found
		}
		out = append(out, text)
	}
	return out
}
