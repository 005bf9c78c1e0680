package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// proposer writes proposals of four files straight into a copy of a registry.
type proposer struct {
	kept.Workspace
	repo *gitstore.Repo
	main gitstore.Commit
	next int
}

func (b *bench) proposer(ctx context.Context, n int) (*proposer, error) {
	w, err := b.scratch(ctx, kept.Spec{Capabilities: n})
	if err != nil {
		return nil, err
	}
	p := &proposer{Workspace: w, next: w.Next()}
	if p.repo, err = w.Open(); err != nil {
		return nil, err
	}
	at, err := p.repo.Ref("refs/heads/main")
	if err != nil {
		return nil, err
	}
	p.main, err = p.repo.Commit(at)
	return p, err
}

// files of the next proposal: a tool's three of four, and the proposal's own file.
func (p *proposer) files() (branch string, edits []tree.Edit) {
	p.next++
	id := fmt.Sprintf("many-%08d", p.next)
	path := generate.Path(p.next)
	for _, name := range []string{"SKILL.md", "capability.yaml", "tests.yaml"} {
		edits = append(edits, tree.Edit{Path: path + "/" + name, Content: fmt.Appendf(nil, "%s %s\n%s", name, id, strings.Repeat("a line\n", 50))})
	}
	return "refs/heads/proposal/" + id, append(edits, tree.Edit{Path: "proposals/2026/01/02/" + id + ".md", Content: []byte("why " + id)})
}

func (p *proposer) assent() error {
	branch, edits := p.files()
	root, err := p.repo.WriteTree(p.main.Tree, edits)
	if err != nil {
		return err
	}
	who := gitstore.Person{Name: generate.Agent, When: time.Now()}
	c, err := p.repo.WriteCommit(gitstore.Commit{Tree: root, Parents: []tree.Hash{p.main.Hash}, Author: who, Committer: who, Message: "Propose\n"}, nil)
	if err != nil {
		return err
	}
	return p.repo.Update(gitstore.RefUpdate{Name: branch, New: c})
}

// git does the same with plumbing commands; with settings as git -c takes them.
func (p *proposer) git(ctx context.Context, settings ...string) error {
	branch, edits := p.files()
	var failed error
	run := func(stdin string, args ...string) string {
		if failed != nil {
			return ""
		}
		out, err := p.Git(ctx, stdin, append(append([]string{}, settings...), args...)...)
		failed = err
		return out
	}
	var info strings.Builder
	for _, e := range edits {
		fmt.Fprintf(&info, "100644 %s\t%s\n", run(string(e.Content), "hash-object", "-w", "--stdin"), e.Path)
	}
	run("", "read-tree", p.main.Hash.String())
	run(info.String(), "update-index", "--index-info")
	c := run("", "commit-tree", run("", "write-tree"), "-p", p.main.Hash.String(), "-m", "Propose")
	run("", "update-ref", branch, c, tree.Hash{}.String())
	return failed
}

func proposeBesideGit(ctx context.Context, b *bench) ([]line, error) {
	var out []line
	for _, n := range []int{b.small, b.middle} {
		p, err := b.proposer(ctx, n)
		if err != nil {
			return nil, err
		}
		took, err := b.short.Medians(ctx,
			measure.Seconds(p.assent),
			measure.Seconds(func() error { return p.git(ctx) }),
			measure.Seconds(func() error { return p.git(ctx, "-c", "core.fsync=all") }))
		if err != nil {
			return nil, err
		}
		at := capabilities(n)
		out = append(out,
			line{What: at, Peer: "git's plumbing commands, as git syncs by default", Unit: inSeconds, Ours: took[0], Theirs: took[1], Goal: 0.25},
			line{What: at, Peer: "the same with core.fsync=all", Unit: inSeconds, Ours: took[0], Theirs: took[2]})
	}
	return out, nil
}

func proposeLarge(ctx context.Context, b *bench) ([]line, error) {
	large, err := b.proposer(ctx, b.largest)
	if err != nil {
		return nil, err
	}
	small, err := b.proposer(ctx, b.small)
	if err != nil {
		return nil, err
	}
	took, err := b.short.Medians(ctx, measure.Seconds(large.assent), measure.Seconds(small.assent))
	if err != nil {
		return nil, err
	}
	return []line{{What: capabilities(b.largest), Peer: "itself with " + capabilities(b.small), Unit: inSeconds, Ours: took[0], Theirs: took[1], Goal: 2}}, nil
}
