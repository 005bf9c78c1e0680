package gate

import (
	"slices"

	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// tests is what is known of the tests of exactly this content; nil where nothing is.
func (c Case) tests() *policy.Tests {
	known, claimed := c.Proven, false
	//defence:records-prove-nothing
	if known == nil && c.Hearsay {
		known, claimed = c.recordedTrials(), true
	}
	out := policy.Tests{Mastery: 1, Claimed: claimed, Unrun: c.Unrun}
	for _, s := range c.Subjects {
		at := slices.IndexFunc(known, func(t proof.Trial) bool { return t.Path == s.Path && t.Subject == s.Digest })
		if at < 0 {
			continue
		}
		t := known[at]
		out.Trials = append(out.Trials, t)
		if slices.ContainsFunc(c.Report.Changes.Callers, func(o policy.Capability) bool { return o.Path == t.Path }) {
			continue // what it fails in force already is not of this change
		}
		out.Passed, out.Failed, out.Flaky, out.RequiredFailed = out.Passed+t.Passed, out.Failed+t.Failed, out.Flaky+t.Flaky, out.RequiredFailed+t.RequiredFailed
		if t.State != proof.Nothing {
			out.Mastery = min(out.Mastery, t.Mastery)
		}
	}
	if len(out.Trials) > 0 {
		return &out
	}
	if c.Unrun == "" {
		return nil
	}
	return &policy.Tests{Unrun: c.Unrun}
}

// recordedTrials are the trials that the journal tells of, the newest first. A record
// that is about something else, or cannot be read, is none.
func (c Case) recordedTrials() []proof.Trial {
	out := []proof.Trial{}
	for _, p := range slices.Backward(c.Activity.Proofs) {
		rec, err := proof.Decode(p.Record)
		if err == nil && rec.Workspace == c.Workspace && rec.Proposal == c.Pull.ID && rec.Effective == c.Effective {
			out = append(out, rec.Trials...)
		}
	}
	return out
}
