package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/registry/graph"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// MaxTrials is how many trials become nodes, the newest. Sums are of all trials.
const MaxTrials = 10_000

// Wanted narrows what is read.
type Wanted struct {
	// Agents are those whose knowledge is wanted.
	Agents []string
	// Since is the first day of trials, proposals and jobs; zero for all.
	Since time.Time
	// Trials is the largest number of single trials, the newest.
	Trials int
}

// Read collects the source of a graph. Problems are journals that could not be read; they count for
// nothing.
func Read(ctx context.Context, cur workspace.Session, want Wanted) (s graph.Source, problems []error, err error) {
	s.Since = want.Since
	if s.Capabilities, err = capabilities(ctx, cur); err != nil {
		return s, nil, err
	}
	for _, name := range want.Agents {
		learned, err := Learned(cur, name)
		if err != nil {
			return s, nil, err
		}
		s.Agents = append(s.Agents, graph.Learner{Name: name, Learned: learned})
	}
	if s.Proposals, err = proposals(cur); err != nil {
		return s, nil, err
	}
	if s.Jobs, problems, err = jobs(ctx, cur); err != nil {
		return s, problems, err
	}
	more, err := trials(cur, want, &s)
	return s, append(problems, more...), err
}

func capabilities(ctx context.Context, cur workspace.Session) ([]graph.Known, error) {
	entries, err := cur.Capabilities.Entries(func(index.Entry) bool { return true })
	if err != nil {
		return nil, fmt.Errorf("read the capabilities in force: %w", err)
	}
	health, err := workspace.HealthOf(cur).All()
	if err != nil {
		return nil, err
	}
	var out []graph.Known
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, _, err := capability.Glance(cur.View, e.Folder)
		if err != nil {
			return nil, err
		}
		out = append(out, graph.Known{Capability: c, Calls: e.Calls, Digest: e.Tree.String(), Health: health[names.Fold(e.Name)]})
	}
	return out, nil
}

// Learned is the list of learned capabilities in an agent's SOUL.md, empty without one.
func Learned(cur workspace.Session, agent string) ([]soul.Entry, error) {
	path := string(names.SoulArea) + "/" + agent + "/SOUL.md"
	src, err := cur.View.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	entries, _ := soul.ReadLearned(src)
	return entries, nil
}

// proposals reads the merged proposals. A file that an older version could write and this one cannot
// read is left out.
func proposals(cur workspace.Session) (out []graph.Merged, err error) {
	err = tree.Files(cur.View, string(names.ProposalsArea), func(e tree.Entry) error {
		day := names.ProposalDay(e.Path)
		if day == "" {
			return nil
		}
		src, err := cur.View.Read(e.Path)
		if err != nil {
			return fmt.Errorf("read %s: %w", e.Path, err)
		}
		if p, ds := proposal.Parse(e.Path, src); !ds.HasErrors() {
			out = append(out, graph.Merged{Proposal: p, Day: day})
		}
		return nil
	})
	return out, err
}

// jobs reads the jobs of runs that acquire a capability and that agents do.
func jobs(ctx context.Context, cur workspace.Session) (out []graph.Job, problems []error, err error) {
	all, problems, err := cur.Runs.All()
	if err != nil {
		return nil, problems, err
	}
	for _, brief := range all {
		if err := ctx.Err(); err != nil {
			return nil, problems, err
		}
		if !names.IsName(names.Fold(brief.Inputs["capability"])) {
			continue
		}
		s, err := cur.Runs.Read(brief.ID)
		if err != nil {
			problems = append(problems, fmt.Errorf("run %s: %w", brief.ID, err))
			continue
		}
		for name, j := range s.Jobs {
			kept := s.Of != "" && j.Reason == run.KeptFrom(s.Of) // a job of that run, which has who did it, when, and the cost
			if !kept && (j.Role != "" || j.Result != nil) {
				out = append(out, jobOf(s, name, j))
			}
		}
	}
	return out, problems, nil
}

func jobOf(s run.State, name string, j run.Job) graph.Job {
	out := graph.Job{
		Run: s.ID, Name: name, Capability: s.Inputs["capability"], Agent: j.By, Proposal: s.Proposal,
		Began: j.Asked, Ended: j.At, Attempts: max(j.Attempt, 1), Failures: j.Failures,
	}
	switch j.Status {
	case run.Did:
		out.Status = "completed"
	case run.Gave, run.Left:
		out.Status = string(j.Status)
	case run.Waiting, run.Running:
		out.Status, out.Agent = "in_progress", j.Claimant
		out.Attempts--
	}
	if j.Spent != nil {
		out.Cost = j.Spent.Cost
	}
	if j.Result != nil {
		out.Confidence, out.Notes, out.Findings = j.Result.Confidence, j.Result.Notes, j.Result.Findings
	}
	return out
}

// trials reads sums and the newest records.
func trials(cur workspace.Session, want Wanted, s *graph.Source) (problems []error, err error) {
	journals := workspace.TrialsOf(cur)
	var r triallog.Reading
	if err := journals.Refresh(&r); err != nil {
		return nil, err
	}
	var q trial.Question
	if !want.Since.IsZero() {
		q.Since = trial.DayOf(want.Since)
	}
	s.Uses = r.Book.Stats(q)
	q.By = []trial.Dimension{trial.ByAgent}
	s.ByAgent = r.Book.Stats(q)
	if want.Trials > 0 {
		s.Trials, _, err = triallog.Newest(journals, q.Since, want.Trials)
	}
	return r.Problems, err
}
