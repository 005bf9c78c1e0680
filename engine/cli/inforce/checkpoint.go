package inforce

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

type checkpointOptions struct {
	file, key   string
	checkpoints []string
	dryRun      bool
}

func newCheckpoint(c *console.Console) *cobra.Command {
	o := checkpointOptions{file: "-"}
	cmd := &cobra.Command{
		Use:   "checkpoint [FILE | -]",
		Short: "Sign where the record ends now, to keep elsewhere",
		Long: `Checkpoint verifies the whole record and writes a signed note of where it ends: main,
what is in force, and the last event of every journal. Keep it where whoever can write
to the repository cannot. Given to assent audit verify, it is a witness that nothing it
saw was dropped, reordered, rolled back or forged since.

A record that does not hold is not signed. A file that is there is never replaced.`,
		Example: `  assent audit checkpoint ~/kept/$(date +%F).checkpoint
  assent audit checkpoint > /media/stick/assent.checkpoint`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.file = args[0]
			}
			return runCheckpoint(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVar(&o.key, "key", "", "sign with the SSH key in `FILE`, or with the ssh-agent's (agent)")
	cmd.Flags().StringArrayVar(&o.checkpoints, "checkpoint", nil, "first hold the record against the older checkpoint in `FILE`; can be given several times")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "verify and tell what would be signed, but sign and write nothing")
	return cmd
}

// checkpointJSON is a checkpoint that was taken.
type checkpointJSON struct {
	checkpoint.Checkpoint
	// File that was written; "-" when Text is all there is.
	File string             `json:"file"`
	By   string             `json:"by"`
	Key  review.Fingerprint `json:"key"`
	// Text is the signed checkpoint itself; empty in a dry run, or when it is in File.
	Text   string `json:"text,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"`
}

func runCheckpoint(ctx context.Context, c *console.Console, o checkpointOptions) error {
	witnesses, err := readWitnesses(ctx, c, o.checkpoints)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(o.file); o.file != "-" && !errors.Is(err, fs.ErrNotExist) {
		return console.Refused("name another file: an earlier checkpoint is evidence, too", "%s is there already", o.file)
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	signer, err := console.OwnSigner(c, cur, o.key)
	if err != nil {
		return err
	}
	defer signer.Close()
	out := checkpointJSON{File: o.file, Key: signer.Fingerprint(), DryRun: o.dryRun}
	if out.By, err = witnessName(cur, out.Key); err != nil {
		return err
	}
	res, point, err := audit.Checkpoint(ctx, cur.Workspace, verifyProgress(c), witnesses...)
	if err != nil {
		return err
	}
	if res.Broken != nil {
		if c.JSON {
			return console.Refused(res.Broken.Fix, "the record does not hold [%s], so it is not signed: %s", res.Broken.Rule, res.Broken.Reason)
		}
		return printBroken(c, res)
	}
	out.Checkpoint = point
	if o.dryRun {
		return printCheckpoint(c, cur.Workspace, out)
	}
	text, err := checkpoint.Sign(point, signer)
	if err != nil {
		return fmt.Errorf("sign the checkpoint: %w", err)
	}
	if o.file == "-" {
		out.Text = string(text)
	} else if err := writeOnce(o.file, text); err != nil {
		return fmt.Errorf("write the checkpoint: %w", err)
	}
	return printCheckpoint(c, cur.Workspace, out)
}

// witnessName returns the human with the key; checkpoints by others are not accepted.
func witnessName(cur workspace.Session, key review.Fingerprint) (string, error) {
	id, known := cur.Policies.Roles.ByKey(key)
	if !known || id.Kind != policy.KindHuman {
		return "", console.Refused("assent keys lists the keys that count; name one of a human with --key",
			"the key %s is that of no human in %s, so the checkpoint would not count", key, policy.RolesFile)
	}
	return id.Name, nil
}

// writeOnce writes a file that is not there yet, and has it on the disk when it
// returns nil.
func writeOnce(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		os.Remove(file)
	}
	return err
}

func printCheckpoint(c *console.Console, w *workspace.Workspace, out checkpointJSON) error {
	if c.JSON {
		return c.Emit(out)
	}
	if out.Text != "" {
		c.Printf("%s", out.Text)
		return nil
	}
	said := c.Style.Good("signed by " + console.OneLine(out.By) + ":")
	if out.DryRun {
		said = c.Style.Warn("dry run: nothing is signed;")
	}
	c.Printf("%s main at %s, %s, %s\n", said, out.Main.Short(), console.Plural(out.Commits, "commit"), console.Plural(len(out.Journals), "journal")+" and "+console.Plural(len(out.Folds), "line")+" of folded ones")
	if !out.DryRun {
		c.Field("file", console.OneLine(out.File))
	}
	if root := w.Repo.Root(); root != "" && out.File != "-" && console.Inside(root, out.File) {
		c.Field("note", c.Style.Warn("keep it elsewhere: anyone who writes to this repository can replace it"))
	}
	return nil
}
