package you

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

type keysRevokeOptions struct {
	roles        rolesOptions
	from, reason string
	replace      []string
}

func newKeysRevoke(c *console.Console) *cobra.Command {
	var o keysRevokeOptions
	cmd := &cobra.Command{
		Use:   "revoke NAME | FINGERPRINT",
		Short: "Propose that a lost or stolen key proves nothing any more",
		Long: `Revoke proposes to move a key in policies/roles.yaml from the keys in use to the
revoked ones. The change is critical: it needs two humans, or all that there are. Once
it is in force, no signature by the key counts, whatever date the signature bears.
Merges that are in force stay in force. With --from, name the moment since which the
key was out of your hands. --replace lists a new key of the same identity at once.`,
		Example: `  assent keys revoke bob --reason "the laptop is lost" --replace new.pub
  assent keys revoke SHA256:… --from 2026-11-01 --reason "copied from a backup"`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(identities(c)),
		RunE:              func(cmd *cobra.Command, args []string) error { return runKeysRevoke(cmd.Context(), c, o, args[0]) },
	}
	cmd.Flags().StringVar(&o.from, "from", "", "since `WHEN` the key is in doubt: 2026-11-01 or 2026-11-01T09:30:00Z; now if not given")
	cmd.Flags().StringVarP(&o.reason, "reason", "m", "", "why, in one `LINE`; needed")
	cmd.Flags().StringArrayVar(&o.replace, "replace", nil, "a new SSH `KEY` of the same identity: a file or a line of authorized_keys")
	cmd.Flags().StringVar(&o.roles.goal, "goal", "", "what the change is for, in one `LINE`")
	cmd.Flags().BoolVar(&o.roles.dryRun, "dry-run", false, "validate and judge, but write nothing")
	complete.AgentFlag(cmd, c, &o.roles.agent)
	return cmd
}

func runKeysRevoke(ctx context.Context, c *console.Console, o keysRevokeOptions, arg string) error {
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	id, key, err := keyToRevoke(cur.Policies.Roles, arg)
	if err != nil {
		return err
	}
	from, err := revokedFrom(cur.Workspace, o.from)
	if err != nil {
		return err
	}
	if strings.TrimSpace(o.reason) == "" {
		return console.Usage("say why in one line: --reason \"the laptop is lost\"")
	}
	if len(o.replace) == 0 && lastHuman(cur.Policies.Roles, id, cur.Now()) {
		return console.Refused("list a new key in the same proposal: --replace FILE", "%s would have no key, and no other human has one: nothing could be approved any more", id.Name)
	}
	o.roles.change = policy.RolesChange{
		Name: id.Name, Keys: o.replace,
		Revoke: []policy.Revocation{{Key: key, From: from, Reason: o.reason}},
	}
	return runRoles(ctx, c, o.roles)
}

// identities offers the names in roles.yaml.
func identities(c *console.Console) complete.Completer {
	return func(cmd *cobra.Command) []string {
		cur, err := c.Current(cmd.Context())
		if err != nil {
			return nil
		}
		var out []string
		for _, id := range cur.Policies.Roles.All() {
			out = append(out, id.Name)
		}
		return out
	}
}

// lastHuman reports whether the workspace has no human who can approve, once the identity loses a
// key.
func lastHuman(roles policy.Roles, id policy.Identity, now time.Time) bool {
	for _, name := range roles.Humans() {
		other, _ := roles.ByName(name)
		left := other.CanApprove() && !other.Expired(now)
		if name == id.Name {
			left = left && len(id.Keys)+len(id.Logins) > 1
		}
		if left {
			return false
		}
	}
	return roles.Satisfies(id, policy.Human)
}

// keyToRevoke finds the key by its fingerprint, or as the only key of an identity.
func keyToRevoke(roles policy.Roles, arg string) (policy.Identity, review.Fingerprint, error) {
	key := review.Fingerprint(arg)
	if owner, rev, revoked := roles.RevokedKey(key); revoked {
		return owner, key, console.Refused("assent keys lists it", "%s", rev.Refusal(owner.Name))
	}
	if id, known := roles.ByKey(key); known {
		return id, key, nil
	}
	hint := "assent keys lists names and fingerprints"
	id, known := roles.ByName(arg)
	switch {
	case !known:
		return id, "", &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%q is no name and no key in %s", arg, policy.RolesFile), Hint: hint}
	case len(id.Keys) == 0:
		return id, "", &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%s has no key in use", arg), Hint: hint}
	case len(id.Keys) > 1:
		return id, "", console.Usage("%s has %d keys: name one by its fingerprint (%s)", arg, len(id.Keys), console.Words(id.Keys))
	}
	return id, id.Keys[0], nil
}

// revokedFrom reads a day or an instant that is not ahead: a revocation works from the
// moment it is in force, and From only looks back.
func revokedFrom(w *workspace.Workspace, text string) (time.Time, error) {
	now := w.Now().UTC().Truncate(time.Second)
	if text == "" {
		return now, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse(time.DateOnly, text)
	}
	switch {
	case err != nil:
		return at, console.Usage("--from %q is no day and no instant: write 2026-11-01 or 2026-11-01T09:30:00Z", text)
	case at.After(now):
		return at, console.Usage("--from %s is ahead: a revocation works once it is merged; to end an identity later, use assent roles add NAME --until DAY", text)
	}
	return at.UTC().Truncate(time.Second), nil
}
