package propose

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/scan"
	"github.com/assent-dev/assent/engine/workspace"
)

// unasked asks for a second opinion if a reviewer is configured and was not asked about this
// content. Content that validation refuses needs none.
func unasked(ctx context.Context, cur workspace.Session, ex workspace.Examined) (workspace.Examined, error) {
	asked := slices.ContainsFunc(ex.Case.Facts().Opinions, func(o policy.Opinion) bool { return o.Current })
	if cur.Second == nil || asked || !ex.Report.Passed {
		return ex, nil
	}
	return Consult(ctx, cur, ex)
}

// Consult asks w.Second about an open proposal, records the answer with it, and examines it again.
// A missing answer is recorded, too: the shown content may have kept the reviewer from answering.
func Consult(ctx context.Context, cur workspace.Session, ex workspace.Examined) (workspace.Examined, error) {
	files, err := shown(cur.Workspace, ex)
	if err != nil {
		return ex, err
	}
	name, answer, is, err := cur.Second(ctx, cur.ID(), files, ex.Report.Diagnostics)
	if ctx.Err() != nil || !is {
		return ex, ctx.Err()
	}
	if err != nil {
		answer = advice.Answer{Verdict: advice.None, Reason: scan.Visible(err.Error())}
	}
	rec := advice.Record{
		V: advice.Version, Engine: version.Engine, Workspace: cur.ID(), Proposal: ex.Case.Pull.ID, Head: ex.Case.Pull.Head, Tree: ex.Case.Effective,
		Asked: name, Answer: advice.Fit(answer),
	}
	data, err := rec.Encode()
	if err != nil {
		return ex, err
	}
	if err := cur.Forge.Advise(ctx, rec.Proposal, forge.Advice{By: asker(cur.Workspace), Record: data, At: cur.Now()}); err != nil {
		return ex, err
	}
	return again(ctx, cur, ex)
}

// asker is whose machine asks, as Git is set up there.
func asker(w *workspace.Workspace) forge.Actor {
	name, email := w.Repo.User()
	if name == "" && email == "" {
		name = "assent"
	}
	return forge.Actor{Name: name, Email: email}
}

// shown returns the files to send: the changed ones, then the rest of their capabilities.
func shown(w *workspace.Workspace, ex workspace.Examined) ([]scan.File, error) {
	view, err := w.Repo.Snapshot(ex.Result.Tree)
	if err != nil {
		return nil, err
	}
	var out []scan.File
	add := func(e tree.Entry) error {
		if !e.Mode.IsFile() || slices.ContainsFunc(out, func(f scan.File) bool { return f.Path == e.Path }) {
			return nil
		}
		data, err := view.Read(e.Path)
		out = append(out, scan.File{Path: e.Path, Mode: e.Mode, Content: data})
		return err
	}
	for _, f := range ex.Report.Files {
		if f.Change == string(policy.Removed) || !names.Governed(f.Path) {
			continue
		}
		e, err := view.Lookup(f.Path)
		if err == nil {
			err = add(e)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, c := range ex.Report.Changes.Capabilities {
		if c.Op == policy.Removed {
			continue
		}
		if err := tree.Files(view, strings.TrimSuffix(c.Path, "/"), add); err != nil {
			return nil, err
		}
	}
	return out, nil
}
