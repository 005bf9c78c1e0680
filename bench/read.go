package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

func readAll(ctx context.Context, b *bench) ([]line, error) {
	w, err := b.registry(ctx, b.middle)
	if err != nil {
		return nil, err
	}
	names, err := skills(ctx, w)
	if err != nil {
		return nil, err
	}
	took, err := b.short.Medians(ctx,
		measure.Seconds(func() error { return readSkills(w) }),
		measure.Seconds(func() error { return catFiles(ctx, w, names) }))
	if err != nil {
		return nil, err
	}
	return []line{{What: capabilities(b.middle), Peer: "`git cat-file --batch`, which is told the names", Unit: inSeconds, Ours: took[0], Theirs: took[1], Goal: 1.2}}, nil
}

// skills are the names of the blobs of every SKILL.md, one a line.
func skills(ctx context.Context, w kept.Workspace) (string, error) {
	list, err := w.Git(ctx, "", "ls-tree", "-r", "main", "skills")
	var names strings.Builder
	for l := range strings.Lines(list) {
		if f := strings.Fields(l); len(f) == 4 && strings.HasSuffix(f[3], "/SKILL.md") {
			fmt.Fprintln(&names, f[2])
		}
	}
	return names.String(), err
}

func catFiles(ctx context.Context, w kept.Workspace, names string) error {
	cmd := exec.CommandContext(ctx, "git", "cat-file", "--batch", "--buffer")
	cmd.Dir, cmd.Stdin, cmd.Stdout = w.Repo, strings.NewReader(names), io.Discard
	return cmd.Run()
}

func readSkills(w kept.Workspace) error {
	r, err := w.Open()
	if err != nil {
		return err
	}
	at, err := r.Ref("refs/heads/main")
	if err != nil {
		return err
	}
	s, err := r.Snapshot(at)
	if err != nil {
		return err
	}
	var all []tree.Hash
	err = tree.Files(s, "skills", func(e tree.Entry) error {
		if strings.HasSuffix(e.Path, "/SKILL.md") {
			all = append(all, e.Hash)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return readBlobs(r, all)
}

func readBlobs(r *gitstore.Repo, all []tree.Hash) error {
	var group errgroup.Group
	workers := runtime.GOMAXPROCS(0)
	for i := range workers {
		group.Go(func() error {
			for _, h := range all[len(all)*i/workers : len(all)*(i+1)/workers] {
				if _, err := r.Blob(h); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
