package you

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

type rolesOptions struct {
	change    policy.RolesChange
	as, agent string
	goal      string
	dryRun    bool
	self      bool // the change is about the user who runs the command
}

func newRoles(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "roles",
		Short: "Propose who is who, and who may approve",
		Long: `Roles proposes changes of policies/roles.yaml: a person or an agent, their keys and
roles. Such a change is critical: it needs two humans, or all that there are. assent
keys lists who is who now.`,
	}
	cmd.AddCommand(newRolesAdd(c), newRolesRemove(c))
	return cmd
}

func newRolesAdd(c *console.Console) *cobra.Command {
	var o rolesOptions
	cmd := &cobra.Command{
		Use:   "add NAME | --self [NAME]",
		Short: "Propose a person or an agent, or another key or role of theirs",
		Long: `Add proposes NAME as a new person or agent, or gives one who is there already more
keys, addresses and roles. Everything else in the file stays as it is written.

With --self you propose yourself: your name and address as Git knows them, and the key
that you sign with, or that --key names. Nobody has to know you yet. If your key or your
address is listed already, the other one is added to that identity.`,
		Example: `  assent roles add --self
  assent roles add bob --key bob.pub --email bob@example.org --role human,lead
  assent roles add carol --login gitea=carol --role human
  assent roles add smith --as agent --key smith.pub --owner bob`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.self {
				return cobra.MaximumNArgs(1)(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.change.Name = strings.Join(args, "")
			if o.self && (o.as == "agent" || o.agent != "") {
				return &console.Failure{Code: console.ExitUsage, Err: errors.New("--self is for a person, and you act as an agent or add one"), Hint: "leave --as and --agent out, and ASSENT_AGENT out of the environment"}
			}
			switch o.as {
			case "agent":
				o.change.Agent = true
			case "", "person":
			default:
				return console.Usage("--as %q: person or agent", o.as)
			}
			return runRoles(cmd.Context(), c, o)
		},
	}
	cmd.Flags().BoolVar(&o.self, "self", false, "propose yourself, with the name, address and key that you have here")
	cmd.Flags().StringVar(&o.as, "as", "", "what a new one is: `KIND` is person (the default) or agent")
	cmd.Flags().StringVar(&o.change.Owner, "owner", "", "the `PERSON` who runs the agent, and cannot approve what it proposes")
	cmd.Flags().StringVar(&o.change.Until, "until", "", "the `DAY` (2027-01-31) from which their approvals no longer count")
	o.flags(cmd, c)
	return cmd
}

func newRolesRemove(c *console.Console) *cobra.Command {
	o := rolesOptions{change: policy.RolesChange{Remove: true}}
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Propose to remove an identity, or a key or role of it",
		Long: `Remove proposes to take keys, addresses or roles of NAME away, or NAME altogether
where none is named; revoked keys of theirs stay listed. What they signed before counts
for merges that happened before.`,
		Example: `  assent roles remove bob --key SHA256:… --goal "the laptop is lost"
  assent roles remove bob --role human`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.change.Name = args[0]
			if cmd.Flags().Changed("login") && len(o.change.Logins) == 0 {
				return console.Usage("--login is empty: name the account to take away, such as gitea=bob")
			}
			for flag, given := range map[string][]string{"key": o.change.Keys, "email": o.change.Emails, "role": o.change.Roles} {
				if cmd.Flags().Changed(flag) && len(given) == 0 { // an empty variable is not everything
					return console.Usage("--%s is empty: name what to take away, or leave the flag out to take %s away", flag, o.change.Name)
				}
			}
			return runRoles(cmd.Context(), c, o)
		},
	}
	o.flags(cmd, c)
	return cmd
}

func (o *rolesOptions) flags(cmd *cobra.Command, c *console.Console) {
	cmd.Flags().StringArrayVar(&o.change.Keys, "key", nil, "an SSH `KEY`: a file, a line of authorized_keys, or a fingerprint")
	cmd.Flags().StringSliceVar(&o.change.Emails, "email", nil, "an `ADDRESS` of their commits, which only ever excludes")
	cmd.Flags().StringToStringVar(&o.change.Logins, "login", nil, "an `ACCOUNT` on a service, such as gitea=bob")
	cmd.Flags().StringSliceVar(&o.change.Roles, "role", nil, "a `ROLE`: "+console.Words(policy.KnownRoles()))
	cmd.Flags().StringVar(&o.goal, "goal", "", "what the change is for, in one `LINE`")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "validate and judge, but write nothing")
	complete.Flag(cmd, "role", complete.Fixed(policy.KnownRoles()))
	complete.AgentFlag(cmd, c, &o.agent)
}

func runRoles(ctx context.Context, c *console.Console, o rolesOptions) error {
	for i, spec := range o.change.Keys {
		key, err := publicKeyOf(spec)
		if err != nil {
			return err
		}
		o.change.Keys[i] = key
	}
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	r := propose.Request{DryRun: o.dryRun}
	if o.self {
		err = completeSelf(cur, &o.change, &r)
	} else {
		r, err = console.Proposer(cur, o.agent, o.dryRun)
	}
	if err != nil {
		return err
	}
	src, err := cur.View.Read(policy.RolesFile)
	if err != nil {
		return fmt.Errorf("read %s: %w", policy.RolesFile, err)
	}
	text, err := policy.EditRoles(src, o.change)
	if errors.Is(err, policy.ErrByHand) {
		return console.Refused("docs/gate.md shows what to write", "%s", err)
	}
	if err != nil {
		return console.Usage("%v", err)
	}
	if o.goal == "" {
		o.goal = "add to the roles: " + o.change.Name
		switch {
		case len(o.change.Revoke) > 0:
			o.goal = "revoke a key of " + o.change.Name
		case o.change.Remove:
			o.goal = "take from the roles: " + o.change.Name
		}
	}
	r.Proposal = proposal.Proposal{Goal: o.goal}
	r.Edits = []tree.Edit{{Path: policy.RolesFile, Content: text}}
	r.Origin = provenance.Origin{Way: provenance.Edit, Digest: canonical.Digest(text)}
	out, err := propose.Open(ctx, cur.Workspace, r)
	if err != nil {
		return err
	}
	return output.PrintOutcome(c, cur.Workspace, out, nil, o.dryRun)
}

// completeSelf completes a change, and its request, with the user's own identity.
func completeSelf(cur workspace.Session, change *policy.RolesChange, r *propose.Request) error {
	me, err := console.Person(cur.Workspace, "assent roles add --self")
	if err != nil {
		return err
	}
	if len(change.Keys) == 0 {
		spec, err := console.DefaultKey(cur.Workspace)
		if err != nil {
			return err
		}
		key, err := keys.Public(spec)
		if errors.Is(err, keys.ErrMissing) {
			return console.Refused(keys.Advice(spec), "you have no key at %s, and without one you could approve nothing", spec)
		}
		if err != nil {
			return err
		}
		change.Keys = []string{strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))}
	}
	change.Emails = append(change.Emails, me.Email)
	listed, err := change.Listed(cur.Policies.Roles)
	if err != nil {
		return console.Refused("assent keys lists who has which key and address", "%s", err)
	}
	if listed.Name == "" {
		change.Name = cmp.Or(change.Name, policy.IdentityName(me.Name))
		if _, taken := cur.Policies.Roles.ByName(change.Name); taken {
			return console.Refused("another name: assent roles add --self NAME; if it is you and your keys are lost: docs/keys.md",
				"%s is in %s already, with another key and address", console.OneLine(change.Name), policy.RolesFile)
		}
	}
	if change.Name = cmp.Or(change.Name, listed.Name); listed.Name != "" && change.Name != listed.Name {
		return console.Refused("leave the name out", "you are %s in %s already", listed.Name, policy.RolesFile)
	}
	r.By, r.Author = forge.Actor{Name: change.Name, Email: me.Email}, gitstore.Person{Name: me.Name, Email: me.Email, When: cur.Now()}
	return nil
}

// publicKeyOf returns the public key in a file, or spec itself if it is a key or a fingerprint.
func publicKeyOf(spec string) (string, error) {
	if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(spec)); err == nil || strings.HasPrefix(spec, "SHA256:") {
		return spec, nil
	}
	key, err := keys.Public(spec)
	if errors.Is(err, keys.ErrMissing) {
		return "", console.Usage("--key %s: there is no such file, and it is neither a fingerprint (SHA256:…) nor a public key", spec)
	}
	if err != nil {
		return "", console.Usage("--key %v", err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))), nil
}
