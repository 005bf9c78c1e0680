package gate

import (
	"slices"

	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// tests returns the known test results of exactly this content, or nil if there are none.
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
			continue // a failure of its code in force is not caused by this change
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

// recordedTrials returns the trials recorded in the journal, the newest first. It ignores
// unreadable records and those about other content.
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
