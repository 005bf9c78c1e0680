package gate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// TestState checks the state derived from a pull request and its verdict.
func TestState(t *testing.T) {
	under := func(rule string, o policy.Outcome) policy.Verdict {
		return policy.Verdict{Outcome: policy.Waiting, Children: []policy.Verdict{{Rule: "other", Outcome: policy.Waiting}, {Rule: rule, Outcome: o}}}
	}
	report := &validate.Report{}
	for _, c := range []struct {
		pull       forge.Pull
		conflicted bool
		report     *validate.Report
		held       string
		v          policy.Verdict
		want       proposal.State
	}{
		{pull: forge.Pull{State: forge.Merged}, conflicted: true, want: proposal.Merged},
		{pull: forge.Pull{State: forge.Closed}, conflicted: true, want: proposal.Withdrawn},
		{pull: forge.Pull{State: forge.Closed, Why: "rejected"}, want: proposal.Rejected},
		{pull: forge.Pull{State: forge.Closed, Why: "expired"}, want: proposal.Expired},
		{pull: forge.Pull{State: forge.Open}, conflicted: true, report: report, want: proposal.Conflicted},
		{pull: forge.Pull{State: forge.Open}, v: policy.Verdict{Outcome: policy.Allowed}, want: proposal.Open},
		{report: report, want: proposal.Open},
		{report: report, v: policy.Verdict{Outcome: policy.Allowed}, want: proposal.Approved},
		{report: report, v: policy.Verdict{Outcome: policy.Allowed}, held: "main has a break", want: proposal.Waiting},
		{report: report, v: policy.Verdict{Outcome: policy.Refused}, want: proposal.Refused},
		{report: report, v: policy.Verdict{Outcome: policy.Waiting}, want: proposal.Waiting},
		{report: report, v: under(policy.RuleExpiry, policy.Waiting), want: proposal.Expired},
		{report: report, v: under(policy.RuleExpiry, policy.Allowed), want: proposal.Waiting},
		{report: report, v: under(policy.RuleChangesRequested, policy.Waiting), want: proposal.ChangesRequested},
		{report: report, v: policy.Verdict{Rule: policy.RuleChangesRequested, Outcome: policy.Waiting}, want: proposal.ChangesRequested},
	} {
		if got := gate.State(gate.Case{Pull: c.pull, Conflicted: c.conflicted, Report: c.report, Held: c.held}, c.v); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestFactsOfAPull: state, time of the request and people, as the forge shows them.
func TestFactsOfAPull(t *testing.T) {
	c := claimed(t, "trusted", proposal.Add)
	for want, pull := range map[policy.State]forge.Pull{
		policy.Open: {State: forge.Open}, policy.Merged: {State: forge.Merged}, policy.Withdrawn: {State: forge.Closed},
		policy.Rejected: {State: forge.Closed, Why: "rejected"}, "": {},
	} {
		if got := (gate.Case{Pull: pull}).Facts().State; got != want {
			t.Errorf("%+v: %q", pull, got)
		}
	}
	opened := c.Pull.Opened
	later := opened.Add(time.Hour)
	c.Activity.Pushes = []forge.Push{{By: forge.Actor{Name: "trusted"}, At: opened.Add(-time.Hour)}, {Engine: true, At: later}}
	if got := c.Facts().RequestedAt; got != opened {
		t.Errorf("an earlier push or one of the engine renews the request: %s", got)
	}
	c.Activity.Pushes = append(c.Activity.Pushes, forge.Push{By: forge.Actor{Name: "trusted"}, At: later})
	if got := c.Facts().RequestedAt; got != later {
		t.Errorf("a push does not renew the request: %s", got)
	}
	c.Pull.Reopened = later.Add(time.Hour)
	if got := c.Facts().RequestedAt; got != c.Pull.Reopened {
		t.Errorf("reopening does not renew the request: %s", got)
	}
	c.Pull.Reopened = opened.Add(-time.Minute)
	c.Activity.Pushes = nil
	if got := c.Facts().RequestedAt; got != opened {
		t.Errorf("reopened before it was opened: %s", got)
	}

	c.Forge, c.Pull.Author = "github", forge.Actor{Login: "Ann", Email: "ann@example.org", Key: "SHA256:x"}
	want := policy.Actor{Email: "ann@example.org", Claimed: "SHA256:x", Forge: "github", ClaimedLogin: "Ann"}
	if got := c.Facts().Proposer; got != want {
		t.Errorf("%+v", got)
	}
	c.Pull.Author.Login = ""
	if got := c.Facts().Proposer; got.Forge != "" || got.ClaimedLogin != "" {
		t.Errorf("an account without a login: %+v", got)
	}
}

// TestPushers checks that every possible pusher counts, and that the list is incomplete if one is unknown.
func TestPushers(t *testing.T) {
	for _, c := range []struct {
		pushes []forge.Push
		want   []policy.Actor
		known  bool
	}{
		{nil, nil, true},
		{[]forge.Push{{Engine: true}}, nil, true},
		{[]forge.Push{{}}, nil, false},
		{[]forge.Push{{By: forge.Actor{Name: "a"}, Behind: []forge.Actor{{Name: "b"}, {}}}}, []policy.Actor{{Name: "a"}, {Name: "b"}}, false},
		{[]forge.Push{{By: forge.Actor{Name: "a"}}, {Engine: true}, {By: forge.Actor{Name: "c"}}}, []policy.Actor{{Name: "a"}, {Name: "c"}}, true},
	} {
		f := gate.Case{Activity: forge.Activity{Pushes: c.pushes}}.Facts()
		if !slices.Equal(f.Pushers, c.want) || f.PushersKnown != c.known {
			t.Errorf("%+v: %+v, %v", c.pushes, f.Pushers, f.PushersKnown)
		}
	}
}

// TestFactsOfAReport: without a report nothing is known of the change.
func TestFactsOfAReport(t *testing.T) {
	c := gate.Case{Proposal: proposal.Proposal{Kind: proposal.Add}, Synthesised: 3}
	if f := c.Facts(); f.Validation.Ran || f.Synthesised != 0 || f.Kind != "add" {
		t.Errorf("%+v", f)
	}
	c.Report = &validate.Report{
		Kind: "revise", Scan: policy.Scan{Ran: true, Score: 0.3}, Changes: policy.Changes{Bytes: 7},
		Diagnostics: diag.List{{Rule: "a", Severity: diag.Error}, {Rule: "b", Severity: diag.Warning}, {Rule: "c", Severity: diag.Warning}, {Rule: "d", Severity: diag.Note}},
	}
	digest, err := c.Report.Digest()
	if err != nil {
		t.Fatal(err)
	}
	f := c.Facts()
	want := policy.Validation{Ran: true, Errors: 1, Warnings: 2, Digest: digest}
	if f.Validation != want || f.Kind != "revise" || f.Claimed != "add" || f.Synthesised != 3 || f.Bytes != 7 || !f.Scan.Ran || len(f.Findings) != 4 {
		t.Errorf("%+v", f)
	}
}

// TestEarlierReports checks that the stricter of a recorded finding and a new one counts.
func TestEarlierReports(t *testing.T) {
	one, two := diag.List{{Rule: "a", Severity: diag.Warning}}, diag.List{{Rule: "a", Severity: diag.Warning}, {Rule: "b", Severity: diag.Warning}}
	at := diag.Pos{File: "x"}
	for _, c := range []struct{ now, then diag.List }{{one, two}, {two, one}} {
		f := gate.Case{
			Report:  &validate.Report{Diagnostics: c.now, Scan: policy.Scan{Ran: true, Warnings: len(c.now), Score: float64(len(c.now)), Injections: []diag.Pos{at}}},
			Earlier: &gate.Earlier{Report: validate.Report{Engine: strings.Repeat("9", 50), Diagnostics: c.then, Scan: policy.Scan{Warnings: len(c.then), Score: float64(len(c.then)), Injections: []diag.Pos{at}}}},
		}.Facts()
		if f.Validation.Warnings != 2 || f.Scan.Warnings != 2 || f.Scan.Score != 2 || len(f.Scan.Injections) != 2 || len(f.Findings) != 3 {
			t.Errorf("%+v %+v", f.Validation, f.Scan)
		}
		if f.Earlier == nil || f.Earlier.By != "version "+strings.Repeat("9", 40) {
			t.Errorf("%+v", f.Earlier)
		}
	}
}

// TestAccountReviews: a review without a signature counts only as an account of the forge.
func TestAccountReviews(t *testing.T) {
	for _, c := range []struct {
		forge, login string
		valid        bool
	}{{"github", "ann", true}, {"", "ann", false}, {"github", "", false}} {
		got := gate.Case{Forge: c.forge, Activity: forge.Activity{Reviews: []forge.Review{{By: forge.Actor{Login: c.login}, Decision: "approve", Reason: "fine", Effective: "sha256:aa"}}}}.Facts().Reviews
		if len(got) != 1 || got[0].Valid != c.valid || got[0].By != (policy.Actor{Forge: c.forge, Login: c.login}) || got[0].Reason != "fine" || got[0].Effective != "sha256:aa" {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	got := gate.Case{Activity: forge.Activity{Reviews: []forge.Review{{By: forge.Actor{Name: "ann"}, Decision: "approve", Record: []byte("{}")}}}}.Facts().Reviews
	if len(got) != 1 || got[0].Valid || got[0].Invalid == "" || got[0].By.Name != "ann" || got[0].Decision != review.Approve {
		t.Errorf("%+v", got)
	}
}

// TestTests: outcomes count for exactly the subject that they are of.
func TestTests(t *testing.T) {
	trial := func(path, subject string) proof.Trial {
		return proof.Trial{Name: path, Path: path, Subject: subject, Repeat: 1, State: suite.Passed, Mastery: 0.5, Passed: 2, Failed: 1, Flaky: 1, RequiredFailed: 1}
	}
	nothing := trial("c", "3")
	nothing.State, nothing.Mastery = proof.Nothing, 0
	c := gate.Case{
		Report:   &validate.Report{Changes: policy.Changes{Callers: []policy.Capability{{Path: "d"}}}},
		Subjects: []proof.Subject{{Path: "a", Digest: "1"}, {Path: "b", Digest: "2"}, {Path: "c", Digest: "3"}, {Path: "d", Digest: "4"}, {Path: "e", Digest: "5"}},
		Proven:   []proof.Trial{trial("a", "1"), trial("b", "another"), nothing, trial("d", "4")},
	}
	got := c.Facts().Tests
	if got == nil || got.Passed != 4 || got.Failed != 2 || got.Flaky != 2 || got.RequiredFailed != 2 || got.Mastery != 0.5 || len(got.Trials) != 3 || got.Claimed {
		t.Errorf("%+v", got)
	}
	c.Proven = nil
	if got := c.Facts().Tests; got != nil {
		t.Errorf("nothing ran: %+v", got)
	}
	c.Unrun = "no sandbox"
	if got := c.Facts().Tests; got == nil || got.Unrun != "no sandbox" || got.Mastery != 0 {
		t.Errorf("%+v", got)
	}

	// A record in the journal counts only if hearsay is allowed; the newest one wins.
	c = claimed(t, "trusted", proposal.Add)
	c.Report, c.Subjects, c.Hearsay = &validate.Report{}, []proof.Subject{{Path: "a", Digest: "sha256:1"}}, true
	record := func(change func(*proof.Record)) forge.Proof {
		first := proof.Trial{
			Name: "a", Path: "skills/a", Subject: "sha256:" + strings.Repeat("1", 64), Repeat: 1, State: suite.Passed, Mastery: 1, Passed: 2,
			Report: "sha256:" + strings.Repeat("2", 64), Against: []string{}, Failing: []string{},
		}
		r := proof.Record{
			V: proof.Version, Engine: "assent/0", Workspace: c.Workspace, Proposal: c.Pull.ID, Head: c.Pull.Head, Effective: c.Effective,
			Result: tree.BlobHash([]byte("r")), Trials: []proof.Trial{first},
		}
		change(&r)
		data, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return forge.Proof{Record: data}
	}
	c.Subjects = []proof.Subject{{Path: "skills/a", Digest: "sha256:" + strings.Repeat("1", 64)}}
	for name, change := range map[string]func(*proof.Record){
		"": func(*proof.Record) {}, "another workspace": func(r *proof.Record) { r.Workspace = "v" },
		"another proposal": func(r *proof.Record) { r.Proposal = "y-k3v9q2mt" }, "another content": func(r *proof.Record) { r.Effective = "sha256:bb" },
	} {
		c.Activity.Proofs = []forge.Proof{record(change)}
		if got := c.Facts().Tests; (got != nil) != (name == "") || got != nil && (!got.Claimed || got.Passed != 2) {
			t.Errorf("a record of %s: %+v", name, got)
		}
	}
	c.Activity.Proofs = []forge.Proof{record(func(r *proof.Record) { r.Trials[0].Passed = 9 }), record(func(*proof.Record) {})}
	if got := c.Facts().Tests; got == nil || got.Passed != 2 {
		t.Errorf("an older record counts: %+v", got)
	}
	c.Hearsay = false
	if got := c.Facts().Tests; got != nil {
		t.Errorf("a record decides: %+v", got)
	}
}

// TestOpinions: an opinion is current for the content it is about, in any of its digests.
func TestOpinions(t *testing.T) {
	c := claimed(t, "trusted", proposal.Add)
	given := func(change func(*advice.Record)) forge.Advice {
		r := advice.Record{
			V: advice.Version, Engine: "assent/0", Workspace: c.Workspace, Proposal: c.Pull.ID, Head: c.Pull.Head, Tree: c.Effective, Asked: "model",
			Answer: advice.Answer{Verdict: advice.Escalate, Reason: "look", Findings: []advice.Finding{}},
		}
		change(&r)
		data, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return forge.Advice{By: forge.Actor{Name: "bob"}, Record: data}
	}
	c.Unwritten, c.Plain = "sha256:unwritten", "sha256:plain"
	for digest, current := range map[string]bool{c.Effective: true, c.Unwritten: true, c.Plain: true, "sha256:other": false} {
		c.Activity.Advice = []forge.Advice{given(func(r *advice.Record) { r.Tree = digest })}
		got := c.Facts().Opinions
		if len(got) != 1 || got[0].Current != current || got[0].By.Name != "bob" || got[0].Asked != "model" {
			t.Errorf("%s: %+v", digest, got)
		}
	}
	c.Activity.Advice = []forge.Advice{
		given(func(r *advice.Record) { r.Workspace = "v" }), given(func(r *advice.Record) { r.Proposal = "y-k3v9q2mt" }), {Record: []byte("{}")},
	}
	if got := c.Facts().Opinions; len(got) != 0 {
		t.Errorf("%+v", got)
	}
	c.Effective = "" // not examined
	for head, current := range map[tree.Hash]bool{c.Pull.Head: true, tree.BlobHash([]byte("x")): false} {
		c.Activity.Advice = []forge.Advice{given(func(r *advice.Record) { r.Head, r.Tree = head, "sha256:other" })}
		if got := c.Facts().Opinions; len(got) != 1 || got[0].Current != current {
			t.Errorf("%s: %+v", head, got)
		}
	}
}

// TestProvenance checks that records of several pushes are merged without repetitions.
func TestProvenance(t *testing.T) {
	push := func(way provenance.Way, tool, email string) forge.Push {
		data, err := provenance.Record{
			V: provenance.Version, Engine: "assent/0", Origin: provenance.Origin{Way: way}, Tool: tool, Session: provenance.Session{Email: email},
		}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return forge.Push{Provenance: data}
	}
	c := gate.Case{
		Copies: []string{"skills/old"},
		Proposal: proposal.Proposal{Gap: &proposal.Gap{Evidence: []string{
			"see https://b.example/x. And (http://a.example/y), https://b.example/x", "nothing",
		}}},
		Activity: forge.Activity{Pushes: []forge.Push{
			push(provenance.Draft, "", ""), push(provenance.Import, "gpt", "ann@example.org"), push(provenance.Draft, "gpt", "ann@example.org"),
			push(provenance.Draft, "other", "bob@example.org"), {}, {Engine: true},
		}},
	}
	f := c.Facts()
	want := policy.Provenance{
		Origins: []provenance.Origin{{Way: provenance.Draft}, {Way: provenance.Import}}, Unrecorded: 1, Copies: []string{"skills/old"},
		Tools: []string{"gpt", "other"}, URLs: []string{"http://a.example/y", "https://b.example/x"},
	}
	if diff := cmp.Diff(want, f.Provenance); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]policy.Actor{{Email: "ann@example.org"}, {Email: "bob@example.org"}}, f.Sessions); diff != "" {
		t.Error(diff)
	}
	first := c.ProvenanceDigest()
	c.Activity.Pushes = append(c.Activity.Pushes, forge.Push{Engine: true, Provenance: []byte("x")})
	if c.ProvenanceDigest() != first {
		t.Error("a push of the engine changes the digest")
	}
	c.Activity.Pushes = append(c.Activity.Pushes, forge.Push{})
	if c.ProvenanceDigest() == first {
		t.Error("a push does not change the digest")
	}
}
