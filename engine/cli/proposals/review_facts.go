package proposals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/simulate"
	"github.com/assent-dev/assent/engine/scan"
	"github.com/assent-dev/assent/engine/tools/memory"
	"github.com/assent-dev/assent/engine/workspace"
)

// reviewJSON holds the facts for a decision on a proposal.
type reviewJSON struct {
	output.Proposal
	// Proven reports that an account of the forge proves the proposer; else it is claimed.
	Proven bool        `json:"proven"`
	For    string      `json:"for,omitempty"`
	Delta  []deltaJSON `json:"delta"`
	// Hidden lists new text that a rendered page does not show.
	Hidden []scan.Passage `json:"hidden"`
	// Differs are the proposer's answers about similar capabilities.
	Differs    []proposal.Difference `json:"differs"`
	ApprovedBy []string              `json:"approved_by"`
	// Expires is when the request for approval lapses.
	Expires time.Time  `json:"expires"`
	Lines   lineCounts `json:"lines"`
	// Simulation is the effect of the proposal's policies; null if it changes none that load.
	Simulation *simulate.Result `json:"simulation"`
	// Asks is the engine's question whether a skill is still needed; null without one.
	Asks *asksJSON `json:"asks"`
	// Commands decide on exactly this head.
	Commands []string `json:"commands"`

	diffs []output.FileDiff
	now   time.Time
}

// deltaJSON is the change of one capability, or of one part of a soul.
type deltaJSON struct {
	Path string `json:"path"`
	Op   string `json:"op"` // added, modified, removed, or how a section is edited
	Kind string `json:"kind,omitempty"`
	// New lists new needs and features, in words.
	New []string `json:"new"`
}

type lineCounts struct {
	Files   int `json:"files"`
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// reviewOf gathers the facts for a decision on an examined proposal.
func reviewOf(ctx context.Context, cur workspace.Session, ex workspace.Examined) (reviewJSON, error) {
	facts := ex.Case.Facts()
	out := reviewJSON{
		Proposal: output.ProposalOf(ex), For: facts.For, Delta: []deltaJSON{}, Hidden: []scan.Passage{},
		Differs: append([]proposal.Difference{}, ex.Case.Proposal.Differs...), ApprovedBy: console.NonNil(gate.Approvers(ex.Case)), Commands: []string{}, now: ex.Case.Now,
		Expires: facts.RequestedAt.Add(cur.Policies.Limits.Expiry).UTC(),
	}
	if err := errors.Join(out.NameWeak(cur, ex), out.NameUpstream(cur, ex), out.NameFailed(cur, ex), out.NameOrigin(cur), out.NameMaker(cur)); err != nil {
		return out, err
	}
	var err error
	if out.Did, err = memory.DeedsOf(cur).Did(ex); err != nil {
		return out, err
	}
	_, out.Proven = cur.Policies.Roles.Proven(facts.Proposer)
	pull := ex.Case.Pull
	if pull.State == forge.Open {
		at := " --head " + names.ShellWord(pull.Head.String())
		out.Commands = []string{
			"assent review " + names.ShellWord(pull.ID) + " approve" + at,
			"assent review " + names.ShellWord(pull.ID) + " request-changes" + at + ` --reason "…"`,
			"assent review " + names.ShellWord(pull.ID) + " reject" + at + ` --reason "…"`,
		}
	}
	before, after, _, err := output.Sides(ctx, cur, pull)
	if err != nil {
		return out, err
	}
	changes, err := tree.Diff(before, after)
	if err != nil {
		return out, fmt.Errorf("compare what %s would change: %w", pull.ID, err)
	}
	for _, ch := range changes {
		f, err := output.DifferenceOf(before, after, ch)
		if err != nil {
			return out, err
		}
		out.diffs = append(out.diffs, f)
		out.Lines.Files, out.Lines.Added, out.Lines.Removed = out.Lines.Files+1, out.Lines.Added+f.Added, out.Lines.Removed+f.Removed
		if err := out.hidden(before, after, ch); err != nil {
			return out, err
		}
	}
	if err := out.simulate(ctx, cur, ex); err != nil {
		return out, err
	}
	if err := out.delta(before, ex.Report.Changes, changes); err != nil {
		return out, err
	}
	return out, out.asks(cur, ex)
}

// simulate computes the effect of a proposal's policies. The record of it in the journal is not
// used: any pusher can write one.
func (r *reviewJSON) simulate(ctx context.Context, cur workspace.Session, ex workspace.Examined) error {
	found, is, err := simulate.Of(ctx, cur, ex)
	if err == nil && is {
		r.Simulation = &found
	}
	return err
}

// maxRead bounds the texts that are searched for hidden content, in bytes.
const maxRead = 1 << 20

// hidden adds new hidden content of a file.
func (r *reviewJSON) hidden(before, after tree.View, ch tree.Change) error {
	if ch.Removed() || !ch.New.Mode.IsFile() || !names.Governed(ch.Path) {
		return nil
	}
	now, err := output.ContentOf(after, ch.New)
	if err != nil {
		return err
	}
	known := map[string]int{}
	if !ch.Added() && ch.Old.Mode.IsFile() {
		old, err := output.ContentOf(before, ch.Old)
		if err != nil {
			return err
		}
		for _, p := range scan.Unseen(ch.Path, old[:min(len(old), maxRead)]) {
			known[p.Kind+p.Text]++
		}
	}
	for _, p := range scan.Unseen(ch.Path, now[:min(len(now), maxRead)]) {
		if known[p.Kind+p.Text]--; known[p.Kind+p.Text] < 0 {
			r.Hidden = append(r.Hidden, p)
		}
	}
	return nil
}

// delta lists the changes of capabilities and souls.
func (r *reviewJSON) delta(before tree.View, facts policy.Changes, changes []tree.Change) error {
	for _, c := range facts.Capabilities {
		d := deltaJSON{Path: c.Path, Op: string(c.Op), Kind: c.Kind, New: []string{}}
		var old capability.Capability
		if c.Op == policy.Modified {
			var err error
			if old, _, err = capability.Load(before, c.Path); err != nil {
				return err
			}
		}
		if c.Op != policy.Removed {
			d.New = newNeeds(c, old)
			d.code(changes)
		}
		r.Delta = append(r.Delta, d)
	}
	for _, e := range facts.Soul {
		d := deltaJSON{Path: "soul/" + e.Agent, Op: e.Mode + " " + e.Section, New: []string{}}
		if e.Protected {
			d.New = append(d.New, "protected text")
		}
		if e.Engine {
			d.Op += ", by the engine"
		}
		r.Delta = append(r.Delta, d)
	}
	for _, p := range facts.Paths {
		if area := names.Area(p.Path); area != names.SkillsArea && area != names.ProposalsArea && area != names.SoulArea {
			r.Delta = append(r.Delta, deltaJSON{Path: p.Path, Op: string(p.Op), New: []string{}})
		}
	}
	return nil
}

// newNeeds lists the new requirements and side effects of a capability.
func newNeeds(c policy.Capability, old capability.Capability) []string {
	out := []string{}
	add := func(what string, now, was []string) {
		fresh := slices.DeleteFunc(slices.Clone(now), func(s string) bool { return slices.Contains(was, s) })
		if len(fresh) > 0 {
			out = append(out, what+" "+strings.Join(fresh, ", "))
		}
	}
	add("hosts", c.Hosts, old.Record.Requires.Hosts)
	add("secrets", c.Secrets, old.Record.Requires.Secrets)
	add("side effects", c.SideEffects, policy.Effects(old.Record.SideEffects))
	add("permissions", c.Permissions, old.Record.Permissions)
	was := 0.0
	if old.Record.Cost != nil {
		was = old.Record.Cost.PerUse
	}
	if c.CostPerUse != was {
		out = append(out, strings.TrimSpace(fmt.Sprintf("costs %g %s a use, not %g", c.CostPerUse, c.Currency, was)))
	}
	if c.Executable && !old.Executable {
		out = append(out, "it runs code")
	}
	if c.WasStatus != "" && c.WasStatus != c.Status {
		out = append(out, "status "+c.Status+", was "+c.WasStatus)
	}
	return out
}

// code adds the files of a capability that are programs.
func (d *deltaJSON) code(changes []tree.Change) {
	var files []string
	for _, ch := range changes {
		inside, ok := strings.CutPrefix(ch.Path, d.Path+"/")
		if ok && !ch.Removed() && (strings.HasPrefix(inside, capability.ScriptsDir+"/") || inside == capability.ServerFile) {
			files = append(files, inside)
		}
	}
	if len(files) > 0 {
		d.New = append(d.New, "code "+strings.Join(files, ", "))
	}
}

// likes are the findings about near-duplicates.
func (r reviewJSON) likes() (likes, others diag.List) {
	for _, d := range r.Diagnostics {
		if strings.HasPrefix(d.Rule, "duplicate-") {
			likes.Add(d)
			continue
		}
		others.Add(d)
	}
	return likes, others
}
