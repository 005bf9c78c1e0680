package suite

import "github.com/assent-dev/assent/engine/base/diag"

// Verdict is the result of a case's repetitions.
type Verdict string

// The verdicts of cases.
const (
	Pass Verdict = "pass"
	Fail Verdict = "fail"
	// Flaky: one run passed the case and another did not, with the same input.
	Flaky Verdict = "flaky"
	// Skip: it was not run.
	Skip Verdict = "skip"
)

// Result is the result of one case.
type Result struct {
	Name     string  `json:"name"`
	Origin   Origin  `json:"origin"`
	From     string  `json:"from,omitempty"`
	Kind     Kind    `json:"kind,omitempty"`
	Verdict  Verdict `json:"verdict"`
	Weight   float64 `json:"weight"`
	Required bool    `json:"required"`
	// Runs counts the runs.
	Runs int `json:"runs"`
	// Cause is that of the first failed run, or the reason for skipping.
	Cause string `json:"cause,omitempty"`
	// Means and Fix come from the record's pattern for the error; without one, Fix is a
	// Remedy. Returned: the record says that the error no longer occurs.
	Means    string `json:"means,omitempty"`
	Fix      string `json:"fix,omitempty"`
	Returned bool   `json:"returned,omitempty"`
	// Milliseconds is the duration of all runs together. No digest covers it.
	Milliseconds int64 `json:"ms,omitempty"`

	pos diag.Pos
	// does: a passing run shows that the capability does something.
	does bool
}

// ID identifies the case among all of a capability, like Case.ID.
func (r Result) ID() string { return idOf(r.Origin, r.From, r.Name) }

// verdict evaluates the runs of one case.
func (s Subject) verdict(c Case, runs []Outcome) Result {
	r := Result{Name: c.Name, Origin: c.Origin, From: c.From, Kind: c.Kind, Weight: c.Weight, Required: c.Required, pos: c.Pos}
	met, unmet := 0, 0
	for _, o := range runs {
		if !o.Ran() {
			if r.Cause == "" {
				r.Cause = Cause(o)
			}
			continue
		}
		r.Runs++
		r.Milliseconds += o.Took.Milliseconds()
		cause, ok := c.Check(o)
		if ok {
			met++
			r.does = r.does || s.does(o)
			continue
		}
		if unmet++; unmet == 1 {
			r.Cause = cause
			s.explain(&r, c, o)
		}
	}
	switch {
	case met > 0 && unmet > 0:
		r.Verdict = Flaky
	case unmet > 0:
		r.Verdict = Fail
	case met > 0:
		r.Verdict, r.Cause = Pass, ""
	default:
		r.Verdict = Skip
		r.Cause = first(r.Cause, "was not run")
	}
	return r
}

// does reports whether a run shows that the capability does something. It answers; or, if
// it needs secrets or hosts, which no test has, it fails for a reason other than its
// input.
func (s Subject) does(o Outcome) bool {
	f := failed(o)
	if f == nil {
		answer, _ := o.Answer()
		return !unwrittenAnswer(answer)
	}
	return !s.Alone && !Refused(o) && !unwritten(f.message)
}

// explain adds the record's explanation of a run's error, or else advice about the
// sandbox's bounds.
func (s Subject) explain(r *Result, c Case, o Outcome) {
	p, ok := Explain(s.Patterns, o.Message, o.Stderr, o.Stdout, r.Cause)
	switch {
	case ok:
	case c.Demand == Refuses && o.Ended == Exited && o.Exit == 0: // it should not have answered
		r.Fix = "it refuses by another exit code than 0, or by an answer {\"error\": …}"
		return
	default:
		if r.Fix = Remedy(o); r.Fix == "" && c.Kind == LongInput {
			r.Fix = fixLongInput
		}
		return
	}
	r.Means, r.Fix, r.Returned = line("", p.Means), line("", p.Fix), p.Resolved
}
