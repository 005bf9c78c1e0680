package proposals

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/proposals/folder"
	"github.com/assent-dev/assent/engine/proposals/importer"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// request makes a request from the command line. notes are remarks on how it was made.
func (o proposeOptions) request(ctx context.Context, c *console.Console, cur workspace.Session) (r propose.Request, notes []string, err error) {
	if r, err = console.Proposer(cur, o.agent, o.dryRun); err != nil {
		return r, nil, err
	}
	diags, err := o.gather(ctx, c, cur, &r, &notes)
	if err != nil {
		return r, nil, err
	}
	if diags.HasErrors() {
		return r, nil, console.Findings("nothing was proposed: the change cannot be read", diags)
	}
	for _, d := range diags {
		notes = append(notes, d.String())
	}
	if o.goal != "" {
		r.Proposal.Goal = o.goal
	}
	r.Tool = o.madeWith
	more, err := o.answer(cur, &r)
	return r, append(notes, more...), err
}

// answer adds the answers of --differs-from. An answer about a name that is not in force gets a
// note: the name may be misspelt, or be that of an open proposal's capability.
func (o proposeOptions) answer(cur workspace.Session, r *propose.Request) (notes []string, err error) {
	for _, text := range o.differs {
		name, how, ok := strings.Cut(text, "=")
		if name = strings.TrimSpace(name); !ok || name == "" || len(strings.Fields(how)) < 3 {
			return nil, console.Usage("--differs-from %q: write NAME=HOW, and in three words or more what the other capability does not do", text)
		}
		known, err := cur.View.Named(name)
		if err != nil {
			return nil, err
		}
		if len(known) == 0 {
			notes = append(notes, fmt.Sprintf("--differs-from %s: no capability in force has this name, so that it answers for none but what an open proposal brings; assent find %s", name, names.ShellWord(name)))
		}
		r.Proposal.Differs = append(r.Proposal.Differs, proposal.Difference{From: name, How: strings.Join(strings.Fields(how), " ")})
	}
	return notes, nil
}

func (o proposeOptions) gather(ctx context.Context, c *console.Console, cur workspace.Session, r *propose.Request, notes *[]string) (diag.List, error) {
	draft, dirs := o.draft, slices.Clone(o.files)
	if o.source != "" {
		info, err := os.Stat(o.source)
		switch {
		case o.source == "-" || err == nil && !info.IsDir():
			if draft != "" {
				return nil, console.Usage("two drafts: -f %s and %s", draft, o.source)
			}
			draft = o.source
		case err != nil:
			return nil, console.Usage("%s: no such file or folder", o.source)
		default:
			dirs = append(dirs, o.source)
		}
	}
	if draft == "" && len(dirs) == 0 || len(o.only) > 0 {
		return o.current(c, cur, r, notes)
	}
	var diags diag.List
	if draft != "" {
		src, err := console.ReadDraft(ctx, c, draft)
		if err != nil {
			return nil, err
		}
		d, more, err := propose.ReadDraft(cur.View, draft, src)
		if err != nil {
			return nil, err
		}
		diags.Add(more...)
		r.Proposal, r.Edits = d.Proposal, d.Edits
		r.Origin = provenance.Origin{Way: provenance.Draft, Source: filepath.Base(draft), Digest: canonical.Digest(src)}
		if draft == "-" {
			r.Origin.Way, r.Origin.Source = provenance.Stdin, ""
		}
	}
	for _, dir := range dirs {
		more, err := o.folder(cur, dir, r, notes)
		if err != nil {
			return nil, err
		}
		diags.Add(more...)
		if console.Inside(cur.Repo.Root(), dir) {
			stale, err := propose.RefuseStale(cur.Workspace, r.Edits, nil, o.command())
			if err != nil {
				return nil, err
			}
			diags.Add(stale...)
		}
		if draft == "" {
			r.Origin = provenance.Origin{Way: provenance.Folder, Source: baseOf(dirs[0]), Digest: propose.DigestOf(r.Edits)}
		}
	}
	return diags, nil
}

// baseOf is a folder's own name, without those above it.
func baseOf(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}

// folder reads a folder: a skill's own, or one laid out like the workspace.
func (o proposeOptions) folder(cur workspace.Session, dir string, r *propose.Request, notes *[]string) (diag.List, error) {
	edits, diags, err := folder.Read(dir, console.FolderBounds(cur))
	if err != nil || diags.HasErrors() {
		return diags, err
	}
	if !isSkillFolder(edits) {
		for _, e := range edits {
			if !names.Governed(e.Path) {
				diags.Warnf(propose.RuleOutside, diag.Pos{File: e.Path}, "", "%s is left out: it is not in a governed folder", e.Path)
				continue
			}
			r.Edits = append(r.Edits, e)
		}
		if len(r.Edits) == 0 {
			diags.Errorf(folder.RuleEmpty, diag.Pos{File: dir}, "name a folder with a SKILL.md, or one with skills/ or soul/ in it",
				"%s holds neither a SKILL.md nor a governed folder", dir)
		}
		return diags, nil
	}
	return o.skill(cur, dir, edits, diags, r, notes)
}

// skill fits a skill's folder in and finds its place.
func (o proposeOptions) skill(cur workspace.Session, dir string, edits []tree.Edit, diags diag.List, r *propose.Request, notes *[]string) (diag.List, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return diags, fmt.Errorf("find folder %s: %w", dir, err)
	}
	group := o.group
	if group == "" {
		group = groupOf(cur.Repo.Root(), abs)
	}
	fitted, err := importer.Fit(filepath.Base(abs), edits, diags, func(name string) (string, error) {
		if at := o.placed[name]; at != "" && o.group == "" {
			return at, nil
		}
		return propose.Place(cur, name, group)
	})
	if err != nil || fitted.Skipped {
		return fitted.Diags, err
	}
	for _, change := range fitted.Changes {
		*notes = append(*notes, fitted.Name+": "+change)
	}
	r.Edits = append(r.Edits, fitted.Edits...)
	r.Original = append(r.Original, fitted.Original...)
	for _, left := range fitted.LeftOut {
		r.LeftOut = append(r.LeftOut, fitted.Place+"/"+left)
	}
	return fitted.Diags, nil
}

// groupOf returns the group of a folder of the worktree; "" if it is in none, or elsewhere.
func groupOf(root, dir string) string {
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return ""
	}
	realDir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(realRoot, realDir)
	if parts := strings.Split(filepath.ToSlash(rel), "/"); err == nil && len(parts) == 3 && parts[0] == capability.Root {
		return parts[1]
	}
	return ""
}

func isSkillFolder(edits []tree.Edit) bool {
	return slices.ContainsFunc(edits, func(e tree.Edit) bool { return strings.EqualFold(e.Path, names.SkillFile) })
}

// current adds the changes of the current branch and of the worktree.
func (o proposeOptions) current(c *console.Console, cur workspace.Session, r *propose.Request, notes *[]string) (diag.List, error) {
	src, err := propose.FromWorktree(cur, o.only, o.command())
	if errors.Is(err, propose.ErrCommitted) {
		return nil, console.Refused(o.command()+" without paths proposes the branch; git switch main takes uncommitted edits along", "%s", err)
	}
	if err != nil {
		return nil, err
	}
	if left := output.Ignored(src.Ignored, o.only); left != "" {
		*notes = append(*notes, left)
	}
	if len(src.Edits) == 0 {
		if len(*notes) > 0 {
			c.Progress("%s", strings.Join(*notes, "; "))
		}
		return nil, console.Refused("edit files under skills/, soul/, policies/ or workflows/, or name a folder or a draft: "+
			o.command()+" FOLDER, "+o.command()+" -f draft.md", "%s: the current branch and worktree change no governed file", o.nothing())
	}
	r.Edits, r.Parent, r.Drop = src.Edits, src.Parent, src.Drop
	r.Proposal = src.Proposal
	r.Origin = provenance.Origin{Way: provenance.Worktree, Digest: propose.DigestOf(src.Edits)}
	if src.Branch != attest.MainRef && !src.Parent.IsZero() {
		r.Origin.Way, r.Origin.Source = provenance.Branch, strings.TrimPrefix(src.Branch, "refs/heads/")
	}
	if src.Parent != (tree.Hash{}) && src.Parent != cur.InForce {
		*notes = append(*notes, fmt.Sprintf("from the commits of %s", strings.TrimPrefix(src.Branch, "refs/heads/")))
	}
	if len(src.Outside) > 0 {
		*notes = append(*notes, fmt.Sprintf("left out: %s outside the governed folders", console.Plural(len(src.Outside), "changed file")))
	}
	if src.Branch == attest.MainRef {
		*notes = append(*notes, "your edits of main's worktree stay as they are; they come into force when the proposal is merged")
	}
	return src.Diagnostics, nil
}
