package gc

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/conflict"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
)

// dispute is a conflict of two skills. key is the evidence by which its proposal is known again.
type dispute struct {
	a, b  index.Entry
	key   string
	lines []string
}

// conflicts offers to settle each conflict of two active skills: demands that contradict each other, or
// missions that end worse with both than with either alone.
func conflicts(_ context.Context, cur workspace.Session, o observed) ([]offer, error) {
	var skills []conflict.Skill
	active, entries := map[string]bool{}, map[string]index.Entry{}
	for _, e := range o.all {
		if e.Kind != capability.KindSkill || e.Status != capability.Active {
			continue
		}
		c, _, err := capability.Glance(cur.View, e.Folder)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Path, err)
		}
		name := names.Fold(e.Name)
		active[name], entries[name] = true, e
		skills = append(skills, conflict.Skill{Name: name, AppliesTo: e.AppliesTo, Agents: e.Agents, Body: c.Skill.Body})
	}
	var found []dispute
	in := map[[2]string]bool{}
	for _, c := range conflict.Find(skills) {
		in[[2]string{c.A, c.B}] = true
		found = append(found, contradiction(c, entries))
	}
	for _, j := range trial.Joints(active, o.missions) {
		if !in[[2]string{j.A, j.B}] {
			found = append(found, interference(j, entries))
		}
	}
	var folders []string
	for _, d := range found {
		folders = append(folders, d.a.Path, d.b.Path)
	}
	if len(found) == 0 {
		return nil, nil
	}
	changed, err := audit.LastChanges(cur.Repo, cur.InForce, folders)
	if err != nil {
		return nil, err
	}
	var out []offer
	for _, d := range found {
		if changed[d.a.Path].When().After(changed[d.b.Path].When()) {
			d.a, d.b = d.b, d.a
		}
		out = append(out, d.offer(cur, o.all))
	}
	return out, nil
}

// contradiction is a conflict of two sentences. It is known again by what they are about.
func contradiction(c conflict.Clash, of map[string]index.Entry) dispute {
	d := dispute{a: of[c.A], b: of[c.B]}
	forbids := of[c.A]
	if c.DemandedBy == c.A {
		forbids = of[c.B]
	}
	first := fmt.Sprintf("%s demands: %q", of[c.DemandedBy].Path, shortened(c.Demands.Text))
	if c.Tool != "" {
		first = fmt.Sprintf("%s applies to %s.", of[c.DemandedBy].Path, c.Tool)
	}
	d.lines = []string{first, fmt.Sprintf("%s forbids: %q", forbids.Path, shortened(c.Forbids.Text))}
	d.key = strings.Join([]string{c.Tool, c.DemandedBy, c.Forbids.About}, "\x00")
	return d
}

// interference is a conflict that missions show. It is known again while both skills stay as they are.
func interference(j trial.Joint, of map[string]index.Entry) dispute {
	d := dispute{a: of[j.A], b: of[j.B]}
	line := func(alone string, c trial.Contrast) string {
		return fmt.Sprintf("Of %d pairs of missions with both and with %s alone, %d ended worse with both and %d better (e-value %.4g; %d is proof, as %d pairs of skills were tested).", c.Pairs, alone, c.Worse, c.Better, c.E, trial.Proven*j.Pairs, j.Pairs)
	}
	d.lines = []string{line(j.A, j.OverA), line(j.B, j.OverB)}
	d.key = d.a.Tree.String() + d.b.Tree.String()
	return d
}

// shortened is the beginning of a sentence.
func shortened(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// offer proposes to archive the skill that changed last, b, or, if something needs that, the other. An update of the proposal rewords the skill or limits it.
func (d dispute) offer(cur workspace.Session, all []index.Entry) offer {
	low, high := min(d.a.Path, d.b.Path), max(d.a.Path, d.b.Path)
	of := offer{
		Result:   Result{Kind: Conflict, Capability: d.b.Name, Other: d.a.Name, Path: d.b.Path},
		title:    "conflict " + capability.FolderOf(low).Name,
		key:      []string{"conflict", low, high, d.key},
		evidence: func() []string { return d.lines },
		again:    "the same conflict was settled by this proposal before",
	}
	for _, pair := range [][2]index.Entry{{d.b, d.a}, {d.a, d.b}} {
		of.requests = append(of.requests, func(id string) (propose.Request, []string, error) {
			c := candidate{Entry: pair[0]}
			if c.needed(all); len(c.kept) > 0 {
				return propose.Request{}, []string{pair[0].Name + " stays: " + strings.Join(c.kept, "; ")}, nil
			}
			r, err := d.request(cur, id, pair[0], pair[1])
			return r, nil, err
		})
	}
	return of
}

func (d dispute) request(cur workspace.Session, id string, drop, stay index.Entry) (propose.Request, error) {
	body := "# Why\n\nThese two skills are in conflict:\n\n" + items(d.lines) + "\n# What to do\n\n" + items([]string{
		fmt.Sprintf("To reword %s, or to say when it applies: `assent update %s FOLDER --goal \"…\"`, with its whole folder", drop.Name, names.ShellWord(id)),
		fmt.Sprintf("To change %s instead, propose that and reject this", stay.Name),
		fmt.Sprintf("To drop %s: `assent review %s approve`; once merged, `assent undo %[2]s` restores it", drop.Name, names.ShellWord(id)),
		fmt.Sprintf("To keep both: `assent review %s reject --reason \"…\"`; it is not proposed again without new evidence", names.ShellWord(id)),
	})
	r := propose.Request{
		Proposal: proposal.Proposal{
			ID: id, Kind: proposal.Archive, Capability: drop.Name, Body: body,
			Goal: fmt.Sprintf("reword, limit or drop %s, which is in conflict with %s", drop.Name, stay.Name),
		},
		Origin: provenance.Origin{Way: provenance.History},
	}.AsEngine(cur.Now())
	var err error
	r.Edits, err = removal(cur, drop.Path)
	return r, err
}

// removal are the edits that remove a folder.
func removal(cur workspace.Session, folder string) (out []tree.Edit, err error) {
	err = tree.Files(cur.View, folder, func(e tree.Entry) error {
		out = append(out, tree.Edit{Path: e.Path, Remove: true})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	return out, nil
}
