package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
)

// command is one call of the program. What comes before and after is not measured.
type command struct {
	name          string
	args          func(*scene) ([]string, error)
	before, after func(context.Context, *scene) error
}

func (c command) title() string {
	name, how, _ := strings.Cut(c.name, ",")
	return "`assent " + name + "`" + how
}

// question is a command that changes nothing.
func question(name string, args ...string) command {
	return command{name: name, args: func(*scene) ([]string, error) { return append([]string{}, args...), nil }}
}

// ofOpen is a command about the open proposal.
func ofOpen(name string, more ...string) command {
	return command{name: name, args: func(s *scene) ([]string, error) { return append([]string{name, s.open}, more...), nil }}
}

// everyday are the commands that people and agents use.
func everyday() []command {
	find := question("find", append([]string{"find"}, strings.Fields(words)...)...)
	cold := find
	cold.name = "find, without an index"
	cold.before = func(_ context.Context, s *scene) error { return os.RemoveAll(filepath.Join(s.Home, "index")) }
	return append([]command{
		question("status", "status"), question("list", "list"), cold, find,
		question("inspect", "inspect", generate.Name(0)), question("cat", "cat", generate.Name(0)),
		question("check", "check"), question("log", "log"), question("audit verify", "audit", "verify"), question("doctor", "doctor"),
	}, steps()...)
}

// steps are the commands of a proposal's life.
func steps() []command {
	propose := command{name: "propose", args: (*scene).proposing, after: func(ctx context.Context, s *scene) error {
		_, err := s.assent(ctx, "withdraw", s.id(), "--reason", "it was measured")
		return err
	}}
	validate := command{name: "validate", args: func(s *scene) ([]string, error) {
		return []string{"validate", "--base", "main", "--head", "proposal/" + s.open}, nil
	}}
	anew := func(ctx context.Context, s *scene) error { return s.propose(ctx) }
	review, merge := ofOpen("review", "approve", "--reason", "read it"), ofOpen("merge")
	review.before = anew
	merge.before = func(ctx context.Context, s *scene) error {
		if err := s.propose(ctx); err != nil {
			return err
		}
		_, err := s.assent(ctx, "review", s.open, "approve", "--reason", "read it")
		return err
	}
	merge.after = anew
	return []command{ofOpen("show"), validate, propose, review, merge}
}

// words are what is looked for where one question is enough.
const words = "parse encrypted invoices"

// sample runs the command once; memory keeps the most that it took.
func (c command) sample(ctx context.Context, s *scene, memory *float64) measure.Sample {
	return func() (float64, error) {
		if c.before != nil {
			if err := c.before(ctx, s); err != nil {
				return 0, fmt.Errorf("before %s: %w", c.name, err)
			}
		}
		args, err := c.args(s)
		if err != nil {
			return 0, err
		}
		u, err := s.assent(ctx, args...)
		if err != nil {
			return 0, err
		}
		s.last = u
		*memory = max(*memory, float64(u.Memory))
		if c.after != nil {
			err = c.after(ctx, s)
		}
		return u.Seconds, err
	}
}

// commands runs each command in a large and in a small workspace.
func commands(ctx context.Context, b *bench) ([]line, error) {
	large, err := b.scene(ctx, kept.Spec{Capabilities: b.largest})
	if err != nil {
		return nil, err
	}
	small, err := b.scene(ctx, kept.Spec{Capabilities: b.smallest})
	if err != nil {
		return nil, err
	}
	blobs, err := registrySize(ctx, large.Workspace)
	if err != nil {
		return nil, err
	}
	var times, memories []line
	for _, c := range everyday() {
		fmt.Fprintf(b.log, "  %s\n", c.title())
		var at, atSmall float64
		took, err := b.long.Medians(ctx, c.sample(ctx, large, &at), c.sample(ctx, small, &atSmall))
		if err != nil {
			return nil, err
		}
		times = append(times, line{
			What: c.title() + ", " + capabilities(b.largest),
			Peer: "itself with " + capabilities(b.smallest), Unit: inSeconds, Ours: took[0], Theirs: took[1],
		})
		memories = append(memories, line{
			What: fmt.Sprintf("memory of %s; with %s it is %s", c.title(), number(b.smallest), bytesOf(atSmall)),
			Peer: "the files of all capabilities", Unit: inBytes, Ours: at, Theirs: blobs, Goal: 1.5,
		})
	}
	return append(times, memories...), nil
}

// registrySize is how many bytes all files below skills/ have.
func registrySize(ctx context.Context, w kept.Workspace) (float64, error) {
	list, err := w.Git(ctx, "", "ls-tree", "-r", "-l", "main", "skills")
	sum := 0.0
	for l := range strings.Lines(list) {
		if f := strings.Fields(l); len(f) == 5 {
			n, _ := strconv.ParseFloat(f[3], 64)
			sum += n
		}
	}
	return sum, err
}
