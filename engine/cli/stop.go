package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

type stopOptions struct {
	reason, key        string
	length             time.Duration
	lift, list, dryRun bool
}

func newStop(c *console) *cobra.Command {
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
		ValidArgsFunction: first(c.names),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.list {
				return runStopList(cmd, c, args)
			}
			if len(args) == 0 {
				return usage("stop what? assent list shows what is in force, assent stop --list what is stopped")
			}
			if o.lift && cmd.Flags().Changed("for") {
				return usage("--for says how long a stop holds; --lift ends one")
			}
			return runStop(cmd.Context(), c, o, args[0])
		},
	}
	cmd.Flags().StringVar(&o.reason, "reason", "", "why, in one `LINE`; needed")
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
	// Holds says whether a stop has an effect; of a human whose time is used up it has one
	// only while a proposal is open.
	Holds  bool   `json:"holds"`
	Why    string `json:"why,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"`
}

func runStop(ctx context.Context, c *console, o stopOptions, arg string) error {
	if err := stop.CheckReason(o.reason); err != nil {
		return usage("--%v", err)
	}
	if o.length < time.Second || o.length > stop.Longest {
		return usage("--for %s: a stop holds for at least a second and at most %s", o.length, stop.Longest)
	}
	cur, err := c.current(ctx)
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
	signer, who, err := c.human(cur, o.key)
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
		if err := cur.FileStop(signed); err != nil {
			return err
		}
		if _, err := cur.Stops(ctx); err != nil { // which remembers it
			return err
		}
		out.ID = signed.ID
	}
	return c.stopDone(cur.Workspace, out)
}

// human opens the key that signs, which has to be one of a human in force.
func (c *console) human(cur workspace.Session, spec string) (*keys.Signer, policy.Identity, error) {
	signer, err := c.signer(cur.Workspace, spec)
	if err != nil {
		return nil, policy.Identity{}, err
	}
	err = c.ownKey(cur, signer)
	who, known := cur.Policies.Roles.ByKey(signer.Fingerprint())
	if err == nil && (!known || !cur.Policies.Roles.Satisfies(who, policy.Human) || who.Expired(cur.Now())) {
		err = refused("assent keys lists the keys that count; name one of a human with --key",
			"the key %s is that of no human in %s, so nobody would obey the record", signer.Fingerprint(), policy.RolesFile)
	}
	if err != nil {
		_ = signer.Close() // nothing was signed with it
		return nil, who, err
	}
	return signer, who, nil
}

// nonce draws what tells equal records apart.
func nonce(w *workspace.Workspace) (string, error) {
	var drawn [16]byte
	random := w.Random
	if random == nil {
		random = rand.Reader
	}
	if _, err := io.ReadFull(random, drawn[:]); err != nil {
		return "", fmt.Errorf("draw a nonce: %w", err)
	}
	return hex.EncodeToString(drawn[:]), nil
}

// stoppable is the folded name of what is stopped or lifted. What is stopped may have left
// what is in force since, and can be lifted all the same.
func stoppable(cur workspace.Session, before stop.Judged, o stopOptions, arg string) (string, error) {
	if _, held := before.Of(names.Fold(arg)); o.lift && held {
		return names.Fold(arg), nil
	}
	folder, err := capabilityNamed(cur, arg)
	if err != nil {
		return "", err
	}
	name := names.Fold(folder.Name)
	if _, held := before.Of(name); o.lift && !held {
		return "", refused("assent stop --list shows what is stopped", "%s is not stopped", folder.Name)
	}
	return name, nil
}

func stopRecordOf(cur workspace.Session, before stop.Judged, o stopOptions, name string) (stop.Record, error) {
	drawn, err := nonce(cur.Workspace)
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

// judged says what the record comes to.
func (out *stopJSON) judged(id string, j stop.Judged) {
	for _, h := range j.Held {
		if h.ID == id {
			out.Holds, out.Until = true, h.Until
		}
	}
	for _, i := range j.Ignored {
		if i.ID == id {
			out.Why = i.Why
		}
	}
}

func (c *console) stopDone(w *workspace.Workspace, out stopJSON) error {
	if c.json {
		return c.emit(out)
	}
	if out.DryRun {
		c.printf("%s\n", c.style.warn("dry run: nothing is signed"))
	}
	switch {
	case out.DryRun && out.Decision == stop.Lift:
		c.printf("%s %s, by %s\n", c.style.good("would lift the stops of"), oneLine(out.Capability), oneLine(out.By))
	case out.Decision == stop.Lift:
		c.printf("%s %s, by %s\n", c.style.good("lifted"), oneLine(out.Capability), oneLine(out.By))
	case out.Holds && out.DryRun:
		c.printf("%s %s, by %s until %s\n", c.style.warn("would stop"), c.style.bold(oneLine(out.Capability)), oneLine(out.By), out.Until.Format(time.RFC3339))
	case out.Holds:
		c.printf("%s %s, by %s until %s\n", c.style.warn("stopped"), c.style.bold(oneLine(out.Capability)), oneLine(out.By), out.Until.Format(time.RFC3339))
	default:
		c.printf("%s %s: %s\n", c.style.warn("without effect:"), oneLine(out.Capability), oneLine(out.Why))
		c.field("next", "open a proposal that changes it; another human can stop it too")
	}
	c.field("reason", oneLine(out.Reason))
	if !out.DryRun && hasRemote(w) {
		c.field("next", "assent push publishes it; others obey once they pulled it")
	}
	return nil
}

func runStopList(cmd *cobra.Command, c *console, args []string) error {
	for _, flag := range []string{"lift", "reason", "for", "key"} {
		if cmd.Flags().Changed(flag) {
			return usage("--list takes no --%s", flag)
		}
	}
	if len(args) > 0 {
		return usage("--list takes no name")
	}
	cur, err := c.current(cmd.Context())
	if err != nil {
		return err
	}
	j, err := cur.Stops(cmd.Context())
	if err != nil {
		return err
	}
	if c.json {
		return c.emit(j)
	}
	if len(j.Held) == 0 {
		c.printf("nothing is stopped\n")
	}
	for _, h := range j.Held {
		c.printf("%s  %s\n", c.style.bold(oneLine(h.Capability)), c.style.warn("stopped by "+oneLine(h.By)+" "+untilOf(h)))
		c.field("reason", oneLine(h.Reason))
		c.field("record", h.ID)
	}
	for _, i := range j.Ignored {
		c.printf("%s %s\n", c.style.dim("without effect:"), oneLine(strings.TrimSpace(i.Capability+" "+i.ID)+": "+i.Why))
	}
	return nil
}

func untilOf(h stop.Held) string {
	if h.Proposal != "" {
		return "while " + h.Proposal + " is open"
	}
	return "until " + h.Until.UTC().Format(time.RFC3339)
}
