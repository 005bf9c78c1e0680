package inforce

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
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
	for _, h := range commits {
		touched[h] = true
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

// printInspected shows one capability.
func printInspected(c *console.Console, p inspectJSON) {
	c.Printf("%s  %s\n", c.Style.Bold(console.OneLine(p.Name)), console.OneLine(p.Description))
	kind := string(p.Kind)
	if p.Version != capability.Unversioned {
		kind += " " + string(p.Version)
	}
	c.Field("kind", kind+", "+statusText(c, p.Status))
	if h := p.Stopped; h != nil {
		c.Field("stopped", c.Style.Bad("by "+console.OneLine(h.By)+" "+untilOf(*h)+": "+console.OneLine(h.Reason)))
	}
	c.Field("path", console.OneLine(p.Path))
	c.Optional("called", p.calledAs())
	c.Optional("implements", p.Implements)
	printRecord(c, p)
	c.Optional("tags", strings.Join(p.Tags, ", "))
	c.Optional("license", p.License)
	for _, r := range p.needs() {
		c.Field("needs", console.OneLine(r))
	}
	c.Optional("does", strings.Join(slices.Concat(p.SideEffects, p.Permissions), ", "))
	c.Optional("risk", string(p.DeclaredRisk))
	c.Optional("only for", strings.Join(p.Allow, ", "))
	c.Optional("never for", strings.Join(p.Deny, ", "))
	for _, l := range p.Limitations {
		c.Field("limitation", console.OneLine(l))
	}
	c.Optional("executable", strings.Join(p.WhyExecutable, "; "))
	if p.SpecOnly {
		c.Field("spec only", c.Style.Warn("it says what shall be built; nothing links it yet"))
	}
	c.Optional("files", strings.Join(p.Files, ", "))
	c.Field("tests", console.Plural(p.Tests, "case"))
	c.Optional("verified", console.OneLine(p.Verified.text()))
	printHealthRow(c, p.Health)
	c.Field("tokens", "about "+console.Plural(p.Tokens, "token")+" when loaded")
	c.Optional("learned by", strings.Join(p.LearnedBy, ", "))
	c.Field("origin", entryText(p.Origin))
	for _, e := range p.Changes {
		c.Field("changed", entryText(e))
	}
	c.Optional("built by", p.ImplementedBy)
	c.Optional("also by", strings.Join(p.Implementations, ", "))
	printWays(c, p)
	if len(p.Diagnostics) > 0 {
		c.Printf("  findings\n")
		c.Diagnostics(c.World.Out, p.Diagnostics)
	}
}

// printHealthRow shows the state, and the way out of a quarantine.
func printHealthRow(c *console.Console, h *healthRow) {
	if h == nil {
		return
	}
	text := stateText(c, h.State)
	if !h.State.Runs() {
		text += ", so it is not called here: " + console.OneLine(h.Why) + "; assent health " + names.ShellWord(console.OneLine(h.Name)) + " says more"
	} else if h.Uses > 0 {
		text += "; " + usesOf(h.Entry)
	}
	c.Field("health", text)
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
func entryText(e audit.Entry) string {
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
	return console.OneLine(text)
}
