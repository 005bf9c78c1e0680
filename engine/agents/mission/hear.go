package mission

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/agents/transcript"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/tools/answers"
	"github.com/assent-dev/assent/engine/tools/discover"
)

// hear finds what the agent lacked in what the command wrote.
func (r *Runner) hear(ctx context.Context, s State) (Step, error) {
	cur, err := r.Agent.Look(ctx)
	if err != nil {
		return Step{}, err
	}
	in, err := r.output(s, "out", os.O_RDONLY)
	if err != nil {
		return Step{}, err
	}
	defer in.Close()
	h := gaps.New(cur.Policies.Gaps)
	said, err := transcript.Read(in, h.Hear)
	if err != nil && !errors.Is(err, transcript.ErrBinary) {
		return Step{}, err
	}
	step := Step{Kind: Heard, Tokens: said.Tokens, Cost: said.Cost, Unheard: unheard(said, err, s.last().Cut)}
	all, err := r.Store.reports(s.ID, h.Gaps())
	if err != nil {
		return step, err
	}
	for _, g := range all {
		step.Gaps = append(step.Gaps, Gap{Gap: g})
	}
	if err := r.answer(ctx, s, step.Gaps); err != nil {
		return step, err
	}
	bound(s, &step)
	return step, nil
}

// unheard says what of a command's output could not be heard, "" if nothing.
func unheard(said transcript.Summary, err error, cut int64) string {
	switch {
	case err != nil:
		return "the output was not heard: it is not text"
	case said.Form == "" && said.Unknown+said.DamagedLines > 0:
		return "the output was not heard: it is JSON of no known form, or ends in the middle"
	case cut > 0:
		return fmt.Sprintf("%d bytes in the middle of the output were not kept, and not heard", cut)
	case said.DamagedLines > 0:
		return fmt.Sprintf("%d lines of the output could not be read, and were not heard", said.DamagedLines)
	}
	return ""
}

// answer finds what serves each gap now. Capabilities that the agent was already told of did not help it (finder.Vain).
func (r *Runner) answer(ctx context.Context, s State, all []Gap) error {
	if len(all) == 0 {
		return nil
	}
	cur, err := r.Agent.Look(ctx)
	if err != nil {
		return err
	}
	here, err := discover.Open(ctx, cur)
	if err != nil {
		return err
	}
	finder := answers.New(here, r.Agent.Name)
	for _, step := range s.Steps {
		finder.Vain = append(finder.Vain, step.Ready...)
	}
	for i, g := range all {
		if all[i].Answer, err = finder.Answer(ctx, g.Gap); err != nil {
			return err
		}
	}
	return nil
}

// ready returns the capabilities that serve gaps; all is false if a gap is not served yet.
func ready(heard []Gap) (names []string, all bool) {
	all = true
	for _, g := range heard {
		if g.serves() {
			names = append(names, g.Capability)
		} else {
			all = false
		}
	}
	slices.Sort(names)
	return slices.Compact(names), all
}

// stuck says why a person has to decide before the mission can go on, "" if none has to.
func stuck(s State, heard []Gap) string {
	for _, g := range heard {
		switch {
		case g.Status == answers.InForce && !g.serves() && !g.Quarantined:
			return g.Capability + " is in force and cannot be used: " + g.Unusable
		case g.serves() && s.last().Kind == Heard && s.served(g.Capability):
			return "the agent lacked " + g.Name + " again, although it was told of " + g.Capability
		case g.Status == answers.Archived:
			return g.Capability + " was archived; bring it back: " + g.Next
		case g.Status == answers.Rejected:
			return "a proposal of " + g.Name + " was rejected by " + g.By + ": " + g.Reason + "; " + g.Next
		}
	}
	return ""
}

// words are those in which a gap was heard, for the record.
func words(g gaps.Gap) string {
	if len(g.Evidence) == 0 {
		return g.Purpose
	}
	return g.Evidence[0].Words
}

// clip is the beginning of a text, in one line.
func clip(text string) string {
	const most = 200
	text = strings.Join(strings.Fields(text), " ")
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}
