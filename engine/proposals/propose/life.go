package propose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// NotYours means that the actor may not end, revive or update a proposal.
type NotYours struct {
	ID       string
	By       forge.Actor
	Proposer forge.Actor
	// Update is set if the actor wanted to update it.
	Update bool
}

// Error says who may.
func (n *NotYours) Error() string {
	if n.Update {
		return fmt.Sprintf("%s may not update %s: only %s, who proposed it, a lead or a human of policies/roles.yaml may", n.By, n.ID, n.Proposer)
	}
	return fmt.Sprintf("%s may not withdraw or reopen %s: only %s, who proposed it, or a human of policies/roles.yaml may", n.By, n.ID, n.Proposer)
}

// MayEnd returns *NotYours unless by may withdraw or reopen the proposal: its proposer may, under
// their name or e-mail address, and every human. Ending a proposal grants nothing, so a claimed
// name is enough; the record holds the claim.
func MayEnd(cur workspace.Session, pull forge.Pull, by forge.Actor) error {
	roles := cur.Policies.Roles
	if by.Name != "" && by.Name == pull.Author.Name || by.Email != "" && strings.EqualFold(by.Email, pull.Author.Email) {
		return nil
	}
	for _, name := range roles.Possible(policy.Actor{Name: by.Name, Email: by.Email}) {
		if id, ok := roles.ByName(name); ok && id.Kind == policy.KindHuman {
			return nil
		}
	}
	return &NotYours{ID: pull.ID, By: by, Proposer: pull.Author}
}

// MayUpdate returns *NotYours if by is an agent, and the proposal is another agent's, unless by is a lead. Anyone may
// update what a person or the engine proposed, such as a repair. A name is a claim, as in MayEnd; who updates by a push
// counts as an author, and approves nothing of it.
func MayUpdate(cur workspace.Session, pull forge.Pull, by forge.Actor) error {
	roles := cur.Policies.Roles
	if MayEnd(cur, pull, by) == nil || !slices.Contains(Agents(cur), pull.Author.Name) {
		return nil
	}
	for _, name := range roles.Possible(policy.Actor{Name: by.Name, Email: by.Email}) {
		if id, ok := roles.ByName(name); ok && roles.Satisfies(id, policy.Lead) {
			return nil
		}
	}
	return &NotYours{ID: pull.ID, By: by, Proposer: pull.Author, Update: true}
}

// Withdraw ends an open proposal without merging it. Its commits stay in the
// journal, and Reopen brings it back. The error is *NotYours for other actors.
func Withdraw(ctx context.Context, cur workspace.Session, pull forge.Pull, by forge.Actor, reason string) (workspace.Examined, error) {
	if err := MayEnd(cur, pull, by); err != nil {
		return workspace.Examined{}, err
	}
	return end(ctx, cur, pull.ID, forge.Closing{By: by, Why: string(proposal.Withdrawn), Note: reason, At: cur.Now()})
}

// Expire ends an open proposal whose request for approval has grown too old.
func Expire(ctx context.Context, cur workspace.Session, id string) (workspace.Examined, error) {
	return end(ctx, cur, id, forge.Closing{
		By: forge.Actor{Name: "assent"}, Why: string(proposal.Expired), At: cur.Now(),
		Note: fmt.Sprintf("No decision within %s.", cur.Policies.Limits.Expiry),
	})
}

func end(ctx context.Context, cur workspace.Session, id string, c forge.Closing) (workspace.Examined, error) {
	if err := cur.Forge.Close(ctx, id, c); err != nil {
		return workspace.Examined{}, err
	}
	return cur.Examine(ctx, id)
}

// Reopen revives a closed proposal, or an open one whose request for approval has lapsed, and
// validates it against the state in force. The request for approval is new from then on. If killed
// in between, it leaves a proposal that is closed as expired, which can be reopened.
func Reopen(ctx context.Context, cur workspace.Session, pull forge.Pull, by forge.Actor) (Outcome, error) {
	if err := MayEnd(cur, pull, by); err != nil {
		return Outcome{}, err
	}
	if pull.State == forge.Open {
		if err := lapse(ctx, cur, pull.ID); err != nil {
			return Outcome{}, err
		}
	} else {
		if full, err := tooMany(ctx, cur, pull.Author); err != nil || full != nil {
			return Outcome{Diagnostics: full}, err
		}
	}
	reopened, err := cur.Forge.Reopen(ctx, pull.ID, by, cur.Now())
	if err != nil {
		return Outcome{}, err
	}
	ex, err := Settle(ctx, cur, pull.ID)
	return Outcome{Opened: true, Pull: reopened, Examined: ex}, err
}

// lapse closes an open proposal whose request for approval is too old; others stay
// as they are.
func lapse(ctx context.Context, cur workspace.Session, id string) error {
	ex, err := cur.Examine(ctx, id)
	if err != nil || !gate.Lapsed(ex.Verdict) {
		return err
	}
	_, err = Expire(ctx, cur, id)
	return err
}
