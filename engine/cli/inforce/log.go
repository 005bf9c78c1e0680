package inforce

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

type logOptions struct {
	thing string
	limit int
}

// logLength is the default number of commits shown.
const logLength = 20

func newLog(c *console.Console) *cobra.Command {
	var o logOptions
	cmd := &cobra.Command{
		Use:   "log [ID | NAME | PATH]",
		Short: "What came into force when, by which proposal and whose approval",
		Long: `Log reads main's history, newest first: what each commit brought, how risky it was,
who approved it, and whether it is in force. With a capability's NAME or a governed
PATH it shows the commits that changed that; with a proposal's ID, everything that
was said and done on the proposal, oldest first.

Log repeats what the commits say; assent audit verify proves it.`,
		Example: `  assent log -n 5
  assent log parse-csv
  assent log soul/scout`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.limit < 0 {
				return console.Usage("-n %d: want a number of commits, 0 for all", o.limit)
			}
			if len(args) == 1 {
				o.thing = args[0]
			}
			return runLog(cmd.Context(), c, o)
		},
	}
	cmd.Flags().IntVarP(&o.limit, "number", "n", logLength, "show at most `N` commits, 0 for all")
	return cmd
}

// logJSON is the journal of one proposal; without an ID, log prints an array of entries of package
// audit.
type logJSON struct {
	ID     string         `json:"id"`
	State  string         `json:"state"`
	Events []output.Event `json:"events"`
}

func runLog(ctx context.Context, c *console.Console, o logOptions) error {
	w, err := c.Open()
	if err != nil {
		return err
	}
	cur, _, err := w.Look(ctx)
	if err != nil {
		return err
	}
	var pick func(gitstore.Commit) (bool, error)
	if o.thing != "" {
		path, err := thingPath(cur, o.thing)
		if err != nil {
			pull, none := propose.Resolve(ctx, w, o.thing)
			if none == nil {
				return printJournal(ctx, c, w, pull)
			}
			if errors.Is(none, forge.ErrNotFound) {
				return err
			}
			return none
		}
		if pick, err = changing(cur, path, o.thing); err != nil {
			return err
		}
	}
	log, err := audit.Log(ctx, cur, o.limit, pick)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.Emit(log)
	}
	for _, e := range log {
		printEntry(c, e)
	}
	return nil
}

// thingPath returns the path for a capability's name or a governed path.
func thingPath(cur workspace.Session, thing string) (string, error) {
	if names.Governed(thing) {
		return strings.TrimSuffix(thing, "/"), nil
	}
	folder, err := console.CapabilityNamed(cur, thing)
	return folder.Path, err
}

// changing selects the commits that changed path, including those after the commit in force.
func changing(cur workspace.Session, path, thing string) (func(gitstore.Commit) (bool, error), error) {
	commits, err := audit.Changing(cur.Repo, cur.Main, path)
	if err != nil {
		return nil, err
	}
	if len(commits) == 0 {
		return nil, &console.Failure{Code: console.ExitUsage, Err: console.Unknown("file or folder", thing, "in main's history"), Hint: "assent list shows what is in force"}
	}
	touched := map[tree.Hash]bool{}
	for _, h := range commits {
		touched[h] = true
	}
	return func(c gitstore.Commit) (bool, error) { return touched[c.Hash], nil }, nil
}

func printJournal(ctx context.Context, c *console.Console, w *workspace.Workspace, pull forge.Pull) error {
	activity, err := w.Record.Activity(ctx, pull.ID)
	if err != nil {
		return err
	}
	out := logJSON{ID: pull.ID, State: string(pull.State), Events: output.EventsOf(activity, nil)}
	if c.JSON {
		return c.Emit(out)
	}
	c.Printf("%s  %s\n", c.Style.Bold(console.OneLine(pull.ID)), c.Style.State(out.State))
	printEvents(c, out.Events)
	return nil
}

// printEvents shows a conversation, one line for each event.
func printEvents(c *console.Console, events []output.Event) {
	for _, e := range events {
		text := e.What
		if e.Text != "" {
			text += ": " + e.Text
		}
		c.Printf("%s  %s %s\n", c.Style.Dim(e.At.Local().Format("2006-01-02 15:04")), c.Style.Bold(console.OneLine(e.By)), console.OneLine(text))
	}
}

// printEntry shows one commit of main.
func printEntry(c *console.Console, e audit.Entry) {
	mark := ""
	switch {
	case !e.InForce && e.Kind != audit.Before:
		mark = "  " + c.Style.Bad("not in force")
	case e.Kind == audit.Direct:
		mark = "  " + c.Style.Warn("past the gate, settled since")
	}
	c.Printf("%s  %s  %s%s\n", c.Style.Dim(e.At.Local().Format("2006-01-02 15:04")), e.Commit.Short(), c.Style.Bold(console.OneLine(e.Subject)), mark)
	var facts []string
	if e.Proposal != "" {
		facts = append(facts, "proposal "+e.Proposal, "by "+e.Agent, e.Risk+" risk")
		if len(e.Approvers) > 0 {
			facts = append(facts, "approved by "+strings.Join(e.Approvers, ", "))
		} else {
			facts = append(facts, "needed no approval")
		}
	} else {
		facts = append(facts, "by "+e.Author)
	}
	c.Printf("    %s\n", console.OneLine(strings.Join(facts, ", ")))
	if e.Why != "" {
		c.Printf("    %s\n", c.Style.Dim("why: "+console.OneLine(e.Why)))
	}
}
