package health

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Thresholds are the limits of policies/retention.yaml that count here.
type Thresholds struct {
	// Degraded is how many uses in a row have to fail for a quarantine; 0 is never.
	Degraded int
	// RetireFailures in fewer uses than RetireBelow are enough to ask for retirement.
	RetireFailures, RetireBelow int
}

// Illegal says that evidence leads nowhere from a state. Nothing changed.
type Illegal struct {
	State    State
	Evidence Kind
	Why      string
}

// Error returns the reason with an alternative.
func (i *Illegal) Error() string { return i.Why }

// paths returns the transitions from a state for an outcome of tests, step by step. They are
// those of the capability registry's diagram (row P3), with the preflight (row P12). A failed
// preflight is a quarantine at once, because the gate had admitted the content.
func paths(from State, kind Kind, outcome Outcome) []State {
	switch from {
	case Pending:
		switch {
		case outcome == Passed:
			return []State{Green}
		case outcome == Failed && kind == Suite:
			return []State{Rejected}
		case outcome == Failed:
			return []State{Red}
		}
		return []State{Red, Flaky}
	case Green:
		switch outcome {
		case Failed:
			return []State{Red}
		case Mixed:
			return []State{Red, Flaky}
		}
	case Flaky:
		switch {
		case outcome == Failed:
			return []State{Red}
		case outcome == Passed && kind == Suite:
			return []State{Green}
		}
	case Red:
		switch outcome {
		case Passed:
			return []State{Green}
		case Mixed:
			return []State{Flaky}
		}
	}
	return nil
}

// Step is the health after one more piece of evidence. The error is an *Illegal where
// the evidence cannot count in that state.
func (e Entry) Step(ev Evidence, t Thresholds) (Entry, error) {
	if why := e.refuses(ev); why != "" {
		return e, &Illegal{State: e.State, Evidence: ev.Kind, Why: why}
	}
	switch ev.Kind {
	case Use:
		return e.used(ev, t), nil
	case Reset:
		e = e.to(Pending, ev)
		e.Cases, e.InARow, e.Failing = nil, 0, nil
		return e, nil
	}
	if ev.Outcome == Nothing {
		return e, nil
	}
	if ev.Kind == Suite {
		e.Checked, e.Mastery, e.Report = ev.At, ev.Mastery, ev.Report
		if ev.Asked && ev.Outcome == Passed {
			e.Asked = ev.At
		}
	}
	//defence:passing-tests-forgive-no-uses
	if e.State == Red && e.By == Use && !ev.Asked && ev.Outcome != Failed {
		return e, nil // the tests passed before the uses failed as well
	}
	for _, next := range paths(e.State, ev.Kind, ev.Outcome) {
		e = e.to(next, ev)
	}
	e.Cases = ev.Cases
	if e.State == Green {
		e.InARow, e.Failing, e.Cases = 0, nil, nil
	}
	return e, nil
}

// refuses says why evidence cannot count, "" if it can.
func (e Entry) refuses(ev Evidence) string {
	switch {
	case ev.Kind == Reset && e.State != Rejected:
		return fmt.Sprintf("it is %s: only a rejected one can be reset; assent health --check NAME runs its tests", e.State)
	case ev.Kind == Reset, ev.Kind == Use:
		return ""
	case e.State == Rejected:
		return "it is rejected: its tests failed the first time they were run here. A repair is another content and starts as pending; " +
			"assent health --reset NAME does if this machine was at fault"
	case e.State == Red && ev.Kind == Smoke:
		return "it is in quarantine, which a few smoke tests do not end: assent health --check NAME runs all of its tests"
	}
	return ""
}

// used counts a call. One that began before a quarantine and ended in it is counted and
// changes nothing else.
func (e Entry) used(ev Evidence, t Thresholds) Entry {
	n := max(1, ev.Times)
	e.Uses += n
	e.Cost = math.Round((e.Cost+ev.Cost)*1e6) / 1e6 // as sessions count
	e.Used = ev.At
	if ev.Outcome == Failed && ev.Call != "" && slices.Contains(e.Failing, ev.Call) {
		ev.Outcome = Nothing // the same call again shows nothing new
	}
	switch ev.Outcome {
	case Failed:
		e.Contexts = noted(e.Contexts, ev)
	case Passed:
		e.InARow, e.Failing = 0, nil
		e.Contexts = noted(e.Contexts, ev)
		return e
	default:
		e.Neither += n
		return e
	}
	e.Failures++
	e.InARow++
	if ev.Call != "" {
		e.Failing = append(slices.Clone(e.Failing[max(0, len(e.Failing)-maxFailing+1):]), ev.Call)
	}
	if t.Degraded > 0 && e.InARow >= t.Degraded && e.State.Runs() {
		ev.Why = fmt.Sprintf("%d uses in a row failed, the last with: %s", e.InARow, ev.Why)
		e = e.to(Red, ev)
		e.Cases = nil
	}
	return e
}

func (e Entry) to(next State, ev Evidence) Entry {
	change := Change{From: e.State, To: next, At: ev.At, By: ev.Kind, Why: ev.Why}
	e.History = append(e.History[:len(e.History):len(e.History)], change)
	e.History = e.History[max(0, len(e.History)-maxHistory):]
	e.State, e.Since, e.By, e.Why = next, ev.At, ev.Kind, ev.Why
	return e
}

// WasOut reports whether this installation ever took the content out of use.
func (e Entry) WasOut() bool {
	return slices.ContainsFunc(e.History, func(c Change) bool { return !c.To.Runs() })
}

// Retire reports whether a capability in quarantine should be removed rather than repaired: it
// failed often in few uses (row H6).
func (e Entry) Retire(t Thresholds) bool {
	return t.RetireFailures > 0 && e.Failures >= t.RetireFailures && e.Uses < t.RetireBelow
}

// Due reports whether all tests should run again: their last run is older than interval, or they
// failed, which a later run may not. A capability in quarantine because of uses passes its tests,
// and a rejected one stays rejected: neither is due.
func (e Entry) Due(now time.Time, interval time.Duration) bool {
	switch {
	case e.State == Rejected || e.State == Red && (e.By == Use || e.By == Elsewhere):
		return false
	case e.State == Red, e.State == Flaky, e.Checked.IsZero():
		return true
	}
	return interval > 0 && now.Sub(e.Checked) >= interval
}

// DueAt returns when a green or pending one is due again; zero means now or never.
func (e Entry) DueAt(interval time.Duration) time.Time {
	if e.Checked.IsZero() || interval <= 0 || e.State != Green {
		return time.Time{}
	}
	return e.Checked.Add(interval)
}
