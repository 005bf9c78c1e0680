package followup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// most is how many questions one look gives; the next look gives further ones. How many
// may be open is for policies/limits.yaml to say.
const most = 50

// Due lists the questions about the content in force that were not asked yet: one for each skill
// at a time, and no more than may be open.
func Due(ctx context.Context, cur workspace.Session) ([]Question, error) {
	all, err := about(cur)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	var out []Question
	settled := "" // the skill whose question exists
	for _, q := range all {
		if len(out) == most {
			break
		}
		if q.Skill.Path == settled {
			continue
		}
		id, pull, err := propose.Standing(ctx, cur, cur.Record, q.Finding())
		var taken *propose.Taken
		switch {
		case errors.As(err, &taken): // doctor reports damaged ones with the remedy
		case err != nil:
			return nil, fmt.Errorf("look for the follow-up on %s: %w", q.Skill.Name, err)
		case pull.ID == "":
			q.Proposal = id
			out, settled = append(out, q), q.Skill.Path
		case pull.State == forge.Open:
			settled = q.Skill.Path
		}
	}
	return out[:min(len(out), room(ctx, cur, len(out)))], nil
}

// room returns how many more proposals the engine may open, at most wanted.
func room(ctx context.Context, cur workspace.Session, wanted int) int {
	limit := cur.Policies.Limits.OpenPerAgent
	if wanted == 0 || limit <= 0 {
		return wanted
	}
	open, _ := cur.Record.List(ctx, forge.Filter{State: forge.Open}) // damaged proposals do not count
	by := propose.Request{}.AsEngine(cur.Now()).By
	for _, p := range open {
		if p.Author.String() == by.String() {
			limit--
		}
	}
	return max(0, limit)
}

func about(cur workspace.Session) ([]Question, error) {
	all, err := cur.Capabilities.Entries(concerned)
	if err != nil {
		return nil, fmt.Errorf("read the capabilities in force: %w", err)
	}
	out := decide(all)
	for i := range out {
		out[i].Workspace = cur.ID()
	}
	return out, nil
}

// Find returns the question that a proposal asks; false if the content in force does not (or no
// longer) cause it.
func Find(cur workspace.Session, id string) (Question, bool, error) {
	all, err := about(cur)
	if err != nil {
		return Question{}, false, err
	}
	for _, q := range all {
		if q.Finding().Names(id) {
			q.Proposal = id
			return q, true, nil
		}
	}
	return Question{}, false, nil
}

// Asked is the result of one question.
type Asked struct {
	Proposal string
	// Opened is false if another process was faster, or if Why says what blocks it.
	Opened bool
	Why    string
}

// Ask opens the proposal of a question.
func Ask(ctx context.Context, w *workspace.Workspace, q Question) (Asked, error) {
	out := Asked{Proposal: q.ID()}
	if _, err := w.Forge.Get(ctx, out.Proposal); !errors.Is(err, forge.ErrNotFound) {
		return out, err
	}
	in, err := propose.Begin(ctx, w)
	if err != nil {
		return out, err
	}
	r, err := q.request(in.Session())
	if err != nil {
		return out, err
	}
	r.DryRun = true
	tried, err := in.Open(ctx, r)
	if err != nil {
		return out, err
	}
	if wrong := slices.Concat(tried.Diagnostics, tried.Examined.Report.Diagnostics); wrong.HasErrors() {
		return Asked{Why: first(wrong)}, nil
	}
	r.DryRun = false
	done, err := in.Open(ctx, r)
	switch {
	case errors.Is(err, forge.ErrExists):
		return out, nil
	case err != nil:
		return out, err
	case done.Diagnostics.HasErrors():
		return Asked{Why: first(done.Diagnostics)}, nil
	}
	out.Opened = true
	return out, nil
}

// first is the first error of a list, in a line.
func first(ds diag.List) string {
	for _, d := range ds {
		if d.Severity == diag.Error {
			return strings.TrimSpace(d.Message + " [" + d.Rule + "]")
		}
	}
	return ""
}
