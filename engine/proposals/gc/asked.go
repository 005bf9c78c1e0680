package gc

import (
	"context"
	"errors"
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
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// asked is an open proposal of this package to archive a capability, as it was opened.
type asked struct {
	pull forge.Pull
	// content is the capability with the folder that the proposal removes, ground the kind of evidence.
	content index.Entry
	ground  string
}

// archiving lists the open proposals of this package to archive a capability. One that people changed or
// reopened is theirs.
func (o opener) archiving(ctx context.Context) (out []asked, err error) {
	by := propose.Request{}.AsEngine(o.in.Session().Now()).By
	for _, p := range o.in.Pulls() {
		if p.Author.String() != by.String() || !strings.HasPrefix(p.ID, string(proposal.Archive)+"-") || !p.Reopened.IsZero() {
			continue
		}
		activity, err := o.w.Forge.Activity(ctx, p.ID)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", p.ID, err)
		}
		if slices.ContainsFunc(activity.Pushes, func(u forge.Push) bool { return !u.Engine && u.By.String() != by.String() }) {
			continue
		}
		a := asked{pull: p}
		ours, err := a.read(o)
		if ours && err == nil {
			ours, err = a.match(ctx, o)
		}
		if err != nil && !gitstore.IsBadObject(err) {
			return nil, fmt.Errorf("read %s: %w", p.ID, err)
		}
		if ours && err == nil {
			out = append(out, a)
		}
	}
	return out, nil
}

// read finds the one capability that the proposal removes; false if it changes others.
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
	changes, err := tree.Diff(before, after, capability.Root)
	if err != nil {
		return false, err //nolint:wrapcheck // the caller names the proposal
	}
	var removed []string
	for _, c := range changes {
		if dir, file := path.Split(c.Path); file == capability.SkillFile {
			removed = append(removed, path.Clean(dir))
		}
	}
	if len(removed) != 1 || slices.ContainsFunc(changes, func(c tree.Change) bool { return !c.Removed() }) {
		return false, nil
	}
	a.content.Folder = capability.FolderOf(removed[0])
	folder, err := before.Lookup(a.content.Path)
	a.content.Tree = folder.Hash
	return err == nil, err //nolint:wrapcheck // likewise
}

// match finds the ground by which this package proposed it; false if it asks something else.
func (a *asked) match(ctx context.Context, o opener) (bool, error) {
	for _, a.ground = range []string{unnamedGround, capGround, trial.Harmful, trial.Useless} {
		of := finding(a.content, a.ground)
		for id := of.idAfter(""); ; id = of.idAfter(id) {
			if id == a.pull.ID {
				return true, nil
			}
			if _, err := o.w.Forge.Get(ctx, id); errors.Is(err, forge.ErrNotFound) {
				break
			} else if err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// refuted lists what shows that the proposal is not true any more; nothing if it holds. Missing records show
// nothing: an engine that knows less withdraws nothing. That missions ended worse stays shown.
func (a asked) refuted(o opener, s observed, c *candidate) []string {
	at := slices.IndexFunc(s.all, func(e index.Entry) bool { return e.Path == a.content.Path })
	switch {
	case at < 0:
		return []string{"it is not in force any more"}
	case s.all[at].Tree != a.content.Tree:
		return []string{"its folder has changed since"}
	case c != nil && len(c.kept) > 0:
		return c.kept
	case c != nil && slices.Contains(c.grounds(), a.ground):
		return nil
	case a.ground == capGround && len(s.missions) > 0:
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

// review withdraws an open proposal that is not true any more.
func (o opener) review(ctx context.Context, a asked, s observed, c *candidate) (Result, error) {
	r := Result{Kind: Archive, Capability: a.content.Name, Path: a.content.Path, Proposal: a.pull.ID}
	r.Outcome, r.Reasons = Open, []string{waits(a.pull)}
	why := a.refuted(o, s, c)
	if len(why) == 0 {
		return r, nil
	}
	r.Outcome, r.Reasons = WouldWithdraw, why
	if o.dryRun {
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
