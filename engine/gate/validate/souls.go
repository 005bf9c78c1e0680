package validate

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// checkSouls applies the rules of SOUL.md files: they stay readable, protected
// sections stay as they are, the learned list stays bounded.
func checkSouls(s *change) (diag.List, error) {
	var out diag.List
	for _, c := range s.changes {
		if names.Area(c.Path) != names.SoulArea {
			continue
		}
		agent, ok := names.AgentOf(c.Path)
		if !ok {
			continue
		}
		if err := checkSoulFile(s, &out, c, agent); err != nil {
			return out, err
		}
	}
	return out, nil
}

func checkSoulFile(s *change, out *diag.List, c tree.Change, agent string) error {
	isSoul := c.Path == soulPath(agent)
	if c.Removed() {
		if isSoul {
			out.Warnf(RuleSoulRemoved, diag.Pos{File: c.Path}, "keep the file unless the agent is retired", "the identity of agent %s is removed", agent)
		}
		return nil
	}
	out.Add(names.CheckAgent(agent, diag.Pos{File: c.Path})...)
	head, err := s.readHead(c)
	if err != nil {
		return err
	}
	base, err := s.readBase(c)
	if err != nil {
		return err
	}
	if strings.HasSuffix(strings.ToLower(c.Path), ".md") && closed(base) {
		out.Add(markup.CheckClosed(c.Path, head)...)
	}
	if !isSoul || outgrown(base, head) {
		return nil
	}
	_, diags := soul.Parse(c.Path, head)
	out.Add(diags...)
	out.Add(soul.CheckLimits(c.Path, head, s.Policies.Limits.LearnedPerAgent)...)
	if base != nil {
		//defence:protected-sections-are-compared
		out.Add(protected(s, soul.CompareProtected(c.Path, base, head, s.Policies.Security.Protected))...)
	}
	return nil
}

// outgrown reports whether the change makes a file larger than what is parsed, where checkSoulFile
// refuses it for that. Nothing else is compared then: comparing lines as text takes seconds.
func outgrown(base, head []byte) bool {
	//defence:what-is-refused-is-not-compared
	if markup.TooLarge(head) {
		return closed(base)
	}
	return false
}

func closed(base []byte) bool { return !markup.CheckClosed("", base).HasErrors() }

// protected sets the severity for edits of a protected section. An agent can never make one
// (K4 of the seeds: not autonomously). A person's edit needs the approvers of the top tier.
func protected(s *change, found diag.List) diag.List {
	human := s.proposal != nil && proposerIsHuman(s)
	for i := range found {
		found[i].Fix = "leave the section as it is; only a person can propose to change it, and people approve it"
		if human {
			found[i].Severity, found[i].Fix = diag.Warning, "two people must approve it"
		}
	}
	return found
}

// proposerIsHuman reads the claim in the proposal's front matter. A false claim gains
// nothing: a protected section is critical, and the gate checks who really pushed.
func proposerIsHuman(s *change) bool {
	who, ok := s.Policies.Roles.ByName(s.proposal.Agent)
	return ok && who.Kind == policy.KindHuman
}

func soulPath(agent string) string { return "soul/" + agent + "/SOUL.md" }
