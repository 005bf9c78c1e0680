package gc

import (
	"context"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/followup"
	"github.com/assent-dev/assent/engine/registry/index"
)

// moved says that a capability is not in force as it was, "" if it is.
func (s observed) moved(was index.Entry, what string) string {
	at := slices.IndexFunc(s.all, func(e index.Entry) bool { return e.Path == was.Path })
	switch {
	case at < 0:
		return "it is not in force any more"
	case s.all[at].Tree != was.Tree:
		return what + " has changed since"
	}
	return ""
}

// answer opens the offers of one kind, and withdraws the open proposals that something refutes. A subject with
// an open proposal that an offer still supports gets no second one.
func (o opener) answer(ctx context.Context, kind string, offers []offer, s observed, refute func(a asked, supported bool) []string) (out []Result, err error) {
	for _, a := range s.asked {
		if a.kind != kind {
			continue
		}
		about := func(of offer) bool { return of.subject == a.subject }
		why := refute(a, slices.ContainsFunc(offers, about))
		r, err := o.review(ctx, a, why)
		if err != nil {
			return out, err
		}
		out = append(out, r)
		if len(why) == 0 {
			offers = slices.DeleteFunc(offers, about)
		}
	}
	for _, of := range offers {
		r := of.Result
		if err := o.open(ctx, of, &r); err != nil {
			return out, fmt.Errorf("%s %s: %w", r.Kind, r.Capability, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// reconciled says why a proposal about a conflict is not true any more, or cannot be carried out. What missions
// showed stays shown while both skills are as they were.
func (s observed) reconciled(a asked, supported bool) []string {
	if gone := s.moved(a.content, a.content.Name); gone != "" {
		return []string{gone}
	}
	c := candidate{Entry: a.content}
	if c.needed(s.all); len(c.kept) > 0 {
		return c.kept
	}
	at := slices.IndexFunc(s.all, func(e index.Entry) bool { return e.Path == a.other.Path })
	switch {
	case supported:
	case at < 0 || s.all[at].Status != capability.Active:
		return []string{a.other.Name + " is not active any more"}
	case s.all[at].Tree != a.other.Tree:
		return []string{a.other.Name + " has changed, and does not contradict " + a.content.Name + " any more"}
	}
	return nil
}

// followUps withdraws the open questions after repairs that the content in force does not cause any more. A pass
// opens them.
func (o opener) followUps(ctx context.Context, s observed) (out []Result, err error) {
	for _, a := range s.asked {
		if a.kind != FollowUp {
			continue
		}
		_, asks, err := followup.Find(o.in.Session(), a.pull.ID)
		if err != nil {
			return out, err
		}
		if asks { // also about a skill that changed meanwhile: no second question comes
			continue
		}
		gone := "nothing that is active supersedes what " + a.content.Name + " applies to, or it names the repair itself, or is not in force any more"
		r, err := o.review(ctx, a, []string{gone})
		if err != nil {
			return out, err
		}
		out = append(out, r)
	}
	return out, nil
}
