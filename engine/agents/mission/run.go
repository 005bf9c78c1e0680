package mission

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/flows/work"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/answers"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// Runner carries missions through.
type Runner struct {
	Store Store
	// Agent is who does the mission, as whom gaps and the outcome are reported.
	Agent *toolset.Agent
	// Line is the command line of the agent, run in the mission's folder with Env.
	Line string
	Env  []string
	// Rounds is how often the command runs at most, Timeout how long each time, Wait how long what it
	// lacked is waited for, and Poll how often it is looked for.
	Rounds              int
	Timeout, Wait, Poll time.Duration
	// Root is the folder of the workspace, Workspace its id.
	Root, Workspace string
	// Pass lets the engine do what is due.
	Pass func(context.Context) error
	// Say shows a step as it is recorded, Watch one that is under way, before it begins and with each look.
	Say   func(Step)
	Watch func(context.Context, State, Step)
	Now   func() time.Time
}

// Begin records a new mission, in which place makes the folder that its command works in.
func (r *Runner) Begin(ctx context.Context, id, text string, place func() (string, error)) error {
	return r.Store.locked(ctx, id, glimpse, func() error {
		if _, err := r.Store.Read(id); !errors.Is(err, ErrNone) {
			return errors.Join(fmt.Errorf("the mission %s was begun before", id), err)
		}
		folder, err := place()
		if err != nil {
			return err
		}
		if err := r.Store.Files.Write(r.Store.command(id), []byte(r.Line)); err != nil {
			return err
		}
		return r.Store.add(&State{ID: id}, Step{At: r.Now(), Kind: Begun, Text: text, Agent: r.Agent.Name, Folder: folder, Workspace: r.Workspace})
	})
}

// ErrWaits says that what the agent lacked is not in force yet. The mission can be continued.
var ErrWaits = errors.New("what it lacks is not in force yet")

// Continue carries a mission through to its end, from where its journal ends.
func (r *Runner) Continue(ctx context.Context, id string) (s State, err error) {
	err = r.Store.locked(ctx, id, glimpse, func() error {
		if s, err = r.Store.Read(id); err != nil {
			return err
		}
		if _, ended := s.Ended(); !ended && s.Command != r.Line {
			s.Command = r.Line
			if err := r.Store.Files.Write(r.Store.command(id), []byte(r.Line)); err != nil {
				return err
			}
		}
		for {
			if _, ended := s.Ended(); ended {
				return nil
			}
			if err := ctx.Err(); err != nil { // no step begins after an interruption
				return err
			}
			step, err := r.next(ctx, &s)
			if err != nil {
				return err
			}
			if step.At = r.Now(); step.Kind == Ended {
				err = r.report(ctx, s, &step)
			}
			if err == nil {
				err = r.Store.add(&s, step)
			}
			if err != nil {
				return err
			}
			r.Say(step)
		}
	})
	return s, err
}

// report records the outcome of a mission as trials, unless that was done before a crash, and which runs it leaves.
func (r *Runner) report(ctx context.Context, s State, end *Step) error {
	cur, err := r.Agent.Look(ctx)
	if err != nil {
		return err
	}
	end.Work = worked(cur, s)
	if end.Runs, err = left(cur, s, end.Runs); err != nil {
		return err
	}
	m, err := triallog.Mission(workspace.TrialsOf(cur), s.ID)
	if err == nil && !m.Begun.IsZero() && m.Outcome == trial.Open { // one that used nothing has no record
		_, err = r.Agent.Report(ctx, toolset.ReportInput{Mission: s.ID, Outcome: end.Outcome, Reason: end.Reason})
	}
	return err
}

// next does what follows on the newest step.
func (r *Runner) next(ctx context.Context, s *State) (Step, error) {
	switch last := s.last(); last.Kind {
	case Ran:
		return r.hear(ctx, *s)
	case Heard:
		return r.follow(ctx, *s, last.Gaps)
	case Asked:
		return r.await(ctx, s)
	}
	if lost := r.Store.interruptedRun(*s); lost != nil {
		return *lost, nil
	}
	if s.Spent().Rounds >= r.Rounds {
		return Step{Kind: Ended, Outcome: trial.Failure, Reason: fmt.Sprintf("the agent still lacked something after %d rounds", r.Rounds)}, nil
	}
	return r.run(ctx, *s)
}

// run runs the command.
func (r *Runner) run(ctx context.Context, s State) (Step, error) {
	begun := s.Steps[0]
	tested, err := toolset.Preflight(ctx, r.Agent, begun.Text)
	if err != nil {
		return Step{}, err
	}
	found, err := r.Agent.Suggest(ctx, begun.Text)
	if err != nil {
		return Step{}, err
	}
	step := Step{Kind: Ran, Preflight: tested}
	for _, m := range found {
		step.Given = append(step.Given, m.Name)
	}
	r.Watch(ctx, s, step)
	if err := r.Store.Files.Remove(r.Store.reported(s.ID)); err != nil {
		return step, err
	}
	out, err := r.output(s, "out", os.O_TRUNC)
	if err != nil {
		return step, err
	}
	defer out.Close()
	problems, err := r.output(s, "err", os.O_TRUNC)
	if err != nil {
		return step, err
	}
	defer problems.Close()
	start := time.Now()
	inside, stop := context.WithTimeoutCause(ctx, r.Timeout, errLate)
	defer stop()
	stopHeartbeat, err := r.Store.startHeartbeat(s, r.Now())
	if err != nil {
		return step, err
	}
	kept, rest := work.NewLog(out, work.MaxLog), work.NewLog(problems, work.MaxLog)
	step.Reason, err = work.Command{
		Line: r.Line, Dir: begun.Folder, Stdin: prompt(begun.Text, r.Root, s.ready(), found), Env: r.Env,
		Out: kept, Err: rest,
	}.Run(inside)
	stopHeartbeat()
	step.MS = time.Since(start).Milliseconds()
	if errors.Is(err, errLate) {
		step.Reason, err = fmt.Sprintf("the command was ended after %s", r.Timeout), nil
	}
	if bad := errors.Join(kept.End(), rest.End()); err == nil {
		err = bad
	}
	step.Cut = kept.LeftOut
	return step, err
}

// errLate is the end of a command that took too long.
var errLate = errors.New("it took too long")

// output opens the file with the output of the command's next or newest run.
func (r *Runner) output(s State, stream string, flag int) (*os.File, error) {
	n := s.Spent().Rounds
	if flag != os.O_RDONLY {
		n++
		flag |= os.O_WRONLY | os.O_CREATE
	}
	return os.OpenFile(r.Store.Files.Path(fmt.Sprintf("%s/%d.%s", s.ID, n, stream)), flag, 0o600)
}

// follow decides by the gaps that were heard, and reports those that nothing serves.
func (r *Runner) follow(ctx context.Context, s State, heard []Gap) (Step, error) {
	if over := s.last().LeftOut; len(heard) == 0 && len(over) > 0 {
		return Step{Kind: Ended, Outcome: trial.Failure, Reason: fmt.Sprintf("a mission asks for at most %d capabilities, and the agent lacks %s, too", MaxAsked, clip(strings.Join(over, ", ")))}, nil
	}
	if len(heard) == 0 {
		if why := s.failure(); why != "" {
			return Step{Kind: Ended, Outcome: trial.Failure, Reason: why}, nil
		}
		return r.end(ctx, s)
	}
	heard = slices.Clone(heard)
	if err := r.answer(ctx, s, heard); err != nil { // the mission may have been interrupted for days
		return Step{}, err
	}
	if why := stuck(s, heard); why != "" {
		return Step{Kind: Ended, Outcome: trial.Failure, Reason: why}, nil
	}
	if names, all := ready(heard); all {
		return Step{Kind: Ready, Ready: names}, nil
	}
	return r.ask(ctx, s, heard)
}

// await lets the engine work until all that the agent lacked is in force.
func (r *Runner) await(ctx context.Context, s *State) (Step, error) {
	var heard []Gap
	for _, step := range s.Steps {
		if step.Kind == Heard {
			heard = slices.Clone(step.Gaps)
		}
	}
	r.Watch(ctx, *s, s.last())
	for until := time.Now().Add(r.Wait); ; {
		if err := r.Pass(ctx); err != nil {
			return Step{}, err
		}
		if err := r.answer(ctx, *s, heard); err != nil {
			return Step{}, err
		}
		for i, g := range heard { // a run was begun in spite of it
			if g.Status == answers.Rejected && !slices.Contains(slices.Concat(s.last().Runs, s.last().Proposals), g.Proposal) {
				heard[i].Status = answers.Nothing
			}
		}
		if why := stuck(*s, heard); why != "" {
			return Step{Kind: Ended, Outcome: trial.Failure, Reason: why}, nil
		}
		names, all := ready(heard)
		if all {
			return Step{Kind: Ready, Ready: names}, nil
		}
		step, err := r.ask(ctx, *s, heard)
		if err != nil || step.Kind == Ended || !step.same(s.last()) {
			return step, err
		}
		if end, err := r.vain(ctx, s, heard); err != nil {
			return Step{}, err
		} else if end != nil {
			return *end, nil
		}
		r.Watch(ctx, *s, step)
		if !time.Now().Add(r.Poll).Before(until) {
			return Step{}, cmp.Or(r.see(ctx, s), ErrWaits)
		}
		select {
		case <-ctx.Done():
			return Step{}, ctx.Err()
		case <-time.After(r.Poll):
		}
	}
}

// see looks for what became of the runs that a mission waits for.
func (r *Runner) see(ctx context.Context, s *State) error {
	cur, err := r.Agent.Look(ctx)
	if err != nil {
		return err
	}
	return s.See(cur)
}

// prompt is what the command reads.
func prompt(text, root string, ready []string, found []toolset.Match) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(text) + "\n")
	for i, m := range found {
		if i == 0 {
			b.WriteString("\nIn force for you, and it may help:\n")
		}
		fmt.Fprintf(&b, "- %s (%s): %s", m.Name, m.Kind, m.Description)
		if m.Takes != "" {
			b.WriteString(" Takes " + m.Takes + ".")
		}
		b.WriteByte('\n')
	}
	if len(ready) > 0 {
		fmt.Fprintf(&b, "\nYou lacked something before. Now you have %s: go on with the step that failed.\n", strings.Join(ready, ", "))
	}
	fmt.Fprintf(&b, "\nassent -C %s reaches them: cat NAME prints a skill, run-tool NAME --input JSON calls a tool, find WORDS looks for others.\n"+
		"If you lack a tool, a skill or a server, say so in an English sentence (\"I would need an MCP for Jira.\") or by gap NAME GOAL, and end; you will be asked again when it is there.\n", names.ForShell(root))
	return b.String()
}
