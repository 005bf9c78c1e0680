package inforce

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/registry/graph"
	"github.com/assent-dev/assent/engine/tools/memory"
)

type graphOptions struct {
	format, agent, since, push string
	only                       []string
	dryRun                     bool
}

// graphFormats are the values of --format.
func graphFormats() []string { return []string{"json", "cypher", "dot", "mermaid"} }

func newGraph(c *console.Console) *cobra.Command {
	var o graphOptions
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Who knows, uses and needs which capability, as a graph",
		Long: `Graph derives the memory graph from what is in force, from journals of runs and from trials:
agents, capabilities, executions, tasks, learning sessions, research, validations, error
patterns and dependencies (docs/graph.md). Without --format it counts them.

The same workspace gives the same bytes. Single executions are those of the newest 10 000
trials; sums are of all.

With --push it replaces what a graph database holds of this workspace, by the separate program
assent-bolt (docs/graph.md).`,
		Example: `  assent graph
  assent graph --format cypher > memory.cypher
  assent graph --format mermaid --agent scout --only Agent,Capability
  NEO4J_PASSWORD=… assent graph --push bolt://localhost:7687
  assent graph gap "transcribe a recording" --agent scout`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runGraph(cmd.Context(), c, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "write it as `FORMAT`: "+console.Words(graphFormats()))
	complete.Flag(cmd, "format", complete.Fixed(graphFormats()))
	f.StringVar(&o.agent, "agent", "", "only what this `AGENT` knows, may use and did")
	complete.Flag(cmd, "agent", complete.Agents(c))
	f.StringVar(&o.since, "since", "", "only what happened in the last `TIME`, such as 30d, or since a day")
	f.StringSliceVar(&o.only, "only", nil, "only nodes with these `LABELS`, with commas between: "+console.Words(graph.Labels()))
	f.StringVar(&o.push, "push", "", "write it into the graph database at `URI`, such as bolt://localhost:7687")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --push: say how much would be written, but write nothing")
	cmd.MarkFlagsMutuallyExclusive("push", "format")
	cmd.AddCommand(newGraphGap(c), newGraphAgent(c), newGraphSimilar(c), newGraphRate(c))
	return cmd
}

func runGraph(ctx context.Context, c *console.Console, o graphOptions) error {
	if o.format != "" && !slices.Contains(graphFormats(), o.format) {
		return console.Usage("--format %q: one of %s", o.format, console.Words(graphFormats()))
	}
	if o.dryRun && o.push == "" {
		return console.Usage("--dry-run goes with --push")
	}
	if at, host, _ := strings.Cut(o.push, "://"); o.push != "" && (host == "" || !slices.Contains([]string{"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"}, strings.ToLower(at))) {
		return console.Usage("--push %q: want an address such as bolt://localhost:7687 or neo4j+s://HOST", o.push)
	}
	if c.JSON && o.format != "" && o.format != "json" {
		return console.Usage("--json and --format %s exclude each other", o.format)
	}
	var labels []graph.Label
	for _, word := range o.only {
		if !slices.Contains(graph.Labels(), graph.Label(word)) {
			return console.Usage("--only %q: labels are %s", word, console.Words(graph.Labels()))
		}
		labels = append(labels, graph.Label(word))
	}
	g, err := graphNow(ctx, c, o.agent, o.since, memory.MaxTrials)
	if err != nil {
		return err
	}
	if o.agent != "" {
		g = g.Around(graph.AgentID(o.agent))
	}
	if len(labels) > 0 {
		g = g.Only(labels...)
	}
	switch {
	case o.push != "":
		return pushGraph(ctx, c, o, g)
	case c.JSON || o.format == "json":
		return c.Emit(g)
	case o.format == "":
		printGraph(c, g)
		return nil
	}
	text := map[string]func() string{"cypher": g.Cypher, "dot": g.DOT, "mermaid": g.Mermaid}[o.format]()
	if o.format == "mermaid" && (len(text) > 50_000 || len(g.Edges) > 500) {
		c.Complain("%s Mermaid draws no more than 500 edges and 50 000 characters unless it is configured: narrow it down with --only, --agent or --since", c.Style.Warn("note:"))
	}
	if _, err := io.WriteString(c.World.Out, text); err != nil {
		return fmt.Errorf("write the graph: %w", err)
	}
	return nil
}

// graphNow derives the graph of the workspace, with up to so many single trials.
func graphNow(ctx context.Context, c *console.Console, agent, since string, trials int) (graph.Graph, error) {
	cur, err := c.Current(ctx)
	if err != nil {
		return graph.Graph{}, err
	}
	if err := console.CheckAgent(cur, agent); err != nil {
		return graph.Graph{}, err
	}
	want := memory.Wanted{Trials: trials}
	if want.Since, err = sinceOf(since, cur.Now()); err != nil {
		return graph.Graph{}, err
	}
	if want.Agents, err = console.AgentsIn(cur); err != nil {
		return graph.Graph{}, err
	}
	s, problems, err := memory.Read(ctx, cur, want)
	complainTrials(c, problems)
	return graph.Build(s), err
}

// printGraph counts nodes and edges for people.
func printGraph(c *console.Console, g graph.Graph) {
	if len(g.Nodes) == 0 {
		c.Printf("the graph is empty\n")
		return
	}
	nodes, edges := map[graph.Label]int{}, map[string]int{}
	labels := map[string]graph.Label{}
	for _, n := range g.Nodes {
		nodes[n.Label]++
		labels[n.ID] = n.Label
	}
	for _, e := range g.Edges {
		edges[fmt.Sprintf("%s\x00%s\x00%s", labels[e.From], e.Type, labels[e.To])]++
	}
	rows := [][]string{{"NODES", ""}}
	for _, l := range graph.Labels() {
		if nodes[l] > 0 {
			rows = append(rows, []string{fmt.Sprint(nodes[l]), c.Style.Bold(string(l))})
		}
	}
	c.Table(rows)
	rows = [][]string{{"EDGES", "", "", ""}}
	for _, kind := range slices.Sorted(maps.Keys(edges)) {
		rows = append(rows, append([]string{fmt.Sprint(edges[kind])}, strings.Split(kind, "\x00")...))
	}
	c.Printf("\n")
	c.Table(rows)
	c.Progress("assent graph --format FORMAT writes it: one of %s", console.Words(graphFormats()))
}
