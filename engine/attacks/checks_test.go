package attacks_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func checkDefences() map[string]defence {
	const checks = "TestAttackChecks/"
	return map[string]defence{
		"checks-block":                           {attack: checks + "nobody ran it"},
		"check-results-are-of-runners":           {attack: checks + "signed by others: ada"},
		"check-results-are-not-of-authors":       {attack: checks + "signed by the author"},
		"check-results-expire":                   {attack: checks + "altered: at, expired", instead: "return false"},
		"check-results-are-not-ahead":            {attack: checks + "altered: at, ahead"},
		"results-name-workspace-and-proposal":    {attack: checks + "altered: workspace"},
		"results-name-the-head":                  {attack: checks + "altered: head, older"},
		"results-name-base-and-result":           {attack: checks + "altered: base, older"},
		"results-name-the-definition":            {attack: checks + "altered: definition, earlier"},
		"merge-upon-judged-results":              {attack: checks + "a failure between judgement and merge"},
		"only-the-events-own-run-is-vouched-for": {attack: "TestAttackRunOfCheck/other inputs"},
	}
}

const spellingFlow = `name: spelling
on: {proposal.opened: true, proposal.updated: true}
inputs: {word: {default: tbd}}
jobs:
  look:
    run: |
      grep '\.md$' | while read -r file; do
        test ! -f "$file" || ! grep -nw "$ASSENT_INPUT_WORD" "$file" || exit 1
      done
`

// checked puts a required check into force, and the runner robot, who has the key "second". It
// returns an approved proposal that the check would refuse.
func (d *world) checked() forge.Pull {
	d.Helper()
	d.Attester = d.who["ada"] // so that assent-verify does not stop before
	second := d.public("second")
	d.merged(d.altered("policies/roles.yaml", "  warden: {keys", "  robot: {keys: [\""+second+"\"]}\n  warden: {keys", "  witness: [warden]", "  witness: [warden]\n  runner: [robot]"))
	d.merged(file("workflows/spelling.yaml", spellingFlow))
	d.merged(d.altered("policies/approvals.yaml", "extra: []", "extra: []\nchecks:\n  - {name: spelling, workflow: spelling, job: look}\n"))
	p := d.proposed("kublai", skill("granny", "\nThen pull tbd rope.\n"))
	d.approved(p.ID, "ada", "bob")
	return p
}

// honest returns a success of the proposal's check as a runner would sign it.
func (d *world) honest(id string) review.Result {
	d.Helper()
	cur, ex := d.examined(id)
	flow, _, unfit := workflow.Required(ex.Case.Checks.Workflows, "spelling", "look")
	if unfit != "" {
		d.Fatal(unfit)
	}
	return review.Result{
		V: review.Version, Workspace: cur.ID(), Proposal: id, Head: ex.Case.Pull.Head, Base: cur.InForce, Tree: ex.Result.Tree,
		Workflow: "spelling", Job: "look", Definition: flow.Digest, Passed: true, Run: "spelling-k3v9q2mt",
		At: d.tick().UTC().Truncate(time.Second), Nonce: "0123456789abcdef",
	}
}

func (d *world) signedResult(r review.Result, signer ssh.Signer) review.Signed {
	d.Helper()
	s, err := review.SignResult(r, signer)
	d.ok(err)
	return s
}

// result files a result in the journal, as every writer of refs can.
func (d *world) result(id string, s review.Signed) {
	d.Helper()
	d.record(id, journal.Event{Kind: "result", Files: map[string][]byte{"result.json": s.Record, "result.sig": s.Signature}})
}

// alterations are of a result, by name. base is an older commit of main.
func alterations(base, head, result tree.Hash) map[string]func(*review.Result) {
	other := tree.BlobHash([]byte("other"))
	return map[string]func(*review.Result){
		"workspace":           func(r *review.Result) { r.Workspace = other.String() },
		"proposal":            func(r *review.Result) { r.Proposal = "granny-k3v9q2mt" },
		"head, another":       func(r *review.Result) { r.Head = other },
		"head, older":         func(r *review.Result) { r.Head = base },
		"head, the result":    func(r *review.Result) { r.Head = result },
		"base, another":       func(r *review.Result) { r.Base = other },
		"base, older":         func(r *review.Result) { r.Base = base },
		"base, the head":      func(r *review.Result) { r.Base = head },
		"tree, another":       func(r *review.Result) { r.Tree = other },
		"tree, the head":      func(r *review.Result) { r.Tree = head },
		"workflow":            func(r *review.Result) { r.Workflow = "inbox" },
		"job":                 func(r *review.Result) { r.Job = "tell" },
		"definition, another": func(r *review.Result) { r.Definition = other.String() },
		"definition, earlier": func(r *review.Result) { r.Definition = tree.BlobHash([]byte(spellingFlow[:40])).String() },
		"passed":              func(r *review.Result) { r.Passed, r.Reason = false, "exit code 1" },
		"at, expired":         func(r *review.Result) { r.At = r.At.Add(-8 * 24 * time.Hour) },
		"at, ahead":           func(r *review.Result) { r.At = r.At.Add(time.Hour) },
	}
}

// TestAttackChecks: a required check passes only by results that a runner signed about exactly this
// merge result and the workflow in force.
func TestAttackChecks(t *testing.T) {
	base := newWorld(t)
	p := base.checked()
	variant := func(name string, f func(d *world)) {
		t.Run(name, func(t *testing.T) { f(base.clone(t)) })
	}
	variant("nobody ran it", func(d *world) {
		d.holds(p.ID, "the check spelling is missing: no runner has signed a result of look")
	})
	for _, name := range []string{"ada", "mongke", "warden"} { // generated results have all others
		variant("signed by others: "+name, func(d *world) {
			d.result(p.ID, d.signedResult(d.honest(p.ID), d.who[name]))
			d.holds(p.ID, "is of no one with the role runner")
		})
	}
	variant("signed by the author", func(d *world) {
		next := d.commitAs("kublai <kublai@agents.example>", "More", []tree.Hash{p.Head}, skill("granny", "\nThen push tbd rope.\n"))
		_, err := d.Forge.Push(d.Context(), p.ID, forge.Push{By: forge.Actor{Key: string(d.who["second"].Fingerprint())}, Old: p.Head, New: next, At: d.tick()})
		d.ok(err)
		d.approved(p.ID, "ada", "bob")
		d.result(p.ID, d.signedResult(d.honest(p.ID), d.who["second"]))
		d.holds(p.ID, "the result of no runner counts: robot pushed to it")
	})
	for _, name := range []string{"workspace", "head, older", "base, older", "definition, earlier", "passed", "at, expired", "at, ahead"} {
		variant("altered: "+name, func(d *world) {
			r := d.honest(p.ID)
			alterations(d.earlier(), p.Head, r.Tree)[name](&r)
			d.result(p.ID, d.signedResult(r, d.who["second"]))
			d.holds(p.ID, "the check spelling ")
		})
	}
	variant("a failure between judgement and merge", func(d *world) {
		d.result(p.ID, d.signedResult(d.honest(p.ID), d.who["second"]))
		_, ex := d.examined(p.ID)
		r := d.honest(p.ID)
		r.Passed, r.Reason = false, "exit code 1"
		d.result(p.ID, d.signedResult(r, d.who["second"]))
		_, err := d.Forge.Merge(d.Context(), p.ID, forge.Merge{
			Head: p.Head, Base: d.main(), Tree: ex.Result.Tree, Title: "Merge", By: forge.Actor{Name: "mallory"}, At: d.tick(),
			Attestation: []byte("{}"), Reviews: forge.SignedReviews(ex.Case.Activity.Reviews), Results: len(ex.Case.Activity.Results),
		})
		var stale *forge.ErrStale
		if !errors.As(err, &stale) {
			d.succeeds("the merge is made upon an older judgement: %v", err)
		}
	})
	variant("an attestation that says so", func(d *world) {
		says := func(a *attest.Attestation) {
			a.Verdict.Children = []policy.Verdict{{Rule: policy.RuleChecks, Outcome: policy.Allowed, Reason: "every rule allows it"}}
		}
		d.forged(forgery{id: p.ID, signer: "warden", alter: says}, "judged again it is waiting: the check spelling is missing")
	})
	variant("an attestation that leaves it out", func(d *world) {
		d.forged(forgery{id: p.ID, signer: "warden"}, "judged again it is waiting: the check spelling is missing")
	})
	variant("claimed to be of an older version", func(d *world) {
		d.forged(forgery{id: p.ID, report: func(r *validate.Report) { r.Engine = "0.4.0" }}, "the check spelling is missing")
	})
	variant("generated", func(d *world) { d.generatedResults(p) })
}

// earlier returns an older commit of main.
func (d *world) earlier() tree.Hash {
	d.Helper()
	c, err := d.Repo.Commit(d.before)
	d.ok(err)
	return c.Parents[0]
}

// generatedResults judges the proposal with each forged result alone: every alteration signed by
// everybody, and made after the runner signed, under signatures for other purposes as well.
func (d *world) generatedResults(p forge.Pull) {
	_, ex := d.examined(p.ID)
	good := d.honest(p.ID)
	ex.Case.Now = d.tick()
	judged := func(s review.Signed) policy.Verdict {
		ex.Case.Activity.Results = []forge.Proof{{Record: s.Record, Signature: s.Signature}}
		v, _ := gate.Judge(ex.Case)
		return v
	}
	ignores := func(s review.Signed) bool {
		rec, by, err := review.VerifyResult(s)
		return err != nil || ex.Case.Ignored()(rec, by) != ""
	}
	honest := d.signedResult(good, d.who["second"])
	if ignores(honest) {
		d.Error("show says of an honest result that it does not count")
	}
	if v := judged(honest); !v.Allowed() {
		d.Fatalf("an honest result does not count: %s", v.Reason)
	}
	n := 0
	refused := func(what string, s review.Signed) {
		n++
		if v := judged(s); v.Allowed() {
			d.succeeds("%s", what)
		}
	}
	all := alterations(d.earlier(), p.Head, good.Tree)
	all["nothing"] = func(*review.Result) {}
	for name, alter := range all {
		r := good
		alter(&r)
		for _, who := range people() {
			if name != "nothing" || who != "second" {
				s := d.signedResult(r, d.who[who])
				refused(name+", signed by "+who, s)
				counts := who == "second" && (name == "passed" || name == "at, expired") // a failure, and a success that is over
				if ignores(s) == counts {
					d.Errorf("show weighs it wrongly: %s, signed by %s", name, who)
				}
			}
		}
		data, err := r.Encode()
		d.ok(err)
		if name != "nothing" {
			refused(name+", after it was signed", review.Signed{Record: data, Signature: honest.Signature})
		}
		attestation, err := review.SignAttestation(data, d.who["second"])
		d.ok(err)
		refused(name+", under the signature of an attestation", review.Signed{Record: data, Signature: attestation})
		stop, err := review.SignStop(data, d.who["second"])
		d.ok(err)
		refused(name+", under the signature of a stop", review.Signed{Record: data, Signature: stop})
		refused(name+", unsigned", review.Signed{Record: data})
		refused(name+", with more behind it", review.Signed{Record: append(data, '\n'), Signature: honest.Signature})
	}
	if n < 100 {
		d.Errorf("only %d variants", n)
	}
}

// TestAttackRunOfCheck: an engine signs what it ran by the event's own inputs, whatever the journal
// of a run says.
func TestAttackRunOfCheck(t *testing.T) {
	box, err := sandbox.New(t.Context())
	var no *sandbox.Refusal
	if errors.As(err, &no) {
		t.Skip(no)
	}
	for name, b := range map[string]task.Beginning{
		"other inputs":  {Event: workflow.ProposalOpened, Inputs: map[string]string{"word": "zzz"}},
		"no inputs":     {Event: workflow.ProposalOpened},
		"another event": {Event: "always pass", Inputs: map[string]string{"word": "tbd"}},
	} {
		attack(t, name, func(d *world) {
			d.ok(err)
			p := d.checked()
			cur, ex := d.examined(p.ID)
			flow, _, _ := workflow.Required(ex.Case.Checks.Workflows, "spelling", "look")
			d.Sandbox = func(context.Context) (sandbox.Runner, error) { return box, nil }
			d.Runner = func(workspace.Session) ssh.Signer { return d.who["second"] }
			b.Workflow, b.By, b.About, b.Key = flow, "mallory", p.ID, cur.InForce.String()
			s, _, err := task.Begin(d.Context(), d.Workspace, b)
			d.ok(err)
			out, err := task.Advance(d.Context(), d.Workspace, s.ID)
			d.ok(err)
			if len(out.Jobs) == 0 || out.Waits != "" {
				d.Fatalf("the script did not run: %+v", out)
			}
			d.holds(p.ID, "the check spelling is missing")
		})
	}
}
