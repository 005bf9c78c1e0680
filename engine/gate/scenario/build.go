package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/scan"
)

func decisions() []string {
	var out []string
	for _, d := range review.Decisions() {
		out = append(out, string(d))
	}
	return out
}

// The identity of a scenario's content.
const (
	proposalID = "scenario-00000000"
	effective  = "sha256:scenario"
	elsewhere  = "sha256:another"
)

// builder makes the facts of one scenario.
type builder struct {
	roles policy.Roles
	in    Facts
	// unknown are names without an identity in roles.
	unknown []string
}

// build returns the facts as the gate would have them.
func build(roles policy.Roles, in Facts) (policy.Facts, error) {
	b := &builder{roles: roles, in: in}
	proposer := cmp.Or(in.Proposer, b.firstAgent())
	out := in.Facts
	out.ID, out.Head, out.Effective = proposalID, tree.BlobHash([]byte(effective)), effective
	out.Kind, out.Agent, out.State = cmp.Or(out.Kind, "add"), cmp.Or(out.Agent, proposer), cmp.Or(out.State, policy.Open)
	out.Now, out.RequestedAt = in.now, in.now.Add(-in.waiting)
	out.Proposer = b.actor(proposer)
	if !in.Proven {
		out.Proposer = policy.Actor{Name: proposer}
	}
	out.Authors, out.Pushers, out.PushersKnown = b.actors(in.Authors, proposer), b.actors(in.Pushers, proposer), !in.PushersHidden
	for _, name := range in.Sessions {
		out.Sessions = append(out.Sessions, policy.Actor{Name: b.actor(name).Name})
	}
	if out.Provenance.Origins == nil && out.Provenance.Unrecorded == 0 {
		out.Provenance.Origins = []provenance.Origin{{Way: provenance.Draft}}
	}
	out.CheckStates = map[string]policy.CheckState{}
	for name, state := range in.Checks {
		out.CheckStates[name] = policy.CheckState(state)
	}
	b.changes(&out)
	b.evidence(&out)
	for _, r := range in.Reviews {
		rv := policy.Review{
			By: b.actor(r.By), Decision: review.Decision(cmp.Or(r.Decision, string(review.Approve))), Reason: r.Reason,
			At: in.now.Add(-r.ago), Head: out.Head, Effective: effective, Valid: true,
		}
		if r.Stale {
			rv.Head, rv.Effective = tree.BlobHash([]byte(elsewhere)), elsewhere
		}
		out.Reviews = append(out.Reviews, rv)
	}
	for _, o := range in.Opinions {
		out.Opinions = append(out.Opinions, policy.Opinion{
			Asked: cmp.Or(o.Asked, "someone"), Current: !o.Stale,
			Answer: advice.Answer{Verdict: cmp.Or(o.Verdict, advice.Escalate), Reason: o.Reason},
		})
	}
	if len(b.unknown) > 0 {
		return out, fmt.Errorf("roles have no identity called %s", strings.Join(b.unknown, " or "))
	}
	return out, nil
}

func (b *builder) firstAgent() string {
	for _, id := range b.roles.All() {
		if id.Kind == policy.KindAgent {
			return id.Name
		}
	}
	return ""
}

// actor returns an identity by the key that roles.yaml lists, so that it is certain.
func (b *builder) actor(name string) policy.Actor {
	id, known := b.roles.ByName(name)
	switch {
	case !known:
		if quoted := fmt.Sprintf("%q", name); !slices.Contains(b.unknown, quoted) {
			b.unknown = append(b.unknown, quoted)
		}
		return policy.Actor{Name: name}
	case len(id.Keys) > 0:
		return policy.Actor{Name: name, Key: id.Keys[0]}
	}
	return policy.Actor{Name: name}
}

func (b *builder) actors(names []string, proposer string) []policy.Actor {
	if names == nil {
		names = []string{proposer}
	}
	var out []policy.Actor
	for _, n := range names {
		out = append(out, policy.Actor{Name: b.actor(n).Name})
	}
	return out
}

func (b *builder) changes(out *policy.Facts) {
	capabilities, souls, size := out.Capabilities, out.Soul, out.Bytes
	out.Capabilities, out.Soul, out.Bytes = nil, nil, 0
	if len(capabilities)+len(souls)+len(b.in.Paths) == 0 {
		capabilities = []policy.Capability{{Name: "short-note", Description: "Write short notes. Use when somebody asks for a summary.", Chars: 200}}
	}
	add := func(path string, op policy.Op, size int64) {
		if !slices.ContainsFunc(out.Paths, func(p policy.PathChange) bool { return p.Path == path }) {
			out.Paths = append(out.Paths, policy.PathChange{Path: path, Op: op, Size: size})
			out.Bytes += size
		}
	}
	add("proposals/2026/01/15/"+proposalID+".md", policy.Added, 200)
	for _, c := range capabilities {
		complete(&c)
		add(c.Path+"/SKILL.md", c.Op, int64(c.Chars))
		out.Capabilities = append(out.Capabilities, c)
	}
	for _, edit := range souls {
		edit.Agent, edit.Mode = cmp.Or(edit.Agent, out.Agent), cmp.Or(edit.Mode, "append")
		add("soul/"+edit.Agent+"/SOUL.md", policy.Modified, int64(edit.Chars))
		out.Soul = append(out.Soul, edit)
	}
	for _, p := range b.in.Paths {
		add(p, policy.Modified, 200)
	}
	for i := len(out.Paths); i < b.in.Files && len(out.Capabilities) > 0; i++ {
		add(fmt.Sprintf("%s/references/%d.md", out.Capabilities[0].Path, i), policy.Added, 0)
	}
	if size > 0 {
		out.Bytes = size
	}
}

// complete makes a capability that a scenario describes a skill that is added and active, unless
// the scenario says otherwise.
func complete(c *policy.Capability) {
	c.Path = "skills/" + c.Name
	c.Pos = diag.Pos{File: c.Path + "/SKILL.md"}
	c.Op, c.Kind, c.Status = cmp.Or(c.Op, policy.Added), cmp.Or(c.Kind, "skill"), cmp.Or(c.Status, "active")
	if c.Op != policy.Added {
		c.WasStatus = cmp.Or(c.WasStatus, c.Status)
	}
}

func (b *builder) evidence(out *policy.Facts) {
	stated := out.Tests
	out.Tests = nil
	if b.in.Unvalidated {
		return
	}
	out.Validation = policy.Validation{Ran: true, Digest: effective}
	out.Scan.Ran = true
	layers := map[string]scan.Layer{}
	for _, r := range scan.Rules() {
		layers[r.ID] = r.Layer
	}
	var scanned diag.List
	for _, f := range b.in.Findings {
		d := diag.Diagnostic{Rule: f.Rule, Severity: diag.Warning, Confidence: f.Confidence, Message: f.Rule}
		if f.Severity != "" {
			_ = d.Severity.UnmarshalText([]byte(f.Severity)) // was checked
		}
		out.Findings.Add(d)
		layer, ok := layers[f.Rule]
		if !ok {
			continue
		}
		scanned.Add(d)
		if layer == scan.Instructions && d.Severity != diag.Note {
			out.Scan.Injections = append(out.Scan.Injections, d.Pos)
		}
	}
	out.Validation.Errors, out.Validation.Warnings = out.Findings.Count(diag.Error), out.Findings.Count(diag.Warning)
	out.Scan.Errors, out.Scan.Warnings, out.Scan.Score = scanned.Count(diag.Error), scanned.Count(diag.Warning), scan.Score(scanned)
	if stated != nil {
		out.Tests = tests(*stated, out.Capabilities)
	}
}

// maxRuns is more often than any policy asks for.
const maxRuns = 1000

// tests are of exactly this content, of each capability that has any, and often enough.
func tests(t policy.Tests, changed []policy.Capability) *policy.Tests {
	out := &policy.Tests{Passed: t.Passed, Failed: t.Failed, RequiredFailed: t.RequiredFailed}
	state := suite.Passed
	if t.RequiredFailed > 0 {
		state = suite.Failing
	}
	if all := t.Passed + t.Failed; all > 0 {
		out.Mastery = float64(t.Passed) / float64(all)
	}
	for _, c := range changed {
		if policy.Provable(c) {
			out.Trials = append(out.Trials, proof.Trial{
				Name: c.Name, Path: c.Path, Repeat: maxRuns, State: state, Mastery: out.Mastery, Passed: t.Passed, Failed: t.Failed, RequiredFailed: t.RequiredFailed,
			})
		}
	}
	return out
}
