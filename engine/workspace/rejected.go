package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/duplicate"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// maxRejected is how many rejected proposals one is compared with, the newest first.
const maxRejected = 200

// rejected remembers what was rejected, for one observation of a workspace.
type rejected struct {
	once sync.Once
	list []refused
	err  error
}

// refused is a proposal that somebody rejected, as far as another one can be the same.
type refused struct {
	policy.Rejection
	goal    string
	content content
}

// content is what a change brings and takes away, without the proposal's own file.
type content struct{ comes, goes duplicate.Passage }

func (c content) like(o content) bool {
	if c.comes.Empty() && o.comes.Empty() {
		return !c.goes.Empty() && c.goes.Like(o.goes)
	}
	return c.comes.Like(o.comes)
}

// rejections lists the rejected proposals that one repeats, by its goal or its content. It is
// asked of a proposal that could merge now; its attestation keeps the answer.
func (w *Workspace) rejections(ctx context.Context, cur Current, ex *Examined) ([]policy.Rejection, error) {
	all := cur.rejected
	all.once.Do(func() { all.list, all.err = w.readRejected(ctx, cur) })
	if all.err != nil || len(all.list) == 0 {
		return nil, all.err
	}
	mine, err := w.contentOf(cur, ex.Case.Pull.Head)
	if err != nil {
		return nil, err
	}
	var out []policy.Rejection
	for _, r := range all.list {
		switch {
		case r.ID == ex.Case.Pull.ID: // reopened: its own reviews count
			continue
		case r.content.like(mine):
			r.Same = policy.SameContent
		case duplicate.SameWords(r.goal, ex.Case.Pull.Title):
			r.Same = policy.SameGoal
		default:
			continue
		}
		out = append(out, r.Rejection)
	}
	return out, nil
}

// readRejected reads the newest rejections that a listed person or agent signed and did not
// take back, whatever became of their proposals: to reopen or to withdraw one undoes no
// rejection. A journal that cannot be read is named where proposals are listed.
func (w *Workspace) readRejected(ctx context.Context, cur Current) ([]refused, error) {
	all, err := w.Record.List(ctx, forge.Filter{})
	if _, err = forge.Damages(err); err != nil {
		return nil, fmt.Errorf("list rejected proposals: %w", err)
	}
	var out []refused
	for _, p := range all {
		if len(out) == maxRejected {
			break
		}
		//defence:rejections-outlive-their-proposals
		if p.State == forge.Merged {
			continue
		}
		activity, err := w.Record.Activity(ctx, p.ID)
		if err != nil {
			continue
		}
		r := refused{Rejection: policy.Rejection{ID: p.ID}, goal: p.Title}
		for _, rv := range (gate.Case{Workspace: cur.ID(), Pull: p, Activity: activity}).Facts().Reviews {
			//defence:rejections-are-signed
			if !rv.Valid {
				continue
			}
			id, ok := cur.Policies.Roles.Proven(rv.By)
			switch {
			case !ok:
			case rv.Decision == review.Reject:
				r.By, r.Reason, r.At = id.Name, rv.Reason, rv.At
			case id.Name == r.By: // thought better of it
				r.By = ""
			}
		}
		if r.By == "" {
			continue
		}
		// What was rejected may be broken in any way, and still have a goal.
		r.content, _ = w.contentOf(cur, p.Head)
		out = append(out, r)
	}
	return out, nil
}

// contentOf reads what the commits up to a head change. Where capabilities change, the
// entries in SOUL.md files that the engine writes for them are left out.
func (w *Workspace) contentOf(cur Current, head tree.Hash) (content, error) {
	base, err := w.Repo.MergeBase(cur.Main, head)
	if err != nil {
		return content{}, err
	}
	before, err := w.Repo.Snapshot(base)
	if err != nil {
		return content{}, err
	}
	after, err := w.Repo.Snapshot(head)
	if err != nil {
		return content{}, err
	}
	var comes, goes strings.Builder
	for _, area := range []names.AreaName{names.SkillsArea, names.PoliciesArea, names.WorkflowsArea, names.SoulArea} {
		if area == names.SoulArea && comes.Len()+goes.Len() > 0 {
			break
		}
		changes, err := tree.Diff(before, after, string(area))
		if err != nil && !errors.Is(err, tree.ErrTooLarge) {
			return content{}, err
		}
		for _, c := range changes {
			was, is := textOf(before, c.Old), textOf(after, c.New)
			missing(&comes, is, was)
			missing(&goes, was, is)
		}
	}
	return content{duplicate.PassageOf(comes.String()), duplicate.PassageOf(goes.String())}, nil
}

// maxPassage bounds, in bytes, what is compared of a change.
const maxPassage = 256 << 10

// textOf reads a file; what is no file, or cannot be read, is its object's name.
func textOf(v tree.View, e tree.Entry) string {
	switch {
	case e.Path == "":
		return ""
	case !e.Mode.IsFile():
		return e.Hash.String()
	}
	data, err := v.Read(e.Path)
	if err != nil {
		return e.Hash.String()
	}
	return string(data)
}

// missing writes the lines of a that b has not.
func missing(out *strings.Builder, a, b string) {
	have := map[string]bool{}
	for line := range strings.Lines(b) {
		have[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(a) {
		if line = strings.TrimSpace(line); line != "" && !have[line] && out.Len() < maxPassage {
			out.WriteString(line + "\n")
		}
	}
}
