package gc

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/followup"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// asked is an open proposal of this package, as it was opened.
type asked struct {
	pull forge.Pull
	kind string
	// content is the capability with the folder that the proposal removes or brings back; ground is the kind of
	// evidence for an Archive.
	content index.Entry
	ground  string
	// subject is that of the offer that the proposal is about, other the other skill of a Conflict as it was.
	subject string
	other   index.Entry
	// text is the proposal's.
	text string
}

// asking lists the open proposals of this package, and the follow-ups of repairs. One that people changed or
// reopened is theirs.
func (o opener) asking(ctx context.Context) (out []asked, err error) {
	by := propose.Request{}.AsEngine(o.in.Session().Now()).By
	for _, p := range o.in.Pulls() {
		kind, _, _ := strings.Cut(p.ID, "-")
		if p.Author.String() != by.String() || !slices.Contains([]string{Archive, Restore, Conflict}, kind) || !p.Reopened.IsZero() {
			continue
		}
		activity, err := o.w.Forge.Activity(ctx, p.ID)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", p.ID, err)
		}
		if slices.ContainsFunc(activity.Pushes, func(u forge.Push) bool { return !u.Engine && u.By.String() != by.String() }) {
			continue
		}
		a := asked{pull: p, kind: kind}
		ours, err := a.read(o)
		if err != nil && !gitstore.IsContent(err) {
			return nil, fmt.Errorf("read %s: %w", p.ID, err)
		}
		if ours && err == nil {
			out = append(out, a)
		}
	}
	return out, nil
}

// read finds the one capability that the proposal removes or brings back, and what it asks; false if it
// changes others, or was not opened by gc.
func (a *asked) read(o opener) (bool, error) {
	cur := o.in.Session()
	base, err := cur.Repo.MergeBase(cur.Main, a.pull.Head)
	if err != nil {
		return false, err
	}
	before, err := cur.Repo.Snapshot(base)
	if err != nil {
		return false, err
	}
	after, err := cur.Repo.Snapshot(a.pull.Head)
	if err != nil {
		return false, err
	}
	changes, err := tree.Diff(before, after, capability.Root, string(names.ProposalsArea))
	if err != nil {
		return false, err //nolint:wrapcheck // the caller names the proposal
	}
	var file proposal.Proposal
	var moved []string
	for _, c := range changes {
		at := cmp.Or(c.New.Path, c.Old.Path)
		dir, base := path.Split(at)
		switch {
		case base == a.pull.ID+".md":
			src, err := after.Read(at)
			if err != nil {
				return false, err //nolint:wrapcheck // likewise
			}
			file, _ = proposal.Parse(at, src)
			a.text = string(src)
		case c.Removed() == (a.kind == Restore):
			return false, nil
		case base == capability.SkillFile:
			moved = append(moved, path.Clean(dir))
		}
	}
	if len(moved) != 1 {
		return false, nil
	}
	a.content.Folder = capability.FolderOf(moved[0])
	if a.kind == Restore {
		of := bringing(cur.ID(), file.Undoes, a.content.Name)
		a.subject = of.subject
		return of.Names(a.pull.ID), nil
	}
	folder, err := before.Lookup(a.content.Path)
	a.content.Tree = folder.Hash
	if err != nil {
		return false, err //nolint:wrapcheck // likewise
	}
	if a.kind == Conflict {
		return a.between(cur.ID(), before)
	}
	return a.match(cur.ID()), nil
}

// between finds the other skill of a conflict.
func (a *asked) between(workspaceID string, before tree.View) (bool, error) {
	a.other.Folder = capability.FolderOf(named(a.text, otherSkill))
	of := between(workspaceID, a.content.Path, a.other.Path)
	if a.subject = of.subject; !of.Names(a.pull.ID) {
		return false, nil
	}
	folder, err := before.Lookup(a.other.Path)
	a.other.Tree = folder.Hash
	return err == nil, err //nolint:wrapcheck // the caller names the proposal
}

// named is what follows a mark in a text, up to a comma or the end of the line.
func named(text, mark string) string {
	_, rest, _ := strings.Cut(text, "\n- "+mark)
	return rest[:max(0, strings.IndexAny(rest, ",\r\n"))]
}

// match finds the ground on which this package proposed to archive it; false if it asks something else.
func (a *asked) match(workspaceID string) bool {
	for _, a.ground = range []string{unnamedGround, capGround, trial.Harmful, trial.Useless} {
		if finding(workspaceID, a.content, a.ground).Names(a.pull.ID) {
			return true
		}
	}
	repair := index.Entry{Folder: capability.FolderOf(named(a.text, followup.Superseding))}
	a.kind = FollowUp
	return repair.Path != "" && followup.Question{Skill: a.content, Repair: repair, Workspace: workspaceID}.Finding().Names(a.pull.ID)
}

// refuted lists what shows that the proposal is not true any more; nothing if it holds. Missing records show
// nothing: an engine that knows less withdraws nothing. That missions ended worse
// stays shown, until they speak as much against another capability.
func (a asked) refuted(o opener, s observed, c *candidate) []string {
	if gone := s.moved(a.content, "its folder"); gone != "" {
		return []string{gone}
	}
	switch {
	case c != nil && len(c.kept) > 0:
		return c.kept
	case c != nil && slices.Contains(c.grounds(), a.ground):
		return nil
	case c != nil && c.measured != nil && c.measured.Verdict == trial.Unclear && (a.ground == trial.Harmful || a.ground == trial.Useless):
		return c.measured.lines()[:1]
	case a.ground == capGround && len(s.learned) < o.in.Session().Policies.Limits.Synthesised:
		return []string{"agents made fewer capabilities than limits.yaml admits"}
	case a.ground == unnamedGround:
		return a.used(o, s)
	}
	return nil
}

// used says when the capability was used, or linked to a mission, after the days that the proposal spoke of
// began.
func (a asked) used(o opener, s observed) []string {
	name := names.Fold(a.content.Name)
	since := a.pull.Opened.Add(-o.in.Session().Policies.Retention.Unused)
	if used := s.activity.Used[name]; !used.Before(trial.DayOf(since).Time()) {
		return []string{"it was used on " + day(used)}
	}
	for _, m := range slices.Backward(s.missions) {
		if m.Begun.After(a.pull.Opened) && slices.ContainsFunc(m.Uses, func(u trial.MissionUse) bool { return names.Fold(u.Capability) == name }) {
			return []string{"a mission of " + day(m.Begun) + " was linked with it or used it"}
		}
	}
	return nil
}

// review withdraws an open proposal if something refutes it.
func (o opener) review(ctx context.Context, a asked, why []string) (Result, error) {
	r := Result{Kind: a.kind, Capability: a.content.Name, Other: a.other.Name, Path: a.content.Path, Proposal: a.pull.ID}
	r.Outcome, r.Reasons = Open, []string{waits(a.pull)}
	if len(why) == 0 {
		return r, nil
	}
	r.Outcome, r.Reasons = WouldWithdraw, why
	if o.dryRun {
		o.gone[a.pull.ID] = true
		return r, nil
	}
	r.Outcome = Withdrawn
	by := propose.Request{}.AsEngine(o.in.Session().Now()).By
	_, err := propose.Withdraw(ctx, o.in.Session(), a.pull, by, strings.Join(why, "; "))
	return r, err
}

// waiting lists the candidates among which to look for reasons to keep: those of the findings, and what is
// proposed already as it is.
func (s observed) waiting(found []*candidate) []*candidate {
	for _, a := range s.asked {
		if a.kind != Archive {
			continue
		}
		is := func(c *candidate) bool { return c.Path == a.content.Path }
		at := slices.IndexFunc(s.all, func(e index.Entry) bool { return e.Path == a.content.Path && e.Tree == a.content.Tree })
		if at >= 0 && !slices.ContainsFunc(found, is) {
			found = append(found, &candidate{Entry: s.all[at], asked: true})
		}
	}
	return found
}

// candidateAt returns the candidate of a folder, nil for none.
func candidateAt(found []*candidate, folder string) *candidate {
	at := slices.IndexFunc(found, func(c *candidate) bool { return c.Path == folder })
	if at < 0 {
		return nil
	}
	return found[at]
}
