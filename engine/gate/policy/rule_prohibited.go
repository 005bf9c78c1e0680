package policy

import "strings"

// Never says why a change can never merge, even if approved: it is prohibited, or has code
// of a forbidden kind. Empty if approvals decide. It reads only the changes of the facts.
func Never(p Policies, f Facts) string {
	c := inquiry{p: p, f: f, risk: DeriveRisk(p, f)}
	for _, judge := range []func(inquiry) Verdict{judgeProhibited, judgeExecutables} {
		if v := judge(c); v.Outcome == Refused {
			return v.Reason
		}
	}
	return ""
}

func judgeProhibited(c inquiry) Verdict {
	if c.risk.Tier <= Critical {
		return allowed("nothing in it is prohibited")
	}
	var why []string
	for _, r := range c.risk.Decisive() {
		why = append(why, r.Why)
	}
	return refused([]string{OnPush, OnPolicy}, "prohibited: %s", strings.Join(why, "; "))
}

func judgeExecutables(c inquiry) Verdict {
	var bad []string
	for _, cap := range c.f.Capabilities {
		if cap.Op != Removed && cap.Executable && !c.p.Autonomy.AdmitsCode(cap.Kind) {
			bad = append(bad, cap.Name+" ("+cap.Kind+")")
		}
	}
	if len(bad) > 0 {
		return refused([]string{OnPush, OnPolicy}, "autonomy.yaml admits no code in %s", strings.Join(bad, ", "))
	}
	return allowed("it holds no code of a kind that is not admitted")
}
