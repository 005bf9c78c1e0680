package mission

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/answers"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Kind is what happened in a step.
type Kind string

// The kinds of steps, in the order of a mission without detours.
const (
	Begun Kind = "begun"
	Ran   Kind = "ran"   // the command, once
	Lost  Kind = "lost"  // a run of the command that ended with assent, and has no result
	Heard Kind = "heard" // what the agent lacked
	Asked Kind = "asked" // for what nothing serves
	Ready Kind = "ready" // all of it is in force
	Ended Kind = "ended"
)

// Step is a record of a mission's journal.
type Step struct {
	At   time.Time `json:"at"`
	Kind Kind      `json:"kind"`
	// Text, Agent and Folder are those of the mission that was begun, Workspace is the id of its workspace.
	Text      string `json:"text,omitempty"`
	Agent     string `json:"agent,omitempty"`
	Folder    string `json:"folder,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	// Given are the capabilities that the command was told of, and MS is how long it ran, for a lost run at least.
	Given []string `json:"given,omitempty"`
	MS    int64    `json:"ms,omitempty"`
	// Preflight are the smoke tests that ran before the command.
	Preflight []tool.Tested `json:"preflight,omitempty"`
	// Cut counts the bytes that were left out between the beginning and the end of the kept output.
	Cut int64 `json:"cut,omitempty"`
	// Gaps were heard. Tokens and Cost, in US dollars, are what the command says that it used.
	Gaps   []Gap   `json:"gaps,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
	Cost   float64 `json:"cost_usd,omitempty"`
	// Unheard says what of the output could not be heard; empty if all was.
	Unheard string `json:"unheard,omitempty"`
	// Runs of workflows were started, or were under way, and Proposals were open. At the end, Runs are still active.
	Runs      []string `json:"runs,omitempty"`
	Proposals []string `json:"proposals,omitempty"`
	// LeftOut are lacks beyond those that a mission asks for. Unasked could not be asked for yet, for a Reason.
	LeftOut []string `json:"left_out,omitempty"`
	Unasked []string `json:"unasked,omitempty"`
	// Ready are capabilities that serve what was lacking.
	Ready []string `json:"ready,omitempty"`
	// Work is what others' commands used to build what was lacking, at the end.
	Work *run.Spent `json:"work,omitempty"`
	// Outcome is how the mission ended, and Reason why; of a command, Reason is how it failed.
	Outcome trial.Outcome `json:"outcome,omitempty"`
	Reason  string        `json:"reason,omitempty"`
}

// Gap is what the agent lacked, with what serves it.
type Gap struct {
	gaps.Gap
	answers.Answer
}

// serves reports whether a capability in force serves the gap now.
func (g Gap) serves() bool { return g.Status == answers.InForce && g.Unusable == "" }

// lacks reports whether nothing serves the gap and nothing is under way for it, as for a tool in quarantine.
func (g Gap) lacks() bool {
	return g.Status == answers.Nothing || g.Status == answers.InForce && g.Quarantined
}

// State is a mission by its journal.
type State struct {
	ID    string `json:"mission"`
	Steps []Step `json:"steps"`
	// Command is the newest command line; "" for missions that earlier versions began.
	Command string `json:"-"`
	// cut is the size of the journal without a last line that a crash cut; 0 if none was.
	cut int64
	// held: a process carries the mission through.
	held bool
	// lost are the runs that it waits for in vain.
	lost []run.State
	// gone: policies/roles.yaml does not have its agent any more.
	gone bool
	// work is what others' commands used so far.
	work *run.Spent
	// interrupted is a run of the command that was killed and is not in the journal yet.
	interrupted *Step
}

// last is the newest step.
func (s State) last() Step { return s.Steps[len(s.Steps)-1] }

// Ended is the last step of a mission that has ended; ok is false for one that goes on.
func (s State) Ended() (end Step, ok bool) {
	return s.last(), s.last().Kind == Ended
}

// Spent is what the runs of a mission's command used: their time in milliseconds, and what the command says of
// tokens and cost in US dollars, 0 if it says nothing.
type Spent struct {
	Rounds int     `json:"rounds"`
	MS     int64   `json:"ms"`
	Tokens int64   `json:"tokens"`
	Cost   float64 `json:"cost_usd"`
	// Lost counts the runs without a result; MS has their time. AtLeast is set if a run does not say all that it used.
	Lost    int  `json:"lost,omitempty"`
	AtLeast bool `json:"at_least,omitempty"`
	// Work is what the commands of agents used in the runs that the mission waited for; nil if none says.
	Work *run.Spent `json:"work,omitempty"`
}

// Spent adds up all runs.
func (s State) Spent() (sum Spent) {
	steps := s.Steps
	if s.interrupted != nil {
		steps = append(slices.Clone(steps), *s.interrupted)
	}
	for _, step := range steps {
		switch step.Kind {
		case Ran:
			sum.Rounds++
		case Lost:
			sum.Lost, sum.AtLeast = sum.Lost+1, true
		case Heard:
			sum.AtLeast = sum.AtLeast || step.Tokens == 0 && step.Cost == 0
		}
		sum.MS, sum.Tokens, sum.Cost = sum.MS+step.MS, sum.Tokens+step.Tokens, sum.Cost+step.Cost
	}
	if sum.Work = s.work; s.last().Work != nil {
		sum.Work = s.last().Work
	}
	return sum
}

// Own is what the mission's own command used, without the work of others.
func (s Spent) Own() run.Spent {
	return run.Spent{Runs: s.Rounds, MS: s.MS, Tokens: s.Tokens, Cost: s.Cost, Lost: s.Lost, AtLeast: s.AtLeast}
}

// served reports whether a capability was made ready before.
func (s State) served(name string) bool {
	for _, step := range s.Steps {
		for _, ready := range step.Ready {
			if names.Fold(ready) == names.Fold(name) {
				return true
			}
		}
	}
	return false
}

// Unheard says what of the output of the newest run of the command could not be heard.
func (s State) Unheard() (what string) {
	for _, step := range s.Steps {
		if step.Kind == Heard {
			what = step.Unheard
		}
	}
	return what
}

// failure is how the newest run of the command failed.
func (s State) failure() string {
	for i := len(s.Steps) - 1; i >= 0; i-- {
		if s.Steps[i].Kind == Ran {
			return s.Steps[i].Reason
		}
	}
	return ""
}

// Phase is where a mission stands.
type Phase string

// The phases.
const (
	Running     Phase = "running" // a process carries it through
	Waiting     Phase = "waiting" // for runs or proposals, until it is continued
	Stalled     Phase = "stalled" // what it waits for failed or was cancelled
	Interrupted Phase = "interrupted"
	Over        Phase = "ended"
)

// Phase is where the mission stands.
func (s State) Phase() Phase {
	switch last := s.last().Kind; {
	case last == Ended:
		return Over
	case s.held:
		return Running
	case last == Asked && len(s.lost) > 0:
		return Stalled
	case last == Asked:
		return Waiting
	}
	return Interrupted
}

// WaitsFor are the runs and proposals that a mission waits for; empty for one that does not.
func (s State) WaitsFor() []string {
	if s.last().Kind != Asked {
		return nil
	}
	return slices.Concat(s.last().Runs, s.last().Proposals)
}

// Resume is the command that goes on with a mission, "" for one that has ended or is carried through now.
func (s State) Resume() string {
	if p := s.Phase(); p == Over || p == Running {
		return ""
	}
	line := "assent mission run --id " + names.ShellWord(s.ID)
	if s.Command == "" {
		line += " --command LINE"
	}
	if s.gone {
		line += " --agent NAME"
	}
	return line
}

// Store keeps the journals of missions.
type Store struct{ Files home.Store }

// In returns the store in the user's own folder.
func In(dir string) Store { return Store{home.At(filepath.Join(dir, "missions"))} }

// List returns the missions of a workspace, the newest first, and says of each whether a process carries it through.
// A journal that cannot be read is left out.
func (s Store) List(ctx context.Context, workspace string) ([]State, error) {
	dirs, err := os.ReadDir(s.Files.Path("."))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the missions: %w", err)
	}
	var out []State
	for _, d := range dirs {
		if one, err := s.Look(ctx, d.Name(), workspace); err == nil {
			out = append(out, one)
		}
	}
	order.Sort(out, func(a, b State) int { return b.Steps[0].At.Compare(a.Steps[0].At) })
	return out, nil
}

// Look reads a mission of a workspace as List does; the error is ErrNone for one of another workspace.
func (s Store) Look(ctx context.Context, id, workspace string) (State, error) {
	one, err := s.Read(id)
	if err != nil {
		return one, err
	}
	if is := one.Steps[0].Workspace; is != "" && is != workspace {
		return one, fmt.Errorf("%s: %w", id, ErrNone)
	}
	if _, ended := one.Ended(); !ended {
		one.held = errors.Is(s.locked(ctx, id, 0, func() error { return nil }), ErrBusy)
		if !one.held {
			one.interrupted = s.interruptedRun(one)
		}
	}
	return one, nil
}

// maxJournal bounds a journal, in bytes.
const maxJournal = 16 << 20

// ErrNone says that there is no such mission.
var ErrNone = errors.New("no such mission")

func (s Store) file(id string) string    { return id + "/journal.jsonl" }
func (s Store) command(id string) string { return id + "/command" }

// Read reads the journal of a mission. A last line that was cut by a crash is left out.
func (s Store) Read(id string) (State, error) {
	out := State{ID: id}
	data, err := s.Files.Read(s.file(id), maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("%s: %w", id, ErrNone)
	}
	if err != nil {
		return out, err
	}
	if whole := bytes.LastIndexByte(data, '\n') + 1; whole < len(data) {
		data, out.cut = data[:whole], int64(whole)
	}
	for line := range bytes.Lines(data) {
		var step Step
		if err := json.Unmarshal(line, &step); err != nil {
			return out, fmt.Errorf("%s:%d: %w", s.Files.Path(s.file(id)), len(out.Steps)+1, err)
		}
		out.Steps = append(out.Steps, step)
	}
	if len(out.Steps) == 0 || out.Steps[0].Kind != Begun {
		return out, fmt.Errorf("%s: %w", id, ErrNone)
	}
	line, err := s.Files.Read(s.command(id), maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	out.Command = string(line)
	return out, err
}

// add appends a step, which is on the disk when add returns.
func (s Store) add(state *State, step Step) error {
	line, err := json.Marshal(step)
	if err != nil {
		return fmt.Errorf("write a step: %w", err)
	}
	if state.cut > 0 {
		if err := s.Files.Truncate(s.file(state.ID), state.cut); err != nil {
			return err
		}
		state.cut = 0
	}
	if err := s.Files.Append(s.file(state.ID), append(line, '\n')); err != nil {
		return err
	}
	state.Steps = append(state.Steps, step)
	return nil
}

// ErrBusy says that another process carries the mission through.
var ErrBusy = errors.New("another process is at it")

// glimpse is how long a mission is waited for that another process has: List may look at it.
const glimpse = time.Second

// locked calls do while no other process works on the mission.
func (s Store) locked(ctx context.Context, id string, wait time.Duration, do func() error) error {
	once, stop := context.WithTimeout(ctx, wait)
	defer stop()
	entered := false
	err := s.Files.Locked(once, id+"/lock", func() error { entered = true; return do() })
	if !entered && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", id, ErrBusy)
	}
	return err
}
