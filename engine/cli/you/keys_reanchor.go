package you

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

type reanchorOptions struct {
	name, reason, key, accept string
	dryRun                    bool
}

func newKeysReanchor(c *console.Console) *cobra.Command {
	var o reanchorOptions
	cmd := &cobra.Command{
		Use:   "reanchor NAME --key FILE --reason TEXT | --accept FINGERPRINT",
		Short: "Go on under a new key after every human lost every key",
		Long: `Reanchor commits to main that every key of a human is revoked and that the key in FILE,
as a key of NAME, is the only one. Nothing can prove that this is right. So it is in
force here, and on no other machine until somebody there accepts it: each user asks NAME
for the fingerprint by another way than the repository, and runs --accept with it. Until
then their clones keep what is in force, new ones stop with exit code 3, and all say so.
The commit stays in history, and assent audit verify names it for ever.

Where policies/roles.yaml in force cannot be read, it goes on from the last one that
could. The key may then be one that NAME had.`,
		Example: `  assent keys reanchor ada --key ~/.assent/keys/new --reason "the safe burned with every key"
  assent keys reanchor --accept SHA256:…`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = strings.Join(args, "")
			return runReanchor(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVar(&o.accept, "accept", "", "accept the re-anchor by the key with this `FINGERPRINT`, on this machine")
	cmd.Flags().StringVarP(&o.reason, "reason", "m", "", "why, in one `LINE`")
	cmd.Flags().StringVar(&o.key, "key", "", "sign with the SSH key in `FILE`, which becomes the only one")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would come of it, but write nothing")
	return cmd
}

// reanchorJSON is a re-anchor that was made or accepted, or would be.
type reanchorJSON struct {
	Workspace tree.Hash `json:"workspace"`
	workspace.Reanchor
	Accepted bool `json:"accepted"` // it existed, and was accepted here
	DryRun   bool `json:"dry_run,omitempty"`
}

func runReanchor(ctx context.Context, c *console.Console, o reanchorOptions) error {
	if agent := c.World.Getenv("ASSENT_AGENT"); agent != "" {
		return console.Refused("a person does it, without ASSENT_AGENT in the environment", "you act as the agent %s", console.OneLine(agent))
	}
	making := o.name+o.key+o.reason != ""
	switch {
	case making == (o.accept != ""):
		return console.Usage("name a human with --key and --reason to re-anchor, or --accept FINGERPRINT alone to accept another person's re-anchor")
	case !making:
		return acceptReanchor(ctx, c, o)
	case o.name == "" || o.key == "":
		return console.Usage("whose key is the new one? assent keys reanchor NAME --key FILE --reason TEXT")
	}
	if err := stop.CheckReason(o.reason); err != nil {
		return console.Usage("--%v", err)
	}
	return makeReanchor(ctx, c, o)
}

func makeReanchor(ctx context.Context, c *console.Console, o reanchorOptions) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	if len(cur.Blocked) > 0 {
		return console.Refused(cur.Blocked[0].Remedy(), "main is past the commit in force, at %s: a re-anchor must follow the commit in force", cur.Blocked[0].Commit.Short())
	}
	last, err := workspace.FindLastRoles(cur)
	if errors.Is(err, workspace.ErrNoRoles) {
		return console.Refused("use the version of assent that could read it", "%s", err)
	}
	if err != nil {
		return err
	}
	roles := last.Roles
	if id, known := roles.ByName(o.name); !known || !roles.Satisfies(id, policy.Human) {
		return console.Refused("assent keys lists the humans", "%s is no human in %s: only one who was can go on", console.OneLine(o.name), policy.RolesFile)
	}
	signer, err := console.SignerOf(c, cur, o.key)
	if err != nil {
		return err
	}
	defer signer.Close()
	if err := console.Attended(c, cur, signer); err != nil {
		return err
	}
	if id, _, revoked := roles.RevokedKey(signer.Fingerprint()); revoked {
		return console.Refused("make a new one: assent keys new NAME", "the key %s was one of %s and is revoked", signer.Fingerprint(), id.Name)
	}
	if id, known := roles.ByKey(signer.Fingerprint()); known && (last.Commit == cur.InForce || id.Name != o.name) {
		return console.Refused("with it, change the roles by a proposal: assent keys revoke, assent roles add", "the key %s is one of %s: it is not lost", signer.Fingerprint(), id.Name)
	}
	now := cur.Now()
	text, err := last.Reanchored(o.name, signer.PublicKey(), o.reason, now)
	if errors.Is(err, policy.ErrByHand) {
		return console.Refused("write each identity of "+policy.RolesFile+" as docs/gate.md shows", "%s", err)
	}
	if err != nil {
		return err
	}
	out := reanchorJSON{Workspace: cur.Genesis, DryRun: o.dryRun, Reanchor: workspace.Reanchor{Key: signer.Fingerprint(), By: o.name, Reason: o.reason, At: now.UTC()}}
	if o.dryRun {
		return printReanchored(c, cur.Workspace, out)
	}
	who := console.Acting(c, cur)
	if out.Commit, err = workspace.MakeReanchor(cur, text, o.reason, signer, gitstore.Person{Name: o.name, Email: who.Email, When: now}); err != nil {
		return err
	}
	if _, err := cur.Repo.RefreshWorktree(cur.Main, out.Commit); err != nil {
		c.Complain("the checkout was not refreshed: %v", err)
	}
	after, err := cur.Session(ctx)
	if err != nil {
		return err
	}
	if after.InForce != out.Commit {
		return console.Refused("git reset --keep HEAD^ takes it back; report this", "the re-anchor %s is not in force", out.Commit.Short())
	}
	return printReanchored(c, cur.Workspace, out)
}

// acceptReanchor accepts the re-anchor that main waits for, if it is by the key that was named.
func acceptReanchor(ctx context.Context, c *console.Console, o reanchorOptions) error {
	cur, err := c.Looked(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(cur.Blocked, func(b attest.Unattested) bool { return b.Reanchor != "" })
	if at < 0 {
		return console.Refused("assent status shows what is in force", "main waits for no re-anchor to be accepted")
	}
	commit, err := cur.Repo.Commit(cur.Blocked[at].Commit)
	if err != nil {
		return err
	}
	r, is, err := cur.ReanchorOf(cur.Standing, commit)
	if err != nil {
		return err
	}
	//defence:re-anchors-are-named-by-key
	if !is || r.Key != review.Fingerprint(o.accept) {
		return console.Refused("if they differ, this is an attack: do not accept it, and warn the others", "the re-anchor %s is by the key %s, and you named %s", r.Commit.Short(), r.Key, console.OneLine(o.accept))
	}
	out := reanchorJSON{Workspace: cur.Genesis, Reanchor: r, Accepted: true, DryRun: o.dryRun}
	if !o.dryRun {
		if err := keys.Accept(cur.ID(), r.Commit); err != nil {
			return err
		}
		if _, err := cur.Session(ctx); err != nil {
			return err
		}
	}
	return printReanchored(c, cur.Workspace, out)
}

func printReanchored(c *console.Console, w *workspace.Workspace, out reanchorJSON) error {
	if c.JSON {
		return c.Emit(out)
	}
	if out.DryRun {
		c.Printf("%s\n", c.Style.Warn("dry run: nothing is written"))
	}
	verb := "re-anchored:"
	if out.Accepted {
		verb = "re-anchor accepted on this machine:"
	}
	c.Printf("%s the only key of a human is %s, of %s\n", c.Style.Warn(verb), out.Key, console.OneLine(out.By))
	c.Field("reason", console.OneLine(out.Reason))
	if !out.Commit.IsZero() {
		c.Field("commit", out.Commit.String())
	}
	if !out.Accepted {
		next := "give everybody the fingerprint by another way than the repository: they run assent keys reanchor --accept " + names.ShellWord(string(out.Key))
		if console.HasRemote(w) {
			next = "assent push; then " + next
		}
		c.Field("next", next)
	}
	return nil
}
