package inforce

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
)

type listOptions struct {
	kind, status, group, agent string
	skills                     bool
}

func newList(c *console.Console) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "The capabilities that are in force",
		Long: `List shows every capability as it is in force: what is merged, whatever the worktree
holds. Options narrow it down; all of them must fit.

"Show me your skills" is answered by --skills: what an agent can use, of every kind. A lesson
that it has learned, a text that waits in a proposal, and what is retired or only specified
are no skills.`,
		Example: `  assent list --skills --agent scout
  assent list --kind tool
  assent list --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runList(cmd.Context(), c, o) },
	}
	cmd.Flags().StringVar(&o.kind, "kind", "", "only this `KIND`: "+console.Words(capability.Kinds()))
	cmd.Flags().StringVar(&o.status, "status", "", "only this `STATUS`: "+console.Words(capability.Statuses()))
	cmd.Flags().StringVar(&o.group, "group", "", "only those in skills/`GROUP`/")
	cmd.Flags().StringVar(&o.agent, "agent", "", "only what this `AGENT` may use")
	cmd.Flags().BoolVar(&o.skills, "skills", false, "what can be used: skills, tools, servers and sub-agents that are active or deprecated")
	return cmd
}

// capabilityJSON is one capability in a list.
type capabilityJSON struct {
	Name    string             `json:"name"`
	Kind    capability.Kind    `json:"kind"`
	Version capability.Version `json:"version"`
	Status  capability.Status  `json:"status"`
	Path    string             `json:"path"`
	// Commit on main that last changed the folder.
	Commit      tree.Hash `json:"commit"`
	Description string    `json:"description"`
	Group       string    `json:"group"`
	Category    string    `json:"category"`
	Executable  bool      `json:"executable"`
	SpecOnly    bool      `json:"spec_only"`
	// Health is how a tool or server holds up here (assent health); empty for the rest.
	Health health.State `json:"health,omitempty"`
	// Stopped is set while a human has stopped it (assent stop).
	Stopped *stop.Held `json:"stopped,omitempty"`
}

func runList(ctx context.Context, c *console.Console, o listOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	if err := console.CheckAgent(cur, o.agent); err != nil {
		return err
	}
	unsound := 0
	all, err := cur.Capabilities.Entries(func(e index.Entry) bool {
		if e.Unsound {
			unsound++
		}
		return o.admits(e)
	})
	if err != nil {
		return fmt.Errorf("read the capabilities in force: %w", err)
	}
	out, err := listed(cur, all)
	if err != nil {
		return err
	}
	if err := withHealth(c, cur, out); err != nil {
		return err
	}
	if err := withStops(ctx, cur, out); err != nil {
		return err
	}
	if c.JSON {
		return c.Emit(out)
	}
	if unsound > 0 {
		c.Progress("%s in force cannot be read whole: assent inspect NAME says why", console.Plural(unsound, "capability"))
	}
	printCapabilities(c, out)
	return nil
}

func (o listOptions) check() error {
	if kinds := capability.Kinds(); o.kind != "" && !slices.Contains(kinds, capability.Kind(o.kind)) {
		return console.Usage("unknown kind %q: one of %s", o.kind, console.Words(kinds))
	}
	if statuses := capability.Statuses(); o.status != "" && !slices.Contains(statuses, capability.Status(o.status)) {
		return console.Usage("unknown status %q: one of %s", o.status, console.Words(statuses))
	}
	return nil
}

func (o listOptions) admits(p index.Entry) bool {
	if o.skills && (p.SpecOnly || p.Status != capability.Active && p.Status != capability.Deprecated) {
		return false
	}
	return (o.kind == "" || string(p.Kind) == o.kind) && (o.status == "" || string(p.Status) == o.status) &&
		(o.group == "" || p.Group == o.group) && (o.agent == "" || p.Agents.Admits(o.agent))
}

func listed(cur workspace.Session, all []index.Entry) ([]capabilityJSON, error) {
	var folders []string
	for _, p := range all {
		folders = append(folders, p.Path)
	}
	changed, err := audit.LastChanges(cur.Repo, cur.InForce, folders)
	if err != nil {
		return nil, err
	}
	out := []capabilityJSON{}
	for _, p := range all {
		out = append(out, capabilityJSON{
			Name: p.Name, Kind: p.Kind, Version: p.Version, Status: p.Status, Path: p.Path, Commit: changed[p.Path].Hash,
			Description: p.Description, Group: p.Group, Category: p.Category, Executable: p.Executable, SpecOnly: p.SpecOnly,
		})
	}
	return out, nil
}

func printCapabilities(c *console.Console, list []capabilityJSON) {
	if len(list) == 0 {
		c.Printf("no capabilities\n")
		return
	}
	var rows [][]string
	for _, p := range list {
		version := string(p.Version)
		if p.Version == capability.Unversioned {
			version = "-"
		}
		rows = append(rows, []string{
			c.Style.Bold(console.OneLine(p.Name)), string(p.Kind), version, statusText(c, p.Status) + unwellText(c, p.Health) + stopMark(c, p.Stopped), console.OneLine(p.Group), console.OneLine(p.Description),
		})
	}
	c.Table(rows)
}

// withHealth adds how tools and servers hold up here.
func withHealth(c *console.Console, cur workspace.Session, list []capabilityJSON) error {
	states, err := quarantine.States(cur, workspace.HealthOf(cur))
	if err != nil { // the content in force is known without it
		c.Complain("%s no health: %s", c.Style.Warn("warning:"), console.OneLine(err.Error()))
	}
	for i, p := range list {
		list[i].Health = states[p.Path]
	}
	return nil
}

// unwellText names a health that needs attention.
func unwellText(c *console.Console, s health.State) string {
	if s == "" || s == health.Green || s == health.Pending {
		return ""
	}
	return " (" + stateText(c, s) + ")"
}

// statusText colours a status.
func statusText(c *console.Console, s capability.Status) string {
	switch s {
	case capability.Active:
		return c.Style.Good(string(s))
	case capability.Deprecated, capability.Retired:
		return c.Style.Warn(string(s))
	}
	return string(s)
}
