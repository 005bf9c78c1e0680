package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/home/keys"
)

// scene is a workspace in which whole commands run: a copy, checked out, with one
// open proposal.
type scene struct {
	kept.Workspace
	program string
	// open is the id of the open proposal, next the number of a capability that was
	// never proposed.
	open string
	next int
	// last is what the last command took and said.
	last measure.Usage
}

// scene returns the one for a workspace, and makes it when it is first asked for.
func (b *bench) scene(ctx context.Context, spec kept.Spec) (*scene, error) {
	if s, ok := b.scenes[spec]; ok {
		return s, s.Enter()
	}
	w, err := b.scratch(ctx, spec)
	if err != nil {
		return nil, err
	}
	if err := keys.SetUnattended(true); err != nil { // nobody sits at a terminal
		return nil, err
	}
	s := &scene{Workspace: w, program: b.program, next: spec.Next() + generate.GroupSize}
	if _, err := s.Git(ctx, "", "reset", "-q", "--hard"); err != nil {
		return nil, err
	}
	if err := s.propose(ctx); err != nil {
		return nil, err
	}
	b.scenes[spec] = s
	return s, nil
}

// assent runs a command in the scene.
func (s *scene) assent(ctx context.Context, args ...string) (measure.Usage, error) {
	if err := s.Enter(); err != nil {
		return measure.Usage{}, err
	}
	return measure.Run(ctx, s.Repo, append([]string{s.program}, args...)...)
}

// draft writes the folder of a skill that nobody has.
func (s *scene) draft() (string, error) {
	s.next++
	for s.next%10 == 9 { // tools need a second approval
		s.next++
	}
	dir := filepath.Join(filepath.Dir(s.Repo), "drafts", generate.Name(s.next))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "SKILL.md"), s.Options().Capability(s.next)[0].Content, 0o666)
}

// proposing are the arguments that propose a new skill.
func (s *scene) proposing() ([]string, error) {
	dir, err := s.draft()
	return []string{"propose", dir, "--group", generate.Group(s.next / generate.GroupSize), "--goal", "learn to " + generate.Name(s.next), "--agent", generate.Agent, "--json"}, err
}

// propose makes a new proposal the open one.
func (s *scene) propose(ctx context.Context) error {
	args, err := s.proposing()
	if err != nil {
		return err
	}
	u, err := s.assent(ctx, args...)
	if err != nil {
		return err
	}
	s.last = u
	s.open = s.id()
	return nil
}

// id is that of the proposal which the last command made, "" if it made none.
func (s *scene) id() string {
	var out struct{ ID string }
	_ = json.Unmarshal(s.last.Output, &out) // what is no JSON has no id
	return out.ID
}
