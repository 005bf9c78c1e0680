package runs

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/notice"
	"github.com/assent-dev/assent/engine/flows/notify"
)

func newNotify(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "notify",
		Short: "Configure who is notified when a review or a task is pending",
		Long: `Notify shows the targets of notify.yaml in your own folder (ASSENT_HOME), and what could
not be delivered. A target is a command, which gets the notice as JSON on standard
input, or a webhook, which gets it by POST with a signature.

Commands that change what a proposal waits for tell targets by themselves, each
person once for each head. Nothing of this is read from a repository. The fields are
in docs/notify.md.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runNotify(c) },
	}
	cmd.AddCommand(newNotifyTest(c), newNotifySend(c))
	return cmd
}

// notifyJSON lists the targets of notices.
type notifyJSON struct {
	File    string       `json:"file"`
	Targets []targetJSON `json:"targets"`
	// Failed are the undelivered notices, Outages the targets that did not take them.
	Failed  []notify.Delivery `json:"failed"`
	Outages []notify.Outage   `json:"outages"`
}

type targetJSON struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"` // command or webhook
	Events []string `json:"events"`
	For    []string `json:"for"`
}

func runNotify(c *console.Console) error {
	box, targets, err := readConfig(c)
	if err != nil {
		return err
	}
	failed, err := box.Failures()
	if err != nil {
		return err
	}
	outages, err := box.Outages(targets)
	if err != nil {
		return err
	}
	out := notifyJSON{
		File: filepath.Join(box.Dir, notify.ConfigFile), Targets: []targetJSON{}, Failed: console.NonNil(failed),
		Outages: console.NonNil(outages),
	}
	for _, t := range targets {
		out.Targets = append(out.Targets, targetJSON{t.Name, kindOf(t), console.NonNil(t.Events), console.NonNil(t.For)})
	}
	if c.JSON {
		return c.Emit(out)
	}
	if len(targets) == 0 {
		c.Printf("no one is notified: %s has no target\n", console.OneLine(out.File))
	}
	var rows [][]string
	for _, t := range out.Targets {
		rows = append(rows, []string{c.Style.Bold(console.OneLine(t.Name)), t.Kind, "events " + listOr(t.Events, "all"), "for " + console.OneLine(listOr(t.For, "everybody"))})
	}
	c.Table(rows)
	for _, o := range outages {
		warnOutage(c, o)
	}
	return nil
}

func kindOf(t notice.Target) string {
	if len(t.Command) > 0 {
		return "command"
	}
	return "webhook"
}

func listOr(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, ", ")
}

// readConfig reads notify.yaml, and returns its findings as an error.
func readConfig(c *console.Console) (notify.Box, []notice.Target, error) {
	box, targets, diags, err := readTargets(c)
	if err == nil && diags.HasErrors() {
		err = console.Findings("no one is notified: "+notify.ConfigFile+" cannot be used", diags)
	}
	return box, targets, err
}

func newNotifyTest(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "test [TARGET]",
		Short: "Send a trial to each target, or to one",
		Long: `Test sends a notice of the event trial and says whether it was taken. It needs no
workspace, and nothing is remembered of it.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runNotifyTest(cmd.Context(), c, args) },
	}
}

func runNotifyTest(ctx context.Context, c *console.Console, only []string) error {
	box, targets, err := readConfig(c)
	if err != nil {
		return err
	}
	done := []notify.Delivery{}
	for _, t := range targets {
		if len(only) > 0 && only[0] != t.Name {
			continue
		}
		d := notify.Delivery{Target: t.Name, Attempts: 1, Notice: notice.Notice{
			V: notice.Version, Event: notice.Trial, Goal: "a trial: nothing waits", Reasons: []string{}, For: []notice.Person{},
			Run: "assent notify", At: c.World.Now().UTC(),
		}}
		if err := notify.Send(ctx, t, d.Notice); err != nil {
			d.Error = err.Error()
		}
		done = append(done, d)
	}
	if len(done) == 0 {
		return console.Usage("no such target in %s: assent notify lists them", notify.ConfigFile)
	}
	for _, d := range done {
		if d.Error != "" {
			c.Complain("%s %s did not take the trial: %s", c.Style.Warn("warning:"), console.OneLine(d.Target), console.OneLine(d.Error))
		}
	}
	return printDelivered(c, box, targets, done)
}

func newNotifySend(c *console.Console) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "send",
		Short: "Send pending notices now, and retry the failed ones",
		Long: `Send sends what no target was told yet, and tries failed notices and failing targets at
once. Other commands try a failing target after a delay that grows up to an hour.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runNotifySend(cmd.Context(), c, dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be sent, but send nothing")
	return cmd
}

func runNotifySend(ctx context.Context, c *console.Console, dryRun bool) error {
	w, err := c.Watch(ctx)
	if err != nil {
		return err
	}
	box, targets, err := readConfig(c)
	if err != nil {
		return err
	}
	done, err := sendNew(ctx, box, targets, w, notify.How{Dry: dryRun, Now: true})
	if err != nil {
		return err
	}
	if dryRun && !c.JSON {
		for _, d := range done {
			c.Printf("%s %s: %s %s\n", c.Style.Warn("would tell"), c.Style.Bold(console.OneLine(d.Target)), d.Notice.Event, console.OneLine(cmp.Or(d.Notice.Proposal, d.Notice.Of)))
		}
		return nil
	}
	return printDelivered(c, box, targets, done)
}

// printDelivered shows the delivery of notices. A failed target is a failure of the environment.
func printDelivered(c *console.Console, box notify.Box, targets []notice.Target, done []notify.Delivery) error {
	if c.JSON {
		if err := c.Emit(console.NonNil(done)); err != nil {
			return err
		}
	} else if len(done) == 0 {
		c.Printf("there is no notice to send\n")
	}
	bad := 0
	for _, d := range done {
		if d.Error != "" {
			bad++
			continue
		}
		if !c.JSON {
			c.Printf("%s %s: %s %s\n", c.Style.Good("notified"), c.Style.Bold(console.OneLine(d.Target)), d.Notice.Event, console.OneLine(cmp.Or(d.Notice.Proposal, d.Notice.Of)))
		}
	}
	trial := len(done) > 0 && done[0].Notice.Event == notice.Trial
	if !trial {
		warnUndelivered(c, box, targets, done)
	}
	if bad > 0 {
		hint := "assent notify test tries a target by itself"
		if trial {
			hint = "mend the target in " + notify.ConfigFile + "; nothing is remembered of a trial"
		}
		return &console.Failure{Code: console.ExitWorld, Err: fmt.Errorf("%s not taken", console.Plural(bad, "notice")), Hint: hint}
	}
	return nil
}
