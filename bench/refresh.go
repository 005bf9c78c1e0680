package main

import (
	"context"
	"fmt"

	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/index"
)

// refreshed brings the index up to date after a merge that changed one file.
func refreshed(ctx context.Context, b *bench) ([]line, error) {
	w, err := b.scratch(ctx, kept.Spec{Capabilities: b.largest})
	if err != nil {
		return nil, err
	}
	x, err := b.indexed(ctx, b.largest)
	if err != nil {
		return nil, err
	}
	x.Workspace = w
	if err := x.merged(); err != nil {
		return nil, err
	}
	if err := x.buildAndKeep(); err != nil {
		return nil, err
	}
	took, err := b.short.Medians(ctx,
		measure.Seconds(x.refresh),
		measure.Seconds(func() error { _, err := w.Git(ctx, "", "diff-tree", "-r", "main", "next"); return err }))
	if err != nil {
		return nil, err
	}
	return []line{{What: capabilities(b.largest), Peer: "`git diff-tree -r`", Unit: inSeconds, Ours: took[0], Theirs: took[1], Goal: 1.5}}, nil
}

// merged makes a branch next that is one change ahead of main.
func (x *indexed) merged() error {
	r, err := x.Open()
	if err != nil {
		return err
	}
	at, err := r.Ref("refs/heads/main")
	if err != nil {
		return err
	}
	c, err := r.Commit(at)
	if err != nil {
		return err
	}
	edits := x.Options().Capability(x.Capabilities / 2)[:1]
	edits[0].Content = append(edits[0].Content, "One sentence more.\n"...)
	if c.Tree, err = r.WriteTree(c.Tree, edits); err != nil {
		return err
	}
	c.Parents = []tree.Hash{at}
	next, err := r.WriteCommit(c, nil)
	if err != nil {
		return err
	}
	return r.Update(gitstore.RefUpdate{Name: "refs/heads/next", New: next})
}

func (x *indexed) refresh() error {
	below, err := x.folder.Open(x.skills)
	if err != nil {
		return err
	}
	before, _, err := x.tree("main")
	if err != nil {
		return err
	}
	after, skills, err := x.tree("next")
	if err != nil {
		return err
	}
	made, ok, err := index.Refresh(below, before, after, skills, 1)
	if err == nil && !ok {
		err = fmt.Errorf("the index was not refreshed but built anew")
	}
	if err != nil {
		return err
	}
	return x.folder.Save(skills, made)
}
