package mission

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// maxReported bounds the lacks that one run of a command reports, in bytes.
const maxReported = 1 << 20

// reported names the file of the lacks that the agent reported during the newest run of the command.
func (s Store) reported(id string) string { return id + "/reported.jsonl" }

// Reported notes a lack that the agent of a mission reports, because its output is understood in English only.
// Nothing is noted for missions that Runner.Begin did not begin.
func Reported(ctx context.Context, id, name, goal string) error {
	dir, err := keys.Home()
	if err != nil || id == "" {
		return err
	}
	s := In(dir)
	if _, err := s.Files.Stat(s.file(id)); err != nil {
		return nil //nolint:nilerr // another mission
	}
	g := gaps.Planned(name, goal, 0)
	g.Evidence[0] = gaps.Evidence{By: gaps.ByReport, Words: g.Purpose}
	line, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return s.Files.Change(ctx, s.reported(id), maxReported, func(old []byte) ([]byte, error) {
		return append(old, append(line, '\n')...), nil
	})
}

// reports adds the lacks that the agent reported to those that were heard in its output.
func (s Store) reports(id string, heard []gaps.Gap) ([]gaps.Gap, error) {
	data, err := s.Files.Read(s.reported(id), maxReported)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		var g gaps.Gap
		if err := json.Unmarshal(line, &g); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(heard, func(o gaps.Gap) bool { return index.SameName(o.Name, g.Name) }) {
			heard = append(heard, g)
		}
	}
	return heard, nil
}

// end returns the last step of a mission whose command lacks nothing and did not fail. The outcome is success, unless the agent
// reported another one during the newest run.
func (r *Runner) end(ctx context.Context, s State) (Step, error) {
	step := Step{Kind: Ended, Outcome: trial.Success}
	cur, err := r.Agent.Look(ctx)
	if err != nil {
		return step, err
	}
	m, err := triallog.Mission(workspace.TrialsOf(cur), s.ID)
	var ran Step
	for _, one := range s.Steps {
		if one.Kind == Ran {
			ran = one
		}
	}
	begun := ran.At.Add(-time.Duration(ran.MS) * time.Millisecond).Truncate(time.Second) // trials have whole seconds
	if m.Outcome != trial.Open && m.Outcome != trial.Success && !m.Ended.Before(begun) {
		step.Outcome, step.Reason = m.Outcome, "the agent reported this outcome"
	}
	return step, err
}
