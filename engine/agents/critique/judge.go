package critique

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/home/ask"
	"github.com/assent-dev/assent/engine/registry/critic"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
)

// Options say who judges, and what the user says of the whole.
type Options struct {
	// Goal and Outcome, if set, take the place of those in the case.
	Goal    string
	Outcome trial.Outcome
	// Agent is the agent in whose name the judgements are recorded; "" for a human.
	Agent string
	// Command is the command line that is asked, for at most Timeout; "" for the rules.
	Command string
	Timeout time.Duration
	// Asking is called before the command is asked, with the name of its program.
	Asking func(program string)
	DryRun bool
}

// Critique is the judgements of one case.
type Critique struct {
	Outcome trial.Outcome `json:"outcome,omitempty"`
	// By is the program that judged, or rules.
	By    string   `json:"by"`
	Tools []Judged `json:"tool_effectiveness"`
}

// Judged is the judgement of one capability.
type Judged struct {
	critic.Judgement
	Version string `json:"version,omitempty"`
	// Trial is the id of the record; absent in a dry run.
	Trial string `json:"trial,omitempty"`
}

// Judge judges a case and, without DryRun, records the judgements.
func (c *Case) Judge(ctx context.Context, o Options) (Critique, error) {
	if err := c.describe(); err != nil {
		return Critique{}, err
	}
	q := &c.question
	q.Goal, q.Outcome = cmp.Or(o.Goal, q.Goal), cmp.Or(o.Outcome, q.Outcome)
	out := Critique{Outcome: q.Outcome, By: trial.Rules, Tools: []Judged{}}
	judged := q.Judge()
	if o.Command != "" && len(q.Tools) > 0 {
		var err error
		if out.By, judged, err = c.ask(ctx, o); err != nil {
			return out, err
		}
	}
	return out, c.record(ctx, o, &out, judged)
}

// ask asks the command. It returns the name of its program, too.
func (c *Case) ask(ctx context.Context, o Options) (string, []critic.Judgement, error) {
	program, _, _ := strings.Cut(strings.TrimSpace(o.Command), " ")
	by := path.Base(strings.ReplaceAll(program, `\`, "/"))
	if !trial.IsWord(by) {
		by = "command"
	}
	o.Asking(by)
	form := ask.Form{Instructions: critic.Instructions, Most: critic.MaxAnswer}
	answer, err := form.Command(o.Command).Ask(ctx, o.Timeout, c.question)
	if err != nil {
		return by, nil, &Fault{NoAnswer, fmt.Errorf("nothing was recorded by %s: %w", by, err), "without --command, rules judge"}
	}
	judged, err := critic.Read(answer, c.question.Tools)
	if err != nil {
		return by, nil, &Fault{Invalid, fmt.Errorf("nothing was recorded: the answer of %s: %w", by, err), "assent schema critique describes the answer"}
	}
	return by, judged, nil
}

// record adds the judgements to a critique and keeps them as trials.
func (c *Case) record(ctx context.Context, o Options, out *Critique, judged []critic.Judgement) error {
	var homes []string
	if dir, err := os.UserHomeDir(); err == nil {
		homes = append(homes, dir)
	}
	source := trial.Human
	switch {
	case o.Command == "" && !c.read:
		source = trial.Engine // rules on a record
	case o.Agent != "":
		source = trial.Self
	}
	var all []trial.Observation
	for _, j := range judged {
		was := c.records[j.Tool]
		one := trial.Observation{
			At: c.cur.Now(), Source: source, Level: trial.Judged, Agent: o.Agent, Mission: c.mission, Capability: j.Tool, Version: was.Version, Blob: was.Blob,
			Critic: &trial.Critique{Satisfaction: j.Satisfaction, By: out.By, Issues: j.Issues, Recommendations: j.Recommendations},
		}.Neat().Summarised(c.cur.Policies.Retention.Trials.NoSummaries, homes...)
		if err := one.Check(); err != nil {
			return &Fault{Kind: NoRecord, Err: err}
		}
		all = append(all, one)
		// In JSON, empty lists instead of null.
		j.Issues, j.Recommendations = append([]string{}, one.Critic.Issues...), append([]string{}, one.Critic.Recommendations...)
		out.Tools = append(out.Tools, Judged{Judgement: j, Version: string(was.Version)})
	}
	if o.DryRun || len(all) == 0 {
		return nil
	}
	recorded, err := workspace.TrialsOf(c.cur).Record(ctx, all...)
	for i, t := range recorded {
		out.Tools[i].Trial = t.ID.String()
	}
	return err
}
