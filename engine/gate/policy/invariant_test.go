package policy_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
)

func testPolicies(t testing.TB, mode policy.Mode) policy.Policies {
	files := defaults(t)
	files[policy.RolesFile] = string(readFile(t, "testdata/roles.yaml"))
	files[policy.AutonomyFile] = "default: " + string(mode) + "\nexecutables: [tool, mcp]\n"
	p, ds := policy.Load(tree.MapOf(files))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	return p
}

// drawFacts starts from a proposal that is ready and varies the people's actions.
func drawFacts(t *rapid.T, base policy.Facts, p policy.Policies) policy.Facts {
	f := base
	ids := p.Roles.All()
	someone := rapid.SampledFrom(ids)
	proposer := someone.Draw(t, "proposer")
	f.Agent, f.Proposer = proposer.Name, policy.Actor{Key: firstKey(proposer)}
	f.Authors, f.Pushers, f.Reviews = nil, nil, nil
	for _, id := range rapid.SliceOfN(someone, 0, 2).Draw(t, "authors") {
		f.Authors = append(f.Authors, policy.Actor{Name: id.Name})
	}
	f.PushersKnown = rapid.Bool().Draw(t, "pushers known")
	switch rapid.IntRange(0, 3).Draw(t, "change") {
	case 0:
	case 1:
		f.Capabilities = slices.Clone(f.Capabilities)
		f.Capabilities[0].Kind, f.Capabilities[0].Executable = "tool", true
	case 2:
		f.Soul = []policy.SoulEdit{{Agent: f.Agent, Section: "core_truths", Mode: "append"}}
	case 3:
		f.Soul = []policy.SoulEdit{{Agent: f.Agent, Section: "style", Mode: "replace"}}
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "reviews") {
		f.Reviews = append(f.Reviews, drawReview(t, f, someone.Draw(t, "reviewer"), fmt.Sprint(i)))
	}
	return f
}

func firstKey(id policy.Identity) review.Fingerprint { return id.Keys[0] }

func drawReview(t *rapid.T, f policy.Facts, by policy.Identity, label string) policy.Review {
	return policy.Review{
		By:       policy.Actor{Key: firstKey(by)},
		Decision: rapid.SampledFrom(review.Decisions()).Draw(t, "decision "+label),
		At:       f.Now.Add(-time.Duration(rapid.IntRange(0, 300).Draw(t, "hours ago "+label)) * time.Hour),
		Head:     f.Head, Effective: f.Effective,
		Valid: rapid.Bool().Draw(t, "valid "+label), Reason: "because",
	}
}

// No approval of one's own work, and no invalid one, opens the gate.
func TestOwnApprovalNeverOpens(t *testing.T) {
	base := decodeFacts(t, baseFacts(t))
	p := testPolicies(t, policy.Assisted)
	rapid.Check(t, func(rt *rapid.T) {
		f := drawFacts(rt, base, p)
		own := policy.Review{By: f.Proposer, Decision: review.Approve, At: f.Now, Head: f.Head, Valid: true}
		fake := policy.Review{By: policy.Actor{Name: "ann", Email: "ann@example.org"}, Decision: review.Approve, At: f.Now, Head: f.Head, Valid: true}
		unsigned := policy.Review{By: policy.Actor{Key: firstKey(p.Roles.All()[0])}, Decision: review.Approve, At: f.Now, Head: f.Head}
		// Taking one's own objection back is not approving: leave those out.
		f.Reviews = slices.DeleteFunc(f.Reviews, func(r policy.Review) bool { return r.By == f.Proposer })
		before := policy.Judge(p, f)
		f.Reviews = append(f.Reviews, own, fake, unsigned)
		if after := policy.Judge(p, f); after.Allowed() && !before.Allowed() {
			rt.Fatalf("opened:\n%v\n%v", before.Lines(), after.Lines())
		}
	})
}

// Taking an approval away never opens the gate, and declaring more risk neither.
func TestMonotone(t *testing.T) {
	base := decodeFacts(t, baseFacts(t))
	p := testPolicies(t, policy.Autonomous)
	rapid.Check(t, func(rt *rapid.T) {
		f := drawFacts(rt, base, p)
		v, risk := policy.Judge(p, f), policy.DeriveRisk(p, f)
		for i, r := range f.Reviews {
			if r.Decision != review.Approve {
				continue
			}
			less := f
			less.Reviews = slices.Delete(slices.Clone(f.Reviews), i, i+1)
			if policy.Judge(p, less).Allowed() && !v.Allowed() {
				rt.Fatalf("allowed without approval %d, not with it:\n%v", i, v.Lines())
			}
		}
		worse := f
		claimed := rapid.SampledFrom([]policy.Tier{policy.Low, policy.Medium, policy.High, policy.Critical, policy.Prohibited}).Draw(rt, "declared")
		worse.Labels = []string{"risk:" + claimed.String()}
		if declared := policy.DeriveRisk(p, worse); declared.Tier < risk.Tier || declared.Tier < claimed {
			rt.Fatalf("declared %s lowered %s to %s", claimed, risk.Tier, declared.Tier)
		}
		if policy.Judge(p, worse).Allowed() && !v.Allowed() {
			rt.Fatalf("declaring %s opened the gate", claimed)
		}
		for _, blind := range []func(*policy.Facts){
			func(f *policy.Facts) { f.Validation = policy.Validation{} },
			func(f *policy.Facts) { f.Scan = policy.Scan{} },
			func(f *policy.Facts) { f.State = "" },
			func(f *policy.Facts) { f.Now = time.Time{} },
		} {
			g := f
			blind(&g)
			if policy.Judge(p, g).Allowed() {
				rt.Fatal("allowed without knowing enough")
			}
		}
	})
}

func TestNothingKnownIsNeverAllowed(t *testing.T) {
	for _, p := range []policy.Policies{{}, testPolicies(t, policy.Autonomous)} {
		if v := policy.Judge(p, policy.Facts{}); v.Outcome != policy.Undecided {
			t.Errorf("%v", v.Lines())
		}
		if r := policy.DeriveRisk(p, policy.Facts{}); r.Tier != policy.Critical {
			t.Errorf("%+v", r)
		}
	}
	f := decodeFacts(t, baseFacts(t))
	if v := policy.Judge(policy.Policies{}, f); v.Allowed() {
		t.Errorf("no policies, yet %v", v.Lines())
	}
	if (policy.Verdict{}).Allowed() {
		t.Error("the zero verdict allows")
	}
}

func FuzzLoad(f *testing.F) {
	for _, text := range defaults(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		files := map[string]string{}
		for _, path := range policy.Files() {
			files[path] = text
		}
		p, ds := policy.Load(tree.MapOf(files))
		for _, d := range ds {
			if d.Rule == "" || d.Message == "" || d.File == "" {
				t.Errorf("incomplete: %+v", d)
			}
		}
		if policy.Judge(p, policy.Facts{}).Allowed() {
			t.Error("allowed")
		}
	})
}
