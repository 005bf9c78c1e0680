package gc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// penalties are deducted from the utility of what is not healthy.
func penalties() map[health.State]float64 {
	return map[health.State]float64{health.Red: 0.1, health.Rejected: 0.1, health.Flaky: 0.05}
}

// Utilities measures capabilities in force by the missions of known installations, the lowest first. It also returns the
// skills that do not help some models. The error names journals that were left out; the others count.
func Utilities(cur workspace.Session, all []index.Entry) ([]trial.Utility, []trial.Unfit, error) {
	missions, unread := triallog.KnownMissions(workspace.TrialsOf(cur), cur.Policies.Retention.Trials.Writers)
	states, err := quarantine.States(cur, workspace.HealthOf(cur))
	if err != nil {
		return nil, nil, err
	}
	unfit := []trial.Unfit{}
	for _, e := range all {
		if e.Kind == capability.KindSkill && len(e.Models) == 0 {
			unfit = append(unfit, trial.UnfitFor(names.Fold(e.Name), missions)...)
		}
	}
	return utilities(all, missions, states), unfit, unread
}

func utilities(all []index.Entry, missions []trial.Mission, states map[string]health.State) []trial.Utility {
	out := []trial.Utility{}
	for _, e := range all {
		out = append(out, trial.UtilityOf(names.Fold(e.Name), missions, penalties()[states[e.Path]]))
	}
	order.Stable(out, func(a, b trial.Utility) int {
		return cmp.Or(cmp.Compare(a.Utility, b.Utility), cmp.Compare(b.Unlinked, a.Unlinked), cmp.Compare(a.Capability, b.Capability))
	})
	return out
}

// measured is why missions speak against a capability that an agent made.
type measured struct {
	trial.Utility
	// since is when the first of the last missions without it began, as many as most; zero if they are no reason.
	since time.Time
	most  int
	// cap is the limit of capabilities made by agents, if made reaches it; zero if it is no reason. place is the
	// 1-based rank among the capabilities that go because of the cap alone; zero for others.
	cap, made, place int
	// used is the day of the last use by a trial, zero for none.
	used time.Time
	// outdated is set for a deprecated capability without a successor, which only the cap makes a candidate.
	outdated bool
}

// low returns the candidates that missions speak against: shown to be harmful or useless (or unclear: they stay), not linked for
// so many missions as retention.yaml says, and, while agents made as many as limits.yaml admits, all in the
// order of their utility. Run proposes of the latter only as many as free a place.
func low(cur workspace.Session, o observed, used map[string]time.Time) (out []*candidate) {
	missions := o.missions
	limit := cur.Policies.Limits.Synthesised
	full := len(o.learned) >= limit // in any status, as the gate counts them
	if o.unread != nil || len(missions) == 0 && !full {
		return nil
	}
	made := map[string]index.Entry{}
	var entries []index.Entry
	for _, e := range o.all {
		old := full && e.Status == capability.Deprecated && heir(successors(e.Name, o.all), nil) == nil
		if name := names.Fold(e.Name); o.learned[name] && (e.Status == capability.Active || old) {
			made[name], entries = e, append(entries, e)
		}
	}
	for _, u := range utilities(entries, missions, o.states) {
		m := &measured{Utility: u, outdated: outdated(made[u.Capability]), used: used[u.Capability]}
		if most := cur.Policies.Retention.MissionsUnlinked; len(missions) > 0 && u.Unlinked >= most {
			m.most = most
			if m.since = missions[len(missions)-most].Begun; !used[u.Capability].Before(trial.DayOf(m.since).Time()) {
				m.since = time.Time{} // an installation that is not listed used it
			}
		}
		if full {
			m.cap, m.made = limit, len(o.learned)
		}
		if m.Verdict == trial.Unclear || m.shown() || !m.since.IsZero() || m.cap > 0 {
			out = append(out, &candidate{Entry: made[u.Capability], measured: m})
		}
	}
	return out
}

// shown reports whether missions show that a capability is harmful or useless.
func (m *measured) shown() bool { return m.Verdict == trial.Harmful || m.Verdict == trial.Useless }

// onlyLow reports whether the cap alone speaks against a capability.
func (c *candidate) onlyLow() bool {
	return c.idle == nil && c.measured != nil && c.measured.cap > 0 && !c.measured.shown() && c.measured.since.IsZero()
}

// lower orders candidates of the cap: by utility, then those unlinked, unused and unchanged the longest. Without
// missions all have the same utility but for their health.
func lower(a, b *candidate) int {
	return cmp.Or(cmp.Compare(a.measured.Utility.Utility, b.measured.Utility.Utility), cmp.Compare(b.measured.Unlinked, a.measured.Unlinked),
		a.measured.used.Compare(b.measured.used), a.changed.When().Compare(b.changed.When()), cmp.Compare(a.Path, b.Path))
}

// lines are the evidence.
func (m *measured) lines() []string {
	var out []string
	if m.Verdict == trial.Harmful {
		out = append(out, fmt.Sprintf("Missions ended worse with it: of %d pairs with the same model, tags and kind of step, %d ended worse with it and %d better (e-value %.4g; %d is proof).", m.Pairs, m.Worse, m.Better, m.E, trial.Proven))
	}
	if m.Verdict == trial.Useless {
		out = append(out, fmt.Sprintf("Missions did not end better with it: that it raises their success by %g or more is excluded by %d pairs with the same model, tags and kind of step (e-value %.4g; %d is proof), and it costs at least what it brings.", trial.Considerable, m.Pairs, m.Without, trial.Proven))
	}
	if m.Verdict == trial.Unclear {
		out = append(out, fmt.Sprintf("Missions speak against it, but as much against %s, used together with it, and do not tell which is the cause, or whether both together are: compare missions with only one of them.", strings.Join(m.Beside, " and ")))
	}
	if !m.since.IsZero() {
		out = append(out, fmt.Sprintf("None of the last %d missions, since %s, was linked with it or used it.", m.most, day(m.since)))
	}
	if m.cap > 0 {
		which := "the archive of this one frees a place"
		switch {
		case m.place == 1 && m.outdated:
			which = "of those that nothing keeps this one goes first: it is deprecated"
		case m.place == 1:
			which = "this one has the lowest utility of those that nothing keeps"
		case m.place > 1:
			which = fmt.Sprintf("this one is number %d of those that nothing keeps, in the order in which they go: deprecated ones first, then those with the lowest utility", m.place)
		}
		out = append(out, fmt.Sprintf("Agents made %d capabilities, limits.yaml admits %d, and %s.", m.made, m.cap, which))
	}
	if m.Missions == 0 {
		return append(out, fmt.Sprintf("No mission of known installations is recorded, so the capability goes that was not used for the longest time, and of equal ones the one unchanged the longest: %s.", lastUsed(m.used)))
	}
	return append(out, fmt.Sprintf("Its utility for a mission is %.6g: lift %.4g (%d pairs, %d better, %d worse) × frequency %.4g (%d of %d missions) − %.4g tokens / 100 000 − %.4g for its health.",
		m.Utility.Utility, m.Lift, m.Pairs, m.Better, m.Worse, m.Frequency, m.With, m.Missions, m.Tokens, m.Penalty))
}

// merged joins candidates found for several reasons, by path.
func merged(lists ...[]*candidate) (out []*candidate) {
	for _, c := range slices.Concat(lists...) {
		at := slices.IndexFunc(out, func(known *candidate) bool { return known.Path == c.Path })
		if at < 0 {
			out = append(out, c)
			continue
		}
		out[at].idle, out[at].measured = cmp.Or(out[at].idle, c.idle), cmp.Or(out[at].measured, c.measured)
	}
	return out
}
