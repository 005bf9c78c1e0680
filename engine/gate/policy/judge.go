package policy

import (
	"fmt"
	"time"
)

// rule is one row of the gate: it looks at a case and answers.
type rule struct {
	id    string
	doc   string
	judge func(inquiry) Verdict
}

// Rules of the gate that others ask for by name.
const (
	RuleExpiry           = "expiry"
	RuleChangesRequested = "changes-requested"
	RuleChecks           = "checks"
)

// ruleTable is the gate; extending it means a row here and a file rule_*.go.
func ruleTable() []rule {
	return []rule{
		{"state", "The pull request is open, not a draft, and applies to main.", judgeState},
		{"validation", "The engine's own report on this very merge result has no error.", judgeValidation},
		{"scan", "The scanner ran on this very merge result and blocks nothing.", judgeScan},
		{RuleTests, "No required test fails, and what has to be tested was, on exactly this content.", judgeTests},
		{RuleChecks, "Every required check that applies succeeded on this very merge result.", judgeChecks},
		{"prohibited", "What is prohibited never merges, whoever approves.", judgeProhibited},
		{"executables", "Only the kinds that autonomy.yaml names may hold code.", judgeExecutables},
		{"limits", "Sizes and numbers stay within limits.yaml.", judgeLimits},
		{RuleExpiry, "The request for approval has not grown old.", judgeExpiry},
		{"objections", "Nobody who may approve has rejected it or asked for changes.", judgeObjections},
		{"approvals", "Everybody who must approve has.", judgeApprovals},
	}
}

// inquiry is the input of rules: policies, facts and values derived from both.
type inquiry struct {
	p    Policies
	f    Facts
	risk Risk
	electorate
}

// electorate lists those who may approve a change, and those who have.
type electorate struct {
	roles Roles
	now   time.Time
	// approved is the date at which approvers must not have expired.
	approved time.Time
	// lost are the humans whose every key the change revokes.
	lost []string
	// excluded are identities that took part in writing the change, with why.
	excluded map[string]exclusion
	// opinions are the latest valid decisions, one for each identity.
	opinions opinions
	// vouchers signed for a merge that another version allowed; see Earlier.
	vouchers map[string]bool
}

func newElectorate(p Policies, f Facts) electorate {
	r := reviews{f: f, roles: p.Roles, expiry: p.Limits.Expiry}
	out := electorate{roles: p.Roles, now: f.Now, approved: f.ApprovedAt(p.Roles), lost: f.Changes.Revokes, excluded: exclude(p.Roles, f), opinions: r.opinions()}
	out.vouchers = vouched(r, out.opinions)
	return out
}

// Judge answers whether a proposal may merge under the base's policies. Refused
// beats undecided beats waiting beats allowed. It is pure: the same policies and
// facts give the same verdict, and the zero Facts are never allowed.
func Judge(p Policies, f Facts) Verdict {
	v, _ := JudgeWithRisk(p, f)
	return v
}

// maxJudgement bounds the conditions of one judgement in steps: ten that take as much as one may.
// Ordinary ones take a hundred. Beyond it, rules apply without being evaluated.
const maxJudgement = 2_000_000

// JudgeWithRisk is Judge with the risk that the verdict rests on.
func JudgeWithRisk(p Policies, f Facts) (Verdict, Risk) {
	//defence:judgements-have-a-budget
	if p.Budget == nil {
		p.Budget = NewBudget(maxJudgement)
	}
	c := inquiry{p: p, f: f, risk: DeriveRisk(p, f), electorate: newElectorate(p, f)}
	var parts []Verdict
	for _, r := range ruleTable() {
		if r.id == RuleChecks && len(p.Approvals.Checks) == 0 {
			continue
		}
		v := r.judge(c)
		v.Rule = r.id
		parts = append(parts, v)
	}
	if c.p.Security.Attestations == SignedAttestations { // the merge and its readers check the signature
		parts = append(parts, Verdict{Rule: "attestations", Outcome: Allowed, Reason: "a human or a witness has to sign for its merge"})
	}
	return combine("gate", parts), c.risk
}

func allowed(format string, args ...any) Verdict {
	return Verdict{Outcome: Allowed, Reason: fmt.Sprintf(format, args...)}
}

func refused(changes []string, format string, args ...any) Verdict {
	return Verdict{Outcome: Refused, Changes: changes, Reason: fmt.Sprintf(format, args...)}
}

func undecided(changes []string, reason string) Verdict {
	return Verdict{Outcome: Undecided, Changes: changes, Reason: reason}
}

// waitForProposer answers Waiting for the proposer.
func (c inquiry) waitForProposer(changes []string, format string, args ...any) Verdict {
	w := Wait{Role: RoleProposer, Need: 1}
	if c.f.Agent != "" {
		w.Who = []string{c.f.Agent}
	}
	return Verdict{Outcome: Waiting, Changes: changes, Reason: fmt.Sprintf(format, args...), WaitingFor: []Wait{w}}
}
