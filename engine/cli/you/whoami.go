package you

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
)

type whoamiOptions struct{ key, agent string }

func newWhoami(c *console.Console) *cobra.Command {
	var o whoamiOptions
	cmd := &cobra.Command{
		Use:   "whoami",
		Short: "Who you are to this workspace, and what you may approve",
		Long: `Whoami shows the workspace that commands in this folder act on, and which identities of
its policies/roles.yaml are yours: that of your commits (by user.email, which proves
nothing and only keeps you from approving your own work) and that of your signatures (by
key, which approvals count).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWhoami(cmd.Context(), c, o) },
	}
	cmd.Flags().StringVar(&o.key, "key", "", "for the SSH key in `FILE` instead of the one that you sign with")
	cmd.Flags().StringVar(&o.agent, "agent", c.World.Getenv("ASSENT_AGENT"), "for this `AGENT` (default $ASSENT_AGENT)")
	return cmd
}

// whoamiJSON is the user's identity in a workspace.
type whoamiJSON struct {
	// Workspace is the id, Dir the folder of the clone. Project is the top of the project whose
	// configuration names it, empty if the command ran in the workspace.
	Workspace tree.Hash `json:"workspace"`
	Dir       string    `json:"dir"`
	Project   string    `json:"project"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	// ByEmail is the identity of the user's commits, ByKey that of the signatures; empty if
	// roles.yaml lists none.
	ByEmail     string             `json:"by_email"`
	Key         string             `json:"key"`
	Fingerprint review.Fingerprint `json:"fingerprint"`
	ByKey       string             `json:"by_key"`
	Agent       string             `json:"agent"`
	// Owner is the person who runs the agent, Session the person to whom proposals from here
	// count; empty if unknown.
	Owner   string `json:"owner"`
	Session string `json:"session"`
	// Mode is the autonomy of the agent.
	Mode  policy.Mode `json:"mode"`
	Roles []string    `json:"roles"`
	// MayApprove lists the tiers for which the signature counts.
	MayApprove []string `json:"may_approve"`
	Notes      []string `json:"notes"`
}

func runWhoami(ctx context.Context, c *console.Console, o whoamiOptions) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	out := whoamiJSON{Workspace: cur.Genesis, Dir: cur.Repo.Top(), Project: c.Project, Agent: o.agent, Roles: []string{}, MayApprove: []string{}, Notes: []string{}}
	out.Name, out.Email = cur.Repo.User()
	if id, ok := cur.Policies.Roles.ByEmail(out.Email); ok {
		out.ByEmail = id.Name
	}
	if err := out.byKey(cur, o.key); err != nil {
		return err
	}
	if err := out.asAgent(cur, o.agent); err != nil {
		return err
	}
	out.session(cur.Policies.Roles)
	out.may(cur.Policies)
	if c.JSON {
		return c.Emit(out)
	}
	printWhoami(c, out)
	return nil
}

func (who *whoamiJSON) byKey(cur workspace.Session, named string) error {
	who.Key = named
	if named == "" {
		var err error
		if who.Key, err = console.KeyOf(cur); err != nil {
			return err
		}
	}
	key, err := keys.Public(who.Key)
	if named == "" && errors.Is(err, keys.ErrAgent) {
		who.Key, who.Notes = "", append(who.Notes, console.Sentence(err))
		return nil
	}
	if err != nil && (named != "" || !errors.Is(err, keys.ErrMissing)) {
		return err
	}
	if err != nil {
		missing := who.Key
		who.Key = ""
		who.Notes = append(who.Notes, "you have no key to sign reviews with at "+missing+"; "+keys.Advice(missing))
		return nil
	}
	who.Fingerprint = review.FingerprintOf(key)
	id, ok := cur.Policies.Roles.ByKey(who.Fingerprint)
	if owner, rev, revoked := cur.Policies.Roles.RevokedKey(who.Fingerprint); revoked {
		who.Notes = append(who.Notes, rev.Refusal(owner.Name))
		return nil
	}
	if !ok {
		who.Notes = append(who.Notes, "your key belongs to no one in "+policy.RolesFile+"; to propose it: assent roles add --self")
		return nil
	}
	who.ByKey = id.Name
	if who.ByEmail != "" && who.ByEmail != id.Name {
		who.Notes = append(who.Notes, fmt.Sprintf("your commits are %s's and your signatures %s's", who.ByEmail, id.Name))
	}
	return nil
}

// session finds the person who cannot approve proposals from here.
func (who *whoamiJSON) session(roles policy.Roles) {
	for _, name := range []string{who.ByEmail, who.ByKey} {
		if id, ok := roles.ByName(name); ok && who.Session == "" {
			who.Session = name
			if id.Owner != "" {
				who.Session = id.Owner
			}
		}
	}
	if id, ok := roles.ByName(who.Agent); ok {
		who.Owner = id.Owner
	}
}

func (who *whoamiJSON) asAgent(cur workspace.Session, agent string) error {
	if agent == "" {
		return nil
	}
	if err := console.CheckAgent(cur, agent); err != nil {
		return err
	}
	who.Mode = cur.Policies.Autonomy.ModeFor(agent, "", false)
	if own := cur.Policies.Autonomy.ModeFor(agent, "", true); own != who.Mode {
		who.Notes = append(who.Notes, fmt.Sprintf("%s, which autonomy.yaml gives %s, counts only where a service proves who proposed", own, agent))
	}
	return nil
}

// may lists the identity's roles and the tiers where its signature counts.
func (who *whoamiJSON) may(p policy.Policies) {
	name := who.ByKey
	if who.Agent != "" {
		name = who.Agent
	} else if name == "" {
		name = who.ByEmail
	}
	id, ok := p.Roles.ByName(name)
	if !ok {
		return
	}
	who.Roles = console.NonNil(p.Roles.RolesOf(id))
	if who.ByKey != id.Name {
		return
	}
	for _, tier := range []policy.Tier{policy.Low, policy.Medium, policy.High, policy.Critical} {
		needs := p.Approvals.Tiers[tier]
		if len(needs) == 0 { // no role is required, but a stricter mode wants a lead
			needs = []policy.Requirement{{Role: policy.Lead, Count: 1}}
		}
		counts := func(n policy.Requirement) bool { return p.Roles.Satisfies(id, n.Role) }
		if slices.ContainsFunc(needs, counts) {
			who.MayApprove = append(who.MayApprove, tier.String())
		}
	}
}

func printWhoami(c *console.Console, who whoamiJSON) {
	named := ""
	if who.Project != "" {
		named = ", named by " + console.OneLine(who.Project)
	}
	c.Field("workspace", console.OneLine(who.Dir)+named)
	commits := "no one in " + policy.RolesFile
	if who.ByEmail != "" {
		commits = c.Style.Bold(console.OneLine(who.ByEmail))
	}
	if who.Email == "" {
		c.Field("commits", c.Style.Warn("without an identity: git config user.email is not set"))
	} else {
		c.Field("commits", console.OneLine(who.Name+" <"+who.Email+">")+", known as "+commits)
	}
	if who.Key != "" {
		signs := c.Style.Warn("no one in " + policy.RolesFile)
		if who.ByKey != "" {
			signs = c.Style.Bold(console.OneLine(who.ByKey))
		}
		c.Field("signs", console.OneLine(who.Key)+", known as "+signs)
		c.Field("", string(who.Fingerprint))
	}
	if who.Agent != "" {
		owner := ""
		if who.Owner != "" {
			owner = ", owned by " + console.OneLine(who.Owner)
		}
		c.Field("agent", console.OneLine(who.Agent)+", mode "+string(who.Mode)+owner)
	}
	if who.Session != "" && who.Agent != "" {
		c.Field("session", console.OneLine(who.Session)+"'s, who cannot approve proposals made in it unless there is no one else")
	}
	c.Optional("roles", strings.Join(who.Roles, ", "))
	c.Optional("approves", strings.Join(who.MayApprove, ", "))
	for _, n := range who.Notes {
		c.Field("note", c.Style.Warn(console.OneLine(n)))
	}
}
