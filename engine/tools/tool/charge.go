package tool

import (
	"context"
	"errors"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/home/calls"
)

// charge takes the cost of a call from the session, before the call starts.
func (a account) charge(ctx context.Context, j job, res *Result) error {
	if a.free {
		return nil
	}
	due, err := a.due(j.capability)
	if err != nil {
		return err
	}
	due.Inner = j.depth > 0
	spent, err := a.ledger.Take(ctx, due, a.caps(), a.now())
	if refused := (*calls.Refused)(nil); errors.As(err, &refused) {
		spent = refused.Spent
	}
	res.Spent = &spent
	if err == nil {
		res.cost += due.Cost
	}
	return beyond(j.capability, err)
}

// due returns the charge that must fit into the account.
func (a account) due(c capability.Capability) (calls.Charge, error) {
	charge := calls.Charge{Session: a.session, Capability: c.Name}
	if cost := c.Record.Cost; cost != nil && cost.PerUse > 0 {
		if own := a.policies.Security.Thresholds.Currency; cost.Currency != own {
			return charge, refuse(CostCap, "its record has to state the cost in the policy's currency",
				"%s costs %s, and the session's cap is in %s", c.Name, cost.Currency, own)
		}
		charge.Cost = cost.PerUse
	}
	if rate := c.Record.RateLimit; rate != nil {
		charge.Count, charge.Per = rate.Count, rate.Per
	}
	return charge, nil
}

func (a account) caps() calls.Caps {
	return calls.Caps{Executions: a.policies.Limits.ExecutionsPerSession, Cost: a.policies.Limits.CostPerSession}
}

// beyond turns an exhausted account into a refusal.
func beyond(c capability.Capability, err error) error {
	var refused *calls.Refused
	if !errors.As(err, &refused) {
		return err
	}
	kind, hint := CostCap, "limits.yaml says what a session may use up; ask a person whether it shall go on"
	switch refused.Kind {
	case calls.Executions:
		kind = ExecutionsCap
	case calls.Rate: // counted over all sessions
		kind, hint = RateLimited, "wait until then: rate_limit in capability.yaml counts all sessions of this workspace here"
	case calls.Cost:
	}
	return refuse(kind, hint, "%s does not start: %s", c.Name, refused)
}
