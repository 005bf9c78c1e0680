package policy_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
)

func TestClassify(t *testing.T) {
	p, _ := policy.Load(tree.MapOf(defaults(t)))
	for _, c := range []struct {
		name, description string
		want              policy.Class
	}{
		{"self-improver", "Lets an agent modify its own code at runtime by self modifying code", policy.ProhibitedClass},
		{"rewriter", "Rewrites its own source after each run", policy.ProhibitedClass},
		{"shopper", "Unlimited spending on ads", policy.ProhibitedClass},
		{"cheap", "Bypasses the cost limit of the account", policy.ProhibitedClass},
		{"auto_purchase", "Orders things", policy.ProhibitedClass},
		{"bulk-email-sender", "Sends mail to many people", policy.ProhibitedClass},
		{"impersonate-boss", "Writes like somebody else", policy.ProhibitedClass},
		{"login-helper", "Bypass authentication of web sites", policy.ProhibitedClass},
		{"cracker", "Crack the password of an archive", policy.ProhibitedClass},
		{"breaker", "Exploit known vulnerabilities on remote servers", policy.ProhibitedClass},
		{"harvester", "Scrape personal data from social networks", policy.ProhibitedClass},
		{"piracy", "Copyright infringement made easy", policy.ProhibitedClass},
		{"intruder", "Gain unauthorized access to systems", policy.ProhibitedClass},
		{"spam-filter", "Detects spammers and blocks them", policy.HighClass},
		{"deliverability", "Stop your emails from going to spam", policy.LowClass},
		{"canvas", "Design with the canvas, exploit symmetry", policy.LowClass},
		{"cleaner", "Deletes old data from the warehouse", policy.HighClass},
		{"shipper", "Deploy a service to production", policy.HighClass},
		{"doctor", "Gives medical advice", policy.HighClass},
		{"broker", "Trade crypto on an exchange", policy.HighClass},
		{"weather", "Makes API calls to a weather service", policy.MediumClass},
		{"short-note", "Write short notes", policy.LowClass},
	} {
		if got, why := p.Security.Classify(c.name, c.description); got != c.want {
			t.Errorf("%s: %s is %s (%s), want %s", c.name, c.description, got, why, c.want)
		}
	}
}

// The class of a name is computed once for all rules, for each capability by itself.
func TestClassOfEach(t *testing.T) {
	p, _ := policy.Load(tree.MapOf(defaults(t)))
	harmless := policy.Capability{Name: "short-note", Description: "Write short notes", Kind: "skill", Op: policy.Added}
	cracker := policy.Capability{Name: "cracker", Description: "Crack the password of an archive", Kind: "skill", Op: policy.Added}
	for _, all := range [][]policy.Capability{{harmless, cracker}, {cracker, harmless}} {
		risk := policy.DeriveRisk(p, policy.Facts{Changes: policy.Changes{Capabilities: all}})
		said := 0
		for _, r := range risk.Reasons {
			if r.Rule == "risk-class" {
				said++
				if !strings.HasPrefix(r.Why, "cracker ") {
					t.Errorf("%s first: %s", all[0].Name, r.Why)
				}
			}
		}
		if risk.Class != policy.ProhibitedClass || said != 1 {
			t.Errorf("%s first: the class is %s, said %d times", all[0].Name, risk.Class, said)
		}
	}
}
