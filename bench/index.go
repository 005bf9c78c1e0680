package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/indexfile"
	"github.com/assent-dev/assent/engine/registry/index"
)

// indexed is a registry and a folder for its index.
type indexed struct {
	kept.Workspace
	folder indexfile.Folder
	skills tree.Hash
}

func (b *bench) indexed(ctx context.Context, n int) (*indexed, error) {
	w, err := b.registry(ctx, n)
	if err != nil {
		return nil, err
	}
	x := &indexed{Workspace: w, folder: indexfile.Folder{Dir: filepath.Join(b.temp, fmt.Sprintf("index-%d", n))}}
	_, x.skills, err = x.tree("main")
	return x, err
}

// tree opens the repository anew and returns a commit's tree, and the hash of skills/
// in it.
func (x *indexed) tree(rev string) (*gitstore.Snapshot, tree.Hash, error) {
	r, err := x.Open()
	if err != nil {
		return nil, tree.Hash{}, err
	}
	h, err := r.Resolve(rev)
	if err != nil {
		return nil, h, err
	}
	v, err := r.Snapshot(h)
	if err != nil {
		return nil, h, err
	}
	e, err := v.Lookup(capability.Root)
	return v, e.Hash, err
}

// build reads and parses everything, and makes the index.
func (x *indexed) build() ([]byte, error) {
	v, skills, err := x.tree("main")
	if err != nil {
		return nil, err
	}
	return index.Build(v, skills, runtime.GOMAXPROCS(0))
}

func (x *indexed) buildAndKeep() error {
	data, err := x.build()
	if err != nil {
		return err
	}
	return x.folder.Save(x.skills, data)
}

func coldIndex(ctx context.Context, b *bench) ([]line, error) {
	x, err := b.indexed(ctx, b.middle)
	if err != nil {
		return nil, err
	}
	names, err := skills(ctx, x.Workspace)
	if err != nil {
		return nil, err
	}
	took, err := b.long.Medians(ctx,
		measure.Seconds(func() error { _, err := x.build(); return err }),
		measure.Seconds(func() error { return catFiles(ctx, x.Workspace, names) }))
	if err != nil {
		return nil, err
	}
	return []line{{What: capabilities(b.middle), Peer: "`git cat-file --batch` of every SKILL.md", Unit: inSeconds, Ours: took[0], Theirs: took[1], Goal: 2}}, nil
}

func warmIndex(ctx context.Context, b *bench) ([]line, error) {
	x, err := b.indexed(ctx, b.largest)
	if err != nil {
		return nil, err
	}
	cold := measure.Seconds(x.buildAndKeep)
	warm := measure.Seconds(func() error {
		opened, err := x.folder.Open(x.skills)
		if err != nil {
			return err
		}
		found, err := opened.Named(generate.Name(b.largest / 2))
		if err == nil && len(found) != 1 {
			err = fmt.Errorf("%d capabilities are called %s", len(found), generate.Name(b.largest/2))
		}
		return err
	})
	took, err := b.long.Medians(ctx, cold, warm)
	if err != nil {
		return nil, err
	}
	return []line{{What: capabilities(b.largest), Peer: "reading and parsing all, and keeping the index", Unit: inSeconds, Ours: took[1], Theirs: took[0], Goal: 0.02}}, nil
}
