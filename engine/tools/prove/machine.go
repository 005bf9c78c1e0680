package prove

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace"
)

// Machine runs the tests that the policies require before a merge on this machine, and stores
// the results.
type Machine struct {
	Kept     Kept
	Packages string
	Now      func() time.Time
	Workers  int
	// Runner isolates; proposed code never runs without it.
	Runner func(ctx context.Context) (sandbox.Runner, error)
	// Say, if not nil, is called before a run.
	Say func(format string, args ...any)
}

// Prove returns the test results of an examined proposal, one trial for each capability that
// security.yaml wants tested. Results for the same content that ran here before are reused.
// unrun says why a machine that cannot isolate ran nothing.
func (m Machine) Prove(ctx context.Context, cur workspace.Session, ex workspace.Examined) (trials []proof.Trial, unrun string, err error) {
	asked := cur.Policies.Security.Tests
	subjects := map[string]string{}
	for _, s := range ex.Case.Subjects {
		subjects[s.Path] = s.Digest
	}
	trials = []proof.Trial{}
	var targets []Target
	view, err := cur.See(ex.Result.Tree)
	if err != nil {
		return nil, "", fmt.Errorf("read what would be merged: %w", err)
	}
	for _, c := range cur.Policies.MustProve(ex.Report.Changes) {
		if t, known := m.Kept.Load(subjects[c.Path], asked.Repeat); known {
			trials = append(trials, t)
			continue
		}
		loaded, _, err := capability.Load(view, c.Path)
		if err != nil {
			return nil, "", fmt.Errorf("read %s: %w", c.Path, err)
		}
		if !loaded.Callable() {
			trials = append(trials, proof.TrialOf(c.Path, subjects[c.Path], asked.Repeat, suite.Report{Subject: suite.Subject{Name: c.Name}, State: proof.Nothing}, "", nil))
			continue
		}
		targets = append(targets, Target{View: view, Path: c.Path, Base: cur.View, Calls: c.Calls})
	}
	if len(targets) == 0 {
		return trials, "", nil
	}
	ran, err := m.run(ctx, cur, targets, subjects)
	var no *sandbox.Refusal
	if errors.As(err, &no) {
		return nil, no.Why, nil
	}
	return append(trials, ran...), "", err
}

func (m Machine) run(ctx context.Context, cur workspace.Session, targets []Target, subjects map[string]string) ([]proof.Trial, error) {
	runner, err := m.Runner(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // a refusal says it all
	}
	plan, err := Plan(targets)
	if err != nil {
		return nil, err
	}
	if m.Say != nil {
		var names []string
		for _, p := range plan {
			names = append(names, p.Capability.Name)
		}
		m.Say("running the tests of %s, %d times", strings.Join(names, ", "), cur.Policies.Security.Tests.Repeat)
	}
	p := cur.Policies
	p.Security.Sandbox = "required"
	proofs, err := Options{
		Runner: runner, Policies: p, Packages: m.Packages, Now: m.Now, Workers: m.Workers, Repeat: p.Security.Tests.Repeat,
	}.Run(ctx, plan)
	if err != nil {
		return nil, err
	}
	out := Trials(proofs, subjects, p.Security.Tests.Repeat)
	for _, t := range out {
		_ = m.Kept.Save(t) // it is only run once more
	}
	return out, nil
}

// Trials condenses proofs, each of which ran its cases repeat times. subjects are the digests
// by folder.
func Trials(proofs []Proof, subjects map[string]string, repeat int) []proof.Trial {
	var out []proof.Trial
	for _, p := range proofs {
		var against []string
		for _, d := range p.Diagnostics {
			if d.Severity == diag.Error {
				against = append(against, d.Pos.String()+": "+d.Message)
			}
		}
		out = append(out, proof.TrialOf(p.Path, subjects[p.Path], repeat, p.Report, p.Digest, against))
	}
	return out
}

// Of prepares subjects by folder, as this version of the engine tests them.
func Of(cur workspace.Session, ex workspace.Examined) (map[string]string, error) {
	view, err := cur.See(ex.Result.Tree)
	if err != nil {
		return nil, fmt.Errorf("read what would be merged: %w", err)
	}
	all, err := workspace.SubjectsOf(cur, view, ex.Report.Changes, version.Engine)
	out := map[string]string{}
	for _, s := range all {
		out[s.Path] = s.Digest
	}
	return out, err //nolint:wrapcheck // it names the file
}
