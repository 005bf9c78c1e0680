package toolset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/importer"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/tools/memory"
	"github.com/assent-dev/assent/engine/workspace"
)

// ProposeInput is a change: files by path, a draft with front matter, or both.
type ProposeInput struct {
	Goal string `json:"goal,omitempty"`
	// Files maps paths to texts; null deletes the file. Paths begin with a governed folder,
	// or are relative to one skill's folder: SKILL.md and its other files.
	Files map[string]*string `json:"files,omitempty"`
	Draft string             `json:"draft,omitempty"`
	// Update is the id of an open proposal that gets this content.
	Update string `json:"update,omitempty"`
	DryRun bool   `json:"dry_run,omitempty"`
	// MadeWith is the client, as it names itself: a claim that the proposal records.
	MadeWith string `json:"-"`
}

// Propose opens a proposal as this agent, or updates one.
func (a *Agent) Propose(ctx context.Context, in ProposeInput) (Proposal, error) {
	if a.Name == "" {
		return Proposal{}, nameless(ctx, a)
	}
	if in.Draft == "" && len(in.Files) == 0 {
		return Proposal{}, refuse(`give files such as {"SKILL.md": "---\nname: …\ndescription: …\n---\n…"}, and a goal`, "there is nothing to propose")
	}
	cur, err := a.Join(ctx)
	if err != nil {
		return Proposal{}, err
	}
	r := propose.Request{DryRun: in.DryRun, Tool: in.MadeWith}
	if r.By, r.Author, err = propose.Who(cur, a.Name); err != nil {
		return Proposal{}, err
	}
	var target forge.Pull
	if in.Update != "" {
		if target, err = propose.Resolve(ctx, cur.Workspace, in.Update); err != nil {
			return Proposal{}, unknownProposal(err, in.Update)
		}
	}
	notes, err := in.request(cur, target, &r)
	if err != nil {
		return Proposal{}, err
	}
	var out propose.Outcome
	if in.Update == "" {
		out, err = propose.Open(ctx, cur.Workspace, r)
	} else {
		out, err = propose.Update(ctx, cur.Workspace, target.ID, r)
	}
	if errors.Is(err, propose.ErrNothing) {
		return a.proposal(ctx, cur, target.ID)
	}
	if other := (*propose.NotYours)(nil); errors.As(err, &other) {
		return Proposal{}, refuse("propose a change of your own, without update", "%s", err)
	}
	if err != nil {
		return Proposal{}, err
	}
	if out.Diagnostics.HasErrors() {
		return Proposal{}, refuse("mend these, and propose again", "nothing was proposed:\n%s", strings.Join(findings(out.Diagnostics), "\n"))
	}
	if a.Changed != nil && !in.DryRun {
		a.Changed(ctx, cur)
	}
	p := proposalOf(out.Examined)
	remarks, err := memory.Remarks(cur, out.Examined)
	if err != nil {
		return Proposal{}, err
	}
	p.Notes, p.DryRun = slices.Concat(notes, remarks), in.DryRun
	p.Findings = append(findings(out.Diagnostics), p.Findings...)
	if in.DryRun {
		p.Next = "this was a dry run: propose without dry_run opens it"
	}
	return p, nil
}

// nameless tells a client how to get an agent's name.
func nameless(ctx context.Context, a *Agent) error {
	next := "ask the person to set ASSENT_AGENT for this server"
	if cur, err := a.Open(ctx); err == nil {
		if known := propose.Agents(cur); len(known) > 0 {
			next += " to one of: " + strings.Join(known, ", ")
		}
	}
	return refuse(next, "this connection names no agent, and a proposal is made in an agent's name")
}

func unknownProposal(err error, id string) error {
	var several *propose.Ambiguous
	switch {
	case errors.Is(err, forge.ErrNotFound):
		return refuse("status lists the open proposals", "there is no proposal %q", id)
	case errors.As(err, &several):
		return refuse("give the whole id", "%s", err)
	}
	return err
}

// request fills in the changes.
func (in ProposeInput) request(cur workspace.Session, target forge.Pull, r *propose.Request) (notes []string, err error) {
	var diags diag.List
	r.Origin = provenance.Origin{Way: provenance.Edit}
	if in.Draft != "" {
		d, more, err := propose.ReadDraft(cur.View, "draft", []byte(in.Draft))
		if err != nil {
			return nil, err
		}
		diags.Add(more...)
		r.Proposal, r.Edits = d.Proposal, d.Edits
		r.Origin = provenance.Origin{Way: provenance.Stdin, Digest: canonical.Digest([]byte(in.Draft))}
	}
	if goal := strings.Join(strings.Fields(in.Goal), " "); goal != "" {
		r.Proposal.Goal = goal
	}
	skill, edits := in.split()
	r.Edits = append(r.Edits, edits...)
	if len(skill) > 0 {
		more, found, err := fit(cur, target, skill, r)
		if err != nil {
			return nil, err
		}
		notes = more
		diags.Add(found...)
	}
	if diags.HasErrors() {
		return nil, refuse("mend these, and propose again", "nothing was proposed:\n%s", strings.Join(findings(diags), "\n"))
	}
	if r.Proposal.Goal == "" && in.Update == "" {
		return nil, refuse("say in goal, in one line, what the change is for", "the proposal has no goal")
	}
	if in.Draft == "" {
		r.Origin.Digest = propose.DigestOf(r.Edits)
	}
	return append(notes, findings(diags)...), nil
}

// split separates the files of one skill's folder from paths of the workspace.
func (in ProposeInput) split() (skill, edits []tree.Edit) {
	for _, name := range slices.Sorted(maps.Keys(in.Files)) {
		e := tree.Edit{Path: strings.TrimPrefix(name, "./")}
		if text := in.Files[name]; text != nil {
			e.Content = []byte(*text)
		} else {
			e.Remove = true
		}
		if _, own := in.Files[names.SkillFile]; own && !e.Remove && !names.Governed(e.Path) {
			skill = append(skill, e)
		} else {
			edits = append(edits, e)
		}
	}
	return skill, edits
}

// fit gives a skill's folder its place in the workspace.
func fit(cur workspace.Session, target forge.Pull, files []tree.Edit, r *propose.Request) ([]string, diag.List, error) {
	name := ""
	for _, e := range files {
		if e.Path == names.SkillFile {
			read, _ := capability.ReadSkill(path.Join("skill", names.SkillFile), e.Content)
			name = read.Name
		}
	}
	if name == "" {
		return nil, nil, refuse("begin it with front matter: name, which is also the folder's, and description", "SKILL.md has no name")
	}
	placed := map[string]string{}
	if target.ID != "" {
		var err error
		if placed, err = propose.Placed(cur, target); err != nil {
			return nil, nil, err
		}
	}
	fitted, err := importer.Fit(name, files, nil, func(name string) (string, error) {
		if at := placed[name]; at != "" {
			return at, nil
		}
		return propose.Place(cur, name, "")
	})
	if err != nil || fitted.Skipped {
		return nil, fitted.Diags, err
	}
	notes := []string{fmt.Sprintf("%s goes into %s", fitted.Name, fitted.Place)}
	for _, change := range fitted.Changes {
		notes = append(notes, fitted.Name+": "+change)
	}
	r.Edits = append(r.Edits, fitted.Edits...)
	r.Original = append(r.Original, fitted.Original...)
	for _, left := range fitted.LeftOut {
		r.LeftOut = append(r.LeftOut, fitted.Place+"/"+left)
	}
	return notes, fitted.Diags, nil
}

// proposal examines one.
func (a *Agent) proposal(ctx context.Context, cur workspace.Session, id string) (Proposal, error) {
	ex, err := cur.Examine(ctx, id)
	if err != nil {
		return Proposal{}, err
	}
	return proposalOf(ex), nil
}
