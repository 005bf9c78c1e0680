package you

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

func newKeysAudit(c *console.Console) *cobra.Command {
	from := ""
	cmd := &cobra.Command{
		Use:   "audit NAME | FINGERPRINT",
		Short: "List the merges in force that a key signed, and which need it",
		Long: `Audit judges every merge again, with and without the signatures of one key, of NAME the
revoked one, else the only one. It lists
the merges that the key approved or attested, what of them is still in force, and whether
they would pass without the key. The exit code is 1 if a merge at or after --from needs
the key, nobody settled that (assent keys reapprove), and something of it is in force; for a revoked key, --from is what the revocation
says, else the beginning. The date of a merge is what the merger wrote: a thief can write
an earlier one, so all merges are listed.`,
		Example: `  assent keys audit SHA256:…
  assent keys audit bob --from 2026-11-01 --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(identities(c)),
		RunE:              func(cmd *cobra.Command, args []string) error { return runKeysAudit(cmd.Context(), c, from, args[0]) },
	}
	cmd.Flags().StringVar(&from, "from", "", "since `WHEN` the key is in doubt: 2026-11-01 or 2026-11-01T09:30:00Z")
	return cmd
}

// keysAuditJSON lists what a key signed.
type keysAuditJSON struct {
	Key  review.Fingerprint `json:"key"`
	Name string             `json:"name"` // empty if no identity lists the key
	// From is the moment since which merges are in doubt; zero is the beginning.
	From   time.Time      `json:"from"`
	Merges []keyMergeJSON `json:"merges"`
	// Doubtful counts merges in doubt that need the key, that were neither approved again nor
	// excepted, and that are at least partly in force.
	Doubtful int `json:"doubtful"`
}

type keyMergeJSON struct {
	audit.Relied
	InDoubt bool `json:"in_doubt"`
}

func runKeysAudit(ctx context.Context, c *console.Console, from, arg string) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	out := keysAuditJSON{Merges: []keyMergeJSON{}}
	if out.Name, out.Key, out.From, err = keyToAudit(cur.Policies.Roles, arg); err != nil {
		return err
	}
	if from != "" {
		if out.From, err = revokedFrom(cur.Workspace, from); err != nil {
			return err
		}
	}
	relied, err := audit.ReliedOn(ctx, cur.Workspace, out.Key, nil)
	if err != nil {
		return err
	}
	for _, r := range relied {
		m := keyMergeJSON{Relied: r, InDoubt: !r.At.Before(out.From)}
		if m.InDoubt && m.Open() && m.Remains() {
			out.Doubtful++
		}
		out.Merges = append(out.Merges, m)
	}
	if c.JSON {
		err = c.Emit(out)
	} else {
		printAudit(c, out, func(m keyMergeJSON) string { return waysFor(ctx, cur, m) })
	}
	if err == nil && out.Doubtful > 0 {
		return console.Quiet(console.ExitFindings)
	}
	return err
}

// keyToAudit finds a key, in use, revoked, or given only by its fingerprint. A name means its only
// revoked key, else its only key.
func keyToAudit(roles policy.Roles, arg string) (name string, key review.Fingerprint, from time.Time, err error) {
	key = review.Fingerprint(arg)
	if id, rev, revoked := roles.RevokedKey(key); revoked {
		return id.Name, key, rev.From, nil
	}
	if id, known := roles.ByKey(key); known {
		return id.Name, key, time.Time{}, nil
	}
	if strings.HasPrefix(arg, "SHA256:") { // it may have been taken out of the file
		return "", key, time.Time{}, nil
	}
	id, known := roles.ByName(arg)
	switch {
	case known && len(id.Revoked) == 1:
		return id.Name, id.Revoked[0].Key, id.Revoked[0].From, nil
	case known && len(id.Keys)+len(id.Revoked) > 1:
		all := append([]review.Fingerprint{}, id.Keys...)
		for _, r := range id.Revoked {
			all = append(all, r.Key)
		}
		return "", "", from, console.Usage("%s has %d keys: name one by its fingerprint (%s)", arg, len(all), console.Words(all))
	case known && len(id.Keys) == 1:
		return id.Name, id.Keys[0], from, nil
	}
	return "", "", from, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%q is no key and no name with a key in %s", arg, policy.RolesFile),
		Hint: "assent keys lists names and fingerprints"}
}

func printAudit(c *console.Console, out keysAuditJSON, ways func(keyMergeJSON) string) {
	if len(out.Merges) == 0 {
		c.Printf("%s signed no merge in force\n", out.Key)
		return
	}
	for _, m := range out.Merges {
		c.Printf("%s  %s  %s\n", c.Style.Bold(console.OneLine(m.Proposal)), m.Commit.Short(), m.At.UTC().Format(time.RFC3339))
		c.Field("signed", strings.Join(m.signed(), " and "))
		text := c.Style.Good("it passes without the key")
		if m.Needed {
			text = c.Style.Warn("it does not pass without the key: ") + console.OneLine(m.Without)
		}
		c.Field("needed", text)
		printSettled(c, m.Relied)
		c.Optional("in force", strings.Join(m.Files, ", "))
		c.Optional("changed", strings.Join(m.Changed, ", "))
		c.Optional("deleted", strings.Join(m.Removed, ", "))
		if m.Open() && m.InDoubt && m.Remains() {
			c.Field("next", console.OneLine(ways(m)))
		}
	}
	c.Printf("%s in doubt, needed and in force: %d\n", out.Key, out.Doubtful)
}

// waysFor names the ways to settle a merge in doubt: an undo if one is possible, and another
// approval, by another human's key on this machine if there is one.
func waysFor(ctx context.Context, cur workspace.Session, m keyMergeJSON) string {
	var ways []string
	if pull, err := cur.Record.Get(ctx, m.Proposal); err == nil {
		if _, diags, err := propose.Undo(cur, pull); err == nil && !diags.HasErrors() {
			ways = append(ways, "assent undo "+names.ShellWord(m.Proposal)+" proposes to take it back")
		}
	}
	again := "assent keys reapprove " + names.ShellWord(string(m.Key)) + " " + names.ShellWord(m.Proposal)
	mine, err := myKeys(cur.Workspace, cur.Policies.Roles)
	at := slices.IndexFunc(mine, func(k myKeyJSON) bool {
		id, listed := cur.Policies.Roles.ByName(k.Identity)
		return k.Fingerprint != m.Key && listed && cur.Policies.Roles.Satisfies(id, policy.Human) && !id.Expired(cur.Now())
	})
	switch {
	case err != nil || at < 0:
		again = "a human with another key approves it again: " + again
	case mine[at].Default:
		again += " approves it again"
	default:
		again += " --key " + names.ForShell(mine[at].Path) + " approves it again"
	}
	return strings.Join(append(ways, again), "; ")
}

func (m keyMergeJSON) signed() (out []string) {
	if m.Approved {
		out = append(out, "an approval")
	}
	if m.Attested {
		out = append(out, "the attestation")
	}
	return out
}
