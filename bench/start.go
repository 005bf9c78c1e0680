package main

import (
	"context"
	"strings"

	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
)

// start is what a program costs that does hardly anything.
func start(ctx context.Context, b *bench) ([]line, error) {
	s, err := b.scene(ctx, kept.Spec{Capabilities: b.small})
	if err != nil {
		return nil, err
	}
	var ignored float64
	git := func() (float64, error) {
		u, err := measure.Run(ctx, s.Repo, "git", "--version")
		return u.Seconds, err
	}

	took, err := b.short.Medians(ctx,
		question("version", "version").sample(ctx, s, &ignored), question("find", append([]string{"find"}, strings.Fields(words)...)...).sample(ctx, s, &ignored), git)
	if err != nil {
		return nil, err
	}
	return []line{
		{What: "`assent version`", Peer: "`git --version`", Unit: inSeconds, Ours: took[0], Theirs: took[2], Goal: 5},
		{What: "`assent find`, " + capabilities(b.small) + ", index there", Peer: "`git --version`", Unit: inSeconds, Ours: took[1], Theirs: took[2], Goal: 15},
	}, nil
}
