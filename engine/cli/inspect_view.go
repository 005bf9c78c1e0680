package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// origin finds the merges behind a capability.
func (p *inspectJSON) origin(ctx context.Context, cur workspace.Session) error {
	commits, err := audit.Changing(cur.Repo, cur.InForce, p.Path)
	if err != nil {
		return err
	}
	touched := map[tree.Hash]bool{}
	for _, c := range commits {
		touched[c.Hash] = true
	}
	log, err := audit.Log(ctx, cur, 0, func(c gitstore.Commit) (bool, error) { return touched[c.Hash], nil })
	if err != nil {
		return err
	}
	slices.Reverse(log)
	p.Changes = []audit.Entry{}
	if len(log) > 0 {
		p.Origin, p.Changes = log[0], log[1:]
	}
	return p.implemented(cur.Workspace, log)
}

// implemented finds the change that gave a specification something that runs.
func (p *inspectJSON) implemented(w *workspace.Workspace, log []audit.Entry) error {
	wasSpec := false
	for _, e := range log {
		view, err := w.Repo.Snapshot(e.Commit)
		if err != nil {
			return err
		}
		if there, err := tree.Exists(view, p.Path+"/"+capability.SkillFile); err != nil || !there {
			wasSpec = false
			continue
		}
		c, _, err := capability.Load(view, p.Path)
		if err != nil {
			return err
		}
		if wasSpec && !c.SpecOnly {
			p.ImplementedBy = e.Proposal
		}
		wasSpec = c.SpecOnly
	}
	return nil
}

// inspected shows one capability.
func (c *console) inspected(p inspectJSON) {
	c.printf("%s  %s\n", c.style.bold(oneLine(p.Name)), oneLine(p.Description))
	kind := string(p.Kind)
	if p.Version != capability.Unversioned {
		kind += " " + string(p.Version)
	}
	c.field("kind", kind+", "+c.life(p.Status))
	if h := p.Stopped; h != nil {
		c.field("stopped", c.style.bad("by "+oneLine(h.By)+" "+untilOf(*h)+": "+oneLine(h.Reason)))
	}
	c.field("path", oneLine(p.Path))
	c.optional("called", p.calledAs())
	c.optional("implements", p.Implements)
	c.recorded(p)
	c.optional("tags", strings.Join(p.Tags, ", "))
	c.optional("license", p.License)
	for _, r := range p.needs() {
		c.field("needs", oneLine(r))
	}
	c.optional("does", strings.Join(slices.Concat(p.SideEffects, p.Permissions), ", "))
	c.optional("risk", string(p.DeclaredRisk))
	c.optional("only for", strings.Join(p.Allow, ", "))
	c.optional("never for", strings.Join(p.Deny, ", "))
	for _, l := range p.Limitations {
		c.field("limitation", oneLine(l))
	}
	c.optional("executable", strings.Join(p.WhyExecutable, "; "))
	if p.SpecOnly {
		c.field("spec only", c.style.warn("it says what shall be built; nothing links it yet"))
	}
	c.optional("files", strings.Join(p.Files, ", "))
	c.field("tests", plural(p.Tests, "case"))
	c.inspectedHealth(p.Health)
	c.field("tokens", "about "+plural(p.Tokens, "token")+" when loaded")
	c.optional("learned by", strings.Join(p.LearnedBy, ", "))
	c.field("origin", c.entryText(p.Origin))
	for _, e := range p.Changes {
		c.field("changed", c.entryText(e))
	}
	c.optional("built by", p.ImplementedBy)
	c.optional("also by", strings.Join(p.Implementations, ", "))
	c.inspectedWays(p)
	if len(p.Diagnostics) > 0 {
		c.printf("  findings\n")
		c.diagnostics(c.world.Out, p.Diagnostics)
	}
}

// inspectedHealth shows the state, and what shows the way out of a quarantine.
func (c *console) inspectedHealth(h *healthRow) {
	if h == nil {
		return
	}
	text := c.healthState(h.State)
	if !h.State.Runs() {
		text += ", so nothing calls it here: " + oneLine(h.Why) + "; assent health " + oneLine(h.Name) + " says more"
	} else if h.Uses > 0 {
		text += "; " + usesOf(h.Entry)
	}
	c.field("health", text)
}

// optional shows a field that has a value.
func (c *console) optional(name, value string) {
	if value != "" {
		c.field(name, oneLine(value))
	}
}

func (p inspectJSON) calledAs() string {
	if p.Kind == capability.KindTool {
		return p.Callable
	}
	return ""
}

func (p inspectJSON) needs() []string {
	var out []string
	for _, n := range []struct {
		what string
		list []string
	}{
		{"capabilities", p.Requires.Capabilities}, {"optionally", p.Requires.Optional}, {"secrets", p.Requires.Secrets},
		{"programs", p.Requires.Bins}, {"hosts", p.Requires.Hosts},
	} {
		if len(n.list) > 0 {
			out = append(out, n.what+" "+strings.Join(n.list, ", "))
		}
	}
	return out
}

// entryText is a commit of the audit log in a line.
func (c *console) entryText(e audit.Entry) string {
	text := e.At.Local().Format("2006-01-02") + " " + e.Commit.Short()
	switch {
	case e.Proposal != "":
		text += " by proposal " + e.Proposal
	case e.Kind == audit.Genesis:
		text += " when the workspace began"
	default:
		text += " " + e.Subject
	}
	if len(e.Approvers) > 0 {
		text += ", approved by " + strings.Join(e.Approvers, ", ")
	}
	return oneLine(text)
}
