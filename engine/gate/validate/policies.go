package validate

import (
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/scenario"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/scan"
)

// changesArea reports whether any file of an area differs.
func (s *subject) changesArea(area names.AreaName) bool {
	for _, c := range s.changes {
		if names.Area(c.Path) == area {
			return true
		}
	}
	return false
}

// checkPolicies reads the policies of the head, only to tell whether they would
// load: nothing of this validation follows them.
func checkPolicies(s *subject) error {
	s.policiesInForce()
	if !s.changesArea(names.PoliciesArea) {
		return nil
	}
	next, diags := policy.Load(s.Head)
	s.diags.Add(diags...)
	s.checkFormat(next.Format)
	if diags.HasErrors() {
		return nil // what stands in for broken files is nobody's policy
	}
	s.diags.Add(next.LockedOut(s.Today)...)
	s.checkWaivers(next.Security.Waivers)
	s.checkPastWaivers(next.Security.Waivers)
	return s.tryScenarios(next)
}

// checkWaivers warns of waivers that waive nothing, because the scanner has no such rule.
func (s *subject) checkWaivers(waivers []policy.Waiver) {
	var known []string
	for _, r := range scan.Rules() {
		known = append(known, r.ID)
	}
	for _, w := range waivers {
		if slices.Contains(known, w.Rule) {
			continue
		}
		fix := "write the rule as the finding shows it in brackets"
		if near := strictyaml.Nearest(w.Rule, known); near != "" {
			fix = "did you mean " + near + "?"
		}
		s.diags.Warnf(policy.RuleWaiver, w.Pos, fix, "the scanner has no rule %q: this waives nothing", w.Rule)
	}
}

// checkPastWaivers warns of waivers that the change adds and whose last day is over.
func (s *subject) checkPastWaivers(waivers []policy.Waiver) {
	for _, w := range waivers {
		there := slices.ContainsFunc(s.Policies.Security.Waivers, func(old policy.Waiver) bool {
			return old.Rule == w.Rule && old.Blob == w.Blob && old.Expires.Equal(w.Expires)
		})
		if !there && !w.Expires.IsZero() && !s.Today.Before(w.Expires) {
			s.diags.Warnf(policy.RuleWaiver, w.Pos, "write a later day, or leave the waiver out", "the waiver expired on %s: it waives nothing", w.Expires.Format(time.DateOnly))
		}
	}
}

// tryScenarios judges the scenarios of the head by the policies of the head: a change
// of either that makes them disagree is refused.
func (s *subject) tryScenarios(next policy.Policies) error {
	files, diags, err := scenario.Load(s.Head)
	s.diags.Add(diags...)
	for _, f := range files {
		for _, r := range scenario.Run(next, f) {
			s.diags.Add(r.Failures...)
		}
	}
	return err
}

// checkFormat keeps the workspace in formats that this program reads. It never goes
// back, because what the format admitted may be there already.
func (s *subject) checkFormat(next int) {
	at := diag.Pos{File: policy.WorkspaceFile}
	switch {
	case next > policy.NewestFormat:
		s.diags.Errorf(RuleNewFormat, at, "update assent, then propose it again",
			"the workspace would have format %d; this program reads up to %d", next, policy.NewestFormat)
	case next < s.Policies.Format:
		s.diags.Errorf(RuleOldFormat, at, "leave "+policy.WorkspaceFile+" as it is",
			"the workspace has format %d and would have %d: a format is never taken back", s.Policies.Format, next)
	}
}

// policiesInForce says when the rules that are applied are the built-in ones
// because the base's files cannot be read.
func (s *subject) policiesInForce() {
	for _, d := range s.PolicyDiags {
		if d.Severity == diag.Error {
			d.Severity = diag.Warning
			d.Message = "in force: " + d.Message
			s.diags.Add(d)
		}
	}
}

func checkWorkflows(s *subject) error {
	if !s.changesArea(names.WorkflowsArea) {
		return nil
	}
	_, diags, err := workflow.Load(s.Head, s.Schedule)
	s.diags.Add(diags...)
	return err
}

// checkProposal judges the proposal's own file: where it stands, whether it
// lists what really changes, and that no earlier proposal is rewritten.
func checkProposal(s *subject) error {
	for _, c := range s.changes {
		if names.Area(c.Path) != names.ProposalsArea || c.Path == s.file || s.Worktree {
			continue
		}
		//defence:records-stay
		if !c.Added() {
			s.diags.Errorf(RuleRewritten, diag.Pos{File: c.Path}, "leave the file as it is; say what is new in a new proposal",
				"the change alters or removes an earlier proposal, which is a record")
		}
	}
	if s.Worktree {
		return nil
	}
	if s.proposal == nil {
		s.diags.Errorf(RuleNoProposal, diag.Pos{}, "make one with `assent propose`",
			"the change comes without a proposal file, so nobody says why")
		return nil
	}
	s.checkListed()
	return nil
}

// checkListed compares the files list with the difference. The engine's own
// entry in a SOUL.md comes after the list was written.
func (s *subject) checkListed() {
	at := diag.Pos{File: s.file}
	if !strings.HasSuffix(s.file, "/"+s.proposal.ID+".md") {
		s.diags.Errorf(names.RuleProposal, at, "the file's name is <id>.md", "the proposal says id %q", s.proposal.ID)
	}
	var real []string
	for _, c := range s.changes {
		if c.Path != s.file {
			real = append(real, c.Path)
		}
	}
	for _, f := range real {
		//defence:files-are-listed
		if !slices.Contains(s.proposal.Files, f) {
			s.diags.Errorf(RuleFiles, at, "run `assent update` with the proposal's id: the engine fills the list in",
				"the change alters %s, which the proposal does not list", f)
		}
	}
	for _, f := range s.proposal.Files {
		if !slices.Contains(real, f) {
			s.diags.Notef(RuleFiles, at, "", "%s is listed but is already so on main", f)
		}
	}
}
