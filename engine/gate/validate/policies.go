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
func (s *change) changesArea(area names.AreaName) bool {
	for _, c := range s.changes {
		if names.Area(c.Path) == area {
			return true
		}
	}
	return false
}

// checkPolicies reads the policies of the head, only to tell whether they would
// load: nothing of this validation follows them.
func checkPolicies(s *change) (diag.List, error) {
	var out diag.List
	policiesInForce(s, &out)
	if !s.changesArea(names.PoliciesArea) {
		return out, nil
	}
	next, diags := policy.Load(s.Head)
	out.Add(diags...)
	checkFormat(s, &out, next.Format)
	if diags.HasErrors() {
		return out, nil // broken files are replaced by defaults, which must not be judged
	}
	out.Add(next.LockedOut(s.Today)...)
	checkRevocations(s, &out, next.Roles)
	checkWaivers(&out, next.Security.Waivers)
	checkPastWaivers(s, &out, next.Security.Waivers)
	return out, tryScenarios(s, &out, next)
}

// checkRevocations keeps every revoked key revoked, under its owner's name: no one can list
// it again, and work that was done with it stays the owner's.
func checkRevocations(s *change, out *diag.List, next policy.Roles) {
	for _, id := range s.Policies.Roles.All() {
		for _, rev := range id.Revoked {
			//defence:revocations-stay
			if !next.Revokes(id, rev.Key) {
				out.Errorf(policy.RuleRevoked, diag.Pos{File: policy.RolesFile}, "keep the entry of "+id.Name+" with its `revoked` list, also when the person leaves",
					"the key %s of %s is revoked in force, and would not be any more", rev.Key, id.Name)
			}
		}
	}
}

// checkWaivers warns of waivers that waive nothing, because the scanner has no such rule.
func checkWaivers(out *diag.List, waivers []policy.Waiver) {
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
		out.Warnf(policy.RuleWaiver, w.Pos, fix, "the scanner has no rule %q: this waives nothing", w.Rule)
	}
}

// checkPastWaivers warns of waivers that the change adds and whose last day is over.
func checkPastWaivers(s *change, out *diag.List, waivers []policy.Waiver) {
	for _, w := range waivers {
		there := slices.ContainsFunc(s.Policies.Security.Waivers, func(old policy.Waiver) bool {
			return old.Rule == w.Rule && old.Blob == w.Blob && old.Expires.Equal(w.Expires)
		})
		if !there && !w.Expires.IsZero() && !s.Today.Before(w.Expires) {
			out.Warnf(policy.RuleWaiver, w.Pos, "write a later day, or leave the waiver out", "the waiver expired on %s: it waives nothing", w.Expires.Format(time.DateOnly))
		}
	}
}

// tryScenarios judges the scenarios of the head by the policies of the head: a change
// of either that makes them disagree is refused.
func tryScenarios(s *change, out *diag.List, next policy.Policies) error {
	files, diags, err := scenario.Load(s.Head)
	out.Add(diags...)
	if err != nil {
		return err
	}
	results, diags, err := scenario.Try(s.Stopped, next, files)
	out.Add(diags...)
	for _, r := range results {
		out.Add(r.Failures...)
	}
	return err
}

// checkFormat keeps the workspace in formats that this program reads. The format never goes
// back, because the workspace may use features of it.
func checkFormat(s *change, out *diag.List, next int) {
	at := diag.Pos{File: policy.WorkspaceFile}
	switch {
	case next > policy.NewestFormat:
		out.Errorf(RuleNewFormat, at, "update assent, then propose it again",
			"the workspace would have format %d; this program reads up to %d", next, policy.NewestFormat)
	case next < s.Policies.Format:
		out.Errorf(RuleOldFormat, at, "leave "+policy.WorkspaceFile+" as it is",
			"the workspace has format %d and would have %d: a format is never taken back", s.Policies.Format, next)
	}
}

// policiesInForce says when the rules that are applied are the built-in ones
// because the base's files cannot be read.
func policiesInForce(s *change, out *diag.List) {
	for _, d := range s.PolicyDiags {
		if d.Severity == diag.Error {
			d.Severity = diag.Warning
			d.Message = "in force: " + d.Message
			out.Add(d)
		}
	}
}

func checkWorkflows(s *change) (diag.List, error) {
	var out diag.List
	flows := s.changesArea(names.WorkflowsArea)
	if !flows && !s.changesArea(names.PoliciesArea) {
		return out, nil
	}
	var changed []string
	for _, c := range s.changes {
		changed = append(changed, c.Path)
	}
	all, diags, err := workflow.Load(s.Head, s.Schedule, changed...)
	if flows {
		out.Add(diags...)
	}
	if err != nil {
		return out, err
	}
	if next, diags := policy.Load(s.Head); !diags.HasErrors() { // checkPolicies reports them
		requiredChecks(&out, all, next)
		if slices.Contains(changed, policy.ApprovalsFile) {
			evadedChecks(&out, next)
		}
		unmet(&out, all, next, changed)
	}
	return out, nil
}

// unmet reports what jobs need and policies do not give: a job would always fail, or wait in vain. It is
// an error of a workflow that changes, and a warning if only the policy does.
func unmet(out *diag.List, all []workflow.Workflow, next policy.Policies, changed []string) {
	for _, f := range all {
		report := out.Warnf
		if slices.Contains(changed, f.Path) {
			report = out.Errorf
		}
		for _, j := range f.Jobs {
			for _, host := range j.Refused(next) {
				report(workflow.RuleRun, j.Pos, "add it to hosts under sandbox of policies/security.yaml, in this proposal or before; or remove it from hosts",
					"the job %s of %s would always fail: the policy does not admit the host %s", j.Name, f.Name, host)
			}
			if j.Approve != "" && len(j.Approvers(next.Roles)) == 0 {
				report(workflow.RuleRole, j.Pos, "name a role that a person of policies/roles.yaml has, or a person",
					"no one could approve the job %s of %s: %s is no person there, and no role of one", j.Name, f.Name, j.Approve)
			}
		}
	}
}

// requiredChecks refuses required checks that could never pass, whether the policy or the workflow
// changes: nothing that they apply to would merge.
func requiredChecks(out *diag.List, all []workflow.Workflow, next policy.Policies) {
	for _, c := range next.Approvals.Checks {
		if _, _, unfit := workflow.Required(all, c.Workflow, c.Job); unfit != "" {
			fix := "name a workflow of workflows/ that proposals start, and a job of it with a script and without an if; docs/workflows.md has an example"
			if !slices.ContainsFunc(all, func(w workflow.Workflow) bool { return w.Name == c.Workflow }) {
				fix = "merge the proposal that brings the workflow first; or correct the name"
			}
			out.Errorf(policy.RuleCheck, c.Pos, fix, "the check %s could never pass: %s", c.Name, unfit)
		}
	}
}

// evadedChecks warns of required checks that a proposer avoids by declaring a higher risk.
func evadedChecks(out *diag.List, next policy.Policies) {
	for _, c := range next.Approvals.Checks {
		if higher := c.When.LeavesOut(); len(higher) > 0 {
			out.Warnf(policy.RuleCheck, c.Pos, "leave `tiers` out, or add "+strings.Join(higher, ", ")+" to it",
				"the check %s leaves out the tiers %s: a proposal that declares such a risk is not checked", c.Name, strings.Join(higher, ", "))
		}
	}
}

// checkProposal judges the proposal's own file: its place, whether it lists the files that
// really change, and that no earlier proposal is rewritten.
func checkProposal(s *change) (diag.List, error) {
	var out diag.List
	for _, c := range s.changes {
		if names.Area(c.Path) != names.ProposalsArea || c.Path == s.file || s.Worktree {
			continue
		}
		//defence:records-stay
		if !c.Added() {
			out.Errorf(RuleRewritten, diag.Pos{File: c.Path}, "leave the file as it is; say what is new in a new proposal",
				"the change alters or removes an earlier proposal, which is a record")
		}
	}
	if s.Worktree {
		return out, nil
	}
	if s.proposal == nil {
		out.Errorf(RuleNoProposal, diag.Pos{}, "make one with `assent propose`",
			"the change comes without a proposal file, which says its purpose")
		return out, nil
	}
	checkListed(s, &out)
	return out, nil
}

// checkListed compares the files list with the difference. The engine's own
// entry in a SOUL.md comes after the list was written.
func checkListed(s *change, out *diag.List) {
	at := diag.Pos{File: s.file}
	if !strings.HasSuffix(s.file, "/"+s.proposal.ID+".md") {
		out.Errorf(names.RuleProposal, at, "the file's name is <id>.md", "the proposal says id %q", s.proposal.ID)
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
			out.Errorf(RuleFiles, at, "run `assent update` with the proposal's id: the engine fills the list in",
				"the change alters %s, which the proposal does not list", f)
		}
	}
	for _, f := range s.proposal.Files {
		if !slices.Contains(real, f) {
			out.Notef(RuleFiles, at, "", "%s is listed but is already so on main", f)
		}
	}
}
