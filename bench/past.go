package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace"
)

// withPast is the workspace with closed proposals.
func (b *bench) withPast() kept.Spec {
	return kept.Spec{Capabilities: b.small, Merged: b.merged, Closed: b.closed, Events: b.events}
}

// past asks what a past costs: whole commands with ten thousand closed proposals, folded
// and not, beside the same without.
func past(ctx context.Context, b *bench) ([]line, error) {
	without, err := b.scene(ctx, kept.Spec{Capabilities: b.small, Merged: b.merged})
	if err != nil {
		return nil, err
	}
	with, err := b.scene(ctx, b.withPast())
	if err != nil {
		return nil, err
	}
	var out []line
	what := number(b.closed) + " closed proposals "
	for _, state := range []string{"with refs", "folded"} {
		if state == "folded" {
			for _, later := range []time.Duration{0, 2 * journal.Settling} {
				if err := with.Enter(); err != nil {
					return nil, err
				}
				if err := maintained(ctx, with.Workspace, later); err != nil {
					return nil, err
				}
			}
		}
		lines, err := b.lived(ctx, with, without, what+state)
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
	}
	lines, err := b.audited(ctx, with)
	return append(out, lines...), err
}

// lived runs the commands that a past could slow down.
func (b *bench) lived(ctx context.Context, with, without *scene, what string) ([]line, error) {
	var out []line
	for _, c := range everyday() {
		switch c.name {
		case "status", "list", "log", "show", "propose", "merge":
		default:
			continue
		}
		fmt.Fprintf(b.log, "  %s, %s\n", c.title(), what)
		var ignored float64
		took, err := b.long.Medians(ctx, c.sample(ctx, with, &ignored), c.sample(ctx, without, &ignored))
		if err != nil {
			return nil, err
		}
		out = append(out, line{What: c.title() + ", " + what, Peer: "the same without", Unit: inSeconds, Ours: took[0], Theirs: took[1]})
	}
	return b.read(ctx, with, out, what)
}

// read reads the journals of closed proposals, each time another one.
func (b *bench) read(ctx context.Context, s *scene, out []line, what string) ([]line, error) {
	ws, err := workspace.Open(s.Repo, workspace.Surroundings{Now: time.Now, Random: rand.Reader})
	if err != nil {
		return nil, err
	}
	all, err := ws.Forge.List(ctx, forge.Filter{State: forge.Closed})
	if err != nil {
		return nil, err
	}
	i := 0
	one := func() error {
		i++
		_, err := ws.Forge.Activity(ctx, all[i*7919%len(all)].ID)
		return err
	}
	git := func() error {
		_, err := s.Git(ctx, "", "log", "--first-parent", "-n", fmt.Sprint(b.events), all[i*7919%len(all)].Head.String())
		return err
	}
	took, err := b.short.Medians(ctx, measure.Seconds(one), measure.Seconds(git))
	if err != nil {
		return nil, err
	}
	return append(out, line{
		What: fmt.Sprintf("read one journal of %d events, repository open, %s", b.events, what), Peer: "one start of `git log`",
		Unit: inSeconds, Ours: took[0], Theirs: took[1],
	}), nil
}

// audited is what it takes to prove everything, for each commit and event.
func (b *bench) audited(ctx context.Context, s *scene) ([]line, error) {
	var memory float64
	verify := question("audit verify", "audit", "verify", "--json").sample(ctx, s, &memory)
	took, err := b.long.Medians(ctx, verify, measure.Seconds(func() error {
		_, err := s.Git(ctx, "", "fsck", "--no-progress", "--no-dangling")
		return err
	}))
	if err != nil {
		return nil, err
	}
	var res struct{ Merges, Journals int }
	if err := json.Unmarshal(s.last.Output, &res); err != nil {
		return nil, fmt.Errorf("audit verify: %w", err)
	}
	count, err := s.Git(ctx, "", "rev-list", "--count", "--all")
	if err != nil {
		return nil, err
	}
	commits, err := strconv.ParseFloat(count, 64)
	return []line{{
		What: fmt.Sprintf("`assent audit verify`, %s merges and %s journals: for each commit there is", number(res.Merges), number(res.Journals)),
		Peer: "`git fsck` of the same repository", Unit: inSeconds, Ours: took[0] / commits, Theirs: took[1] / commits,
	}}, err
}
