package inforce

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/workspace"
)

type stopOptions struct {
	reason, key        string
	length             time.Duration
	lift, list, dryRun bool
}

func newStop(c *console.Console) *cobra.Command {
	o := stopOptions{length: stop.Default}
	cmd := &cobra.Command{
		Use:   "stop NAME | --list",
		Short: "Stop a capability everywhere at once, for some days",
		Long: `Stop signs a record, with the key of one human, that takes a capability out of use:
calls are refused with exit code 3, also from composed tools, and assent cat does not
print it. The record works here at once, and elsewhere when assent push published it and
others pulled it. It changes nothing that is in force.

A stop ends by itself, after 72 hours unless --for says otherwise, at most 14 days. While
a proposal that changes or deletes the capability is open, it holds for up to 90 days, if
that was opened before the stop ended. One human stops a capability for at most 14 of 28
days; for longer, a proposal is needed. Any human lifts a stop.`,
		Example: `  assent stop send-email --reason "it sends to the wrong list"
  assent stop send-email --reason "being repaired" --for 240h
  assent stop --lift send-email --reason "repaired by fix-send-email-k3v9q2mt"
  assent stop --list`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: complete.First(complete.Names(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.list {
				return runStopList(cmd, c, args)
			}
			if len(args) == 0 {
				return console.Usage("stop what? assent list shows what is in force, assent stop --list what is stopped")
			}
			if o.lift && cmd.Flags().Changed("for") {
				return console.Usage("--for says how long a stop holds; --lift ends one")
			}
			return runStop(cmd.Context(), c, o, args[0])
		},
	}
	cmd.Flags().StringVarP(&o.reason, "reason", "m", "", "why, in one `LINE`; needed")
	cmd.Flags().DurationVar(&o.length, "for", stop.Default, "how `LONG` the stop holds, such as 72h")
	cmd.Flags().StringVar(&o.key, "key", "", "sign with the SSH key in `FILE`, or with the ssh-agent's (agent)")
	cmd.Flags().BoolVar(&o.lift, "lift", false, "lift the stops of NAME instead")
	cmd.Flags().BoolVar(&o.list, "list", false, "list the stops that hold, and the records without effect")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be stopped or lifted, but sign nothing")
	return cmd
}

// stopJSON is a record that was signed, or would be.
type stopJSON struct {
	ID         string        `json:"id"` // empty in a dry run
	Capability string        `json:"capability"`
	Decision   stop.Decision `json:"decision"`
	By         string        `json:"by"`
	Reason     string        `json:"reason"`
	At         time.Time     `json:"at"`
	Until      time.Time     `json:"until"`
	Lifts      []string      `json:"lifts"`
	// Holds reports whether a stop has an effect. Proposal is the open proposal that it takes
	// its effect from, if the human's own time is used up.
	Holds    bool   `json:"holds"`
	Proposal string `json:"proposal,omitempty"`
	Why      string `json:"why,omitempty"`
	DryRun   bool   `json:"dry_run,omitempty"`
}

func runStop(ctx context.Context, c *console.Console, o stopOptions, arg string) error {
	if err := stop.CheckReason(o.reason); err != nil {
		return console.Usage("--%v", err)
	}
	if o.length < time.Second || o.length > stop.Longest {
		return console.Usage("--for %s: a stop holds for at least a second and at most %s", o.length, stop.Longest)
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	before, err := cur.Stops(ctx)
	if err != nil {
		return err
	}
	name, err := stoppable(cur, before, o, arg)
	if err != nil {
		return err
	}
	r, err := stopRecordOf(cur, before, o, name)
	if err != nil {
		return err
	}
	signer, who, err := console.HumanSigner(c, cur, o.key)
	if err != nil {
		return err
	}
	defer signer.Close()
	out := stopJSON{Capability: name, Decision: r.Decision, By: who.Name, Reason: r.Reason, At: r.At, Until: r.Until, Lifts: r.Lifts, DryRun: o.dryRun}
	signed, err := stop.Sign(r, signer)
	if err != nil {
		return err
	}
	after, err := cur.StopsWith(ctx, signed)
	if err != nil {
		return err
	}
	out.judged(signed.ID, after)
	if !o.dryRun {
		if err := cur.StopRecords().File(signed); err != nil {
			return err
		}
		if _, err := cur.Stops(ctx); err != nil { // which remembers it
			return err
		}
		out.ID = signed.ID
	}
	return printStop(c, cur.Workspace, out)
}

// stoppable returns the folded name of the capability to stop or lift. A stopped one that is no
// longer in force can still be lifted.
func stoppable(cur workspace.Session, before stop.Judged, o stopOptions, arg string) (string, error) {
	if _, held := before.Of(names.Fold(arg)); o.lift && held {
		return names.Fold(arg), nil
	}
	folder, err := console.CapabilityNamed(cur, arg)
	if err != nil {
		return "", err
	}
	name := names.Fold(folder.Name)
	if _, held := before.Of(name); o.lift && !held {
		return "", console.Refused("assent stop --list shows what is stopped", "%s is not stopped", folder.Name)
	}
	return name, nil
}

func stopRecordOf(cur workspace.Session, before stop.Judged, o stopOptions, name string) (stop.Record, error) {
	drawn, err := console.Nonce(cur.Workspace)
	if err != nil {
		return stop.Record{}, err
	}
	at := cur.Now().UTC().Truncate(time.Second)
	r := stop.Record{
		V: stop.Version, Workspace: cur.Genesis, Capability: name, Decision: stop.Stop, Reason: o.reason,
		At: at, Until: at.Add(o.length.Truncate(time.Second)), Lifts: []string{}, Nonce: drawn,
	}
	if o.lift {
		r.Decision, r.Until = stop.Lift, at
		for _, h := range before.Held {
			if h.Capability == name {
				r.Lifts = append(r.Lifts, h.ID)
			}
		}
		slices.Sort(r.Lifts)
	}
	return r, nil
}

// judged adds the effect of the record.
func (out *stopJSON) judged(id string, j stop.Judged) {
	for _, h := range j.Held {
		if h.ID == id {
			out.Holds, out.Until, out.Proposal = true, h.Until, h.Proposal
		}
	}
	for _, i := range j.Ignored {
		if i.ID == id {
			out.Why = i.Why
		}
	}
}

func printStop(c *console.Console, w *workspace.Workspace, out stopJSON) error {
	if c.JSON {
		return c.Emit(out)
	}
	until := console.OneLine(untilOf(stop.Held{Until: out.Until, Proposal: out.Proposal}))
	if out.DryRun {
		c.Printf("%s\n", c.Style.Warn("dry run: nothing is signed"))
	}
	switch {
	case out.DryRun && out.Decision == stop.Lift:
		c.Printf("%s %s, by %s\n", c.Style.Good("would lift the stops of"), console.OneLine(out.Capability), console.OneLine(out.By))
	case out.Decision == stop.Lift:
		c.Printf("%s %s, by %s\n", c.Style.Good("lifted"), console.OneLine(out.Capability), console.OneLine(out.By))
	case out.Holds && out.DryRun:
		c.Printf("%s %s, by %s %s\n", c.Style.Warn("would stop"), c.Style.Bold(console.OneLine(out.Capability)), console.OneLine(out.By), until)
	case out.Holds:
		c.Printf("%s %s, by %s %s\n", c.Style.Warn("stopped"), c.Style.Bold(console.OneLine(out.Capability)), console.OneLine(out.By), until)
	default:
		c.Printf("%s %s: %s\n", c.Style.Warn("without effect:"), console.OneLine(out.Capability), console.OneLine(out.Why))
		c.Field("next", "open a proposal that changes it; another human can stop it too")
	}
	c.Field("reason", console.OneLine(out.Reason))
	if !out.DryRun && console.HasRemote(w) {
		c.Field("next", "assent push publishes it; others obey once they pulled it")
	}
	return nil
}

func runStopList(cmd *cobra.Command, c *console.Console, args []string) error {
	for _, flag := range []string{"lift", "reason", "for", "key"} {
		if cmd.Flags().Changed(flag) {
			return console.Usage("--list takes no --%s", flag)
		}
	}
	if len(args) > 0 {
		return console.Usage("--list takes no name")
	}
	cur, err := c.Current(cmd.Context())
	if err != nil {
		return err
	}
	j, err := cur.Stops(cmd.Context())
	if err != nil {
		return err
	}
	if c.JSON {
		return c.Emit(j)
	}
	if len(j.Held) == 0 {
		c.Printf("nothing is stopped\n")
	}
	for _, h := range j.Held {
		c.Printf("%s  %s\n", c.Style.Bold(console.OneLine(h.Capability)), c.Style.Warn("stopped by "+console.OneLine(h.By)+" "+untilOf(h)))
		c.Field("reason", console.OneLine(h.Reason))
		c.Field("record", h.ID)
	}
	for _, i := range j.Ignored {
		c.Printf("%s %s\n", c.Style.Dim("without effect:"), console.OneLine(strings.TrimSpace(i.Capability+" "+i.ID)+": "+i.Why))
	}
	return nil
}

func untilOf(h stop.Held) string {
	if h.Proposal != "" {
		return "while " + h.Proposal + " is open"
	}
	return "until " + h.Until.UTC().Format(time.RFC3339)
}
