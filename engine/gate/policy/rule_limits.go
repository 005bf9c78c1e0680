package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

func judgeLimits(c inquiry) Verdict {
	l, f := c.p.Limits, c.f
	var over, changes []string
	check := func(event string, is bool, format string, args ...any) {
		if is {
			over, changes = append(over, fmt.Sprintf(format, args...)), append(changes, event)
		}
	}
	check(OnPush, len(f.Paths) > l.FilesPerProposal, "%d files, at most %d", len(f.Paths), l.FilesPerProposal)
	check(OnPush, f.Bytes > l.ProposalBytes, "%d bytes, at most %d", f.Bytes, l.ProposalBytes)
	for _, p := range f.Paths {
		check(OnPush, p.Size > l.FileBytes, "%s has %d bytes, at most %d", p.Path, p.Size, l.FileBytes)
	}
	// Archiving must be reversible, so the caps on capabilities admit the return of what was in force.
	grows := f.Kind != "undo" && f.Kind != "restore"
	for _, agent := range slices.Sorted(maps.Keys(f.Learned)) {
		check(OnPolicy, grows && f.Learned[agent] > l.LearnedPerAgent, "%s would have learned %d capabilities, at most %d", agent, f.Learned[agent], l.LearnedPerAgent)
	}
	adds := grows && slices.ContainsFunc(f.Capabilities, func(c Capability) bool { return c.Op == Added })
	check(OnPolicy, adds && f.Synthesised > l.Synthesised, "the workspace would hold %d capabilities that agents brought in, at most %d (assent gc proposes what to archive)", f.Synthesised, l.Synthesised)
	open := fmt.Sprintf("%s has %d open proposals, at most %d", orUnknown(f.Agent), f.OpenByAgent, l.OpenPerAgent)
	person := false
	if id, ok := c.p.Roles.ByName(f.People.Proposer.Name); ok {
		person = id.Kind == KindHuman
	}
	//defence:the-gate-counts-open-proposals
	check(OnOthers, !person && f.OpenByAgent > l.OpenPerAgent, "%s", open)
	if len(over) > 0 {
		return refused(append(changes, OnPolicy), "over the limits: %s", strings.Join(over, "; "))
	}
	// A name proves nothing. The limit is for agents, so a human confirms that this is a person.
	//defence:claimed-people-need-a-human
	if person && f.OpenByAgent > l.OpenPerAgent {
		return c.approval(need{Requirement: Requirement{Role: Human, Count: 1}, why: []string{open}})
	}
	return allowed("it stays within the limits")
}

func judgeExpiry(c inquiry) Verdict {
	switch {
	case c.f.Now.IsZero() || c.f.RequestedAt.IsZero():
		return undecided([]string{OnTime, OnState}, "it is not known since when it waits for approval")
	case c.f.Now.Sub(c.f.RequestedAt) > c.p.Limits.Expiry:
		return c.waitForProposer([]string{OnState}, "the request for approval has expired; reopen it to ask again")
	default:
		return allowed("the request for approval is recent")
	}
}
