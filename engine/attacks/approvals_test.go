package attacks_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func approvalDefences() map[string]defence {
	const forged = "TestAttackApprovals/"
	return map[string]defence{
		"approvals-of-jobs-are-signed":           {attack: forged + "signed by no one"},
		"only-people-approve-jobs":               {attack: forged + "signed by an agent with the role"},
		"approvals-of-jobs-are-for-roles":        {attack: forged + "signed by a person of another role", instead: "out = append(out, id.Name)"},
		"approvals-name-their-job":               {attack: forged + "of another job"},
		"approvals-bind-what-was-seen":           {attack: forged + "of other inputs"},
		"approvals-of-jobs-expire":               {attack: forged + "signed too late"},
		"approvers-of-jobs-are-judged-now":       {attack: forged + "signed by a person who has expired since"},
		"approvals-are-not-skipped":              {attack: forged + "skipped"},
		"secrets-need-every-approval":            {attack: "TestAttackApprovalOfSecrets/failed, directly"},
		"conditions-skip-no-approval-of-secrets": {attack: "TestAttackApprovalOfSecrets/a condition of its own"},
		"approvals-of-secrets-expire":            {attack: "TestAttackReplayedRun/after the timeout"},
		"approvals-of-secrets-are-used-once":     {attack: "TestAttackReplayedRun/at once"},
		"artifacts-are-as-recorded":              {attack: "TestAttackArtifacts/other content"},
		"artifacts-have-harmless-names":          {attack: "TestAttackArtifacts/a name that leads elsewhere"},
	}
}

const shipFlow = `name: ship
on: {command: ship}
inputs: {to: {default: test}}
jobs:
  ask: {approve: lead, timeout: 3d}
  boss: {approve: human, timeout: 3d}
  tell: {uses: notify, needs: ask, message: It is shipped.}
  call: {uses: notify, needs: boss, message: It was for the boss.}
`

const shipRun = "ship-00000000"

// shipping begins a run that waits for its approvals.
func (d *world) shipping(to string) (workspace.Session, workflow.Workflow, run.State) {
	d.Helper()
	_, _, err := d.Runs.Begin(d.Context(), shipRun, "mallory", d.clock, run.Start{
		Workflow: "ship", Event: "command", Commit: d.main().String(), Definition: tree.BlobHash([]byte(shipFlow)).String(), Inputs: map[string]string{"to": to},
	})
	d.ok(err)
	out, err := task.Advance(d.Context(), d.Workspace, shipRun)
	d.ok(err)
	cur, err := d.Session(d.Context())
	d.ok(err)
	all, err := task.Workflows(cur)
	d.ok(err)
	for _, f := range all {
		if f.Name == "ship" {
			return cur, f, out.State
		}
	}
	d.Fatal("the workflow is not in force")
	return cur, workflow.Workflow{}, out.State
}

// decidedJob returns the record of an approval as its signer would make it.
func (d *world) decidedJob(cur workspace.Session, f workflow.Workflow, s run.State, job string, signer ssh.Signer) run.Record {
	d.Helper()
	j, _ := f.Job(job)
	signed, err := review.SignApproval(review.Approval{
		V: review.Version, Workspace: cur.ID(), Run: s.ID, Job: job, Attempt: 1, Basis: s.Basis(f, j), Decision: review.Approve,
		At: d.clock.UTC().Truncate(time.Second), Nonce: "0123456789abcdef",
	}, signer)
	d.ok(err)
	return run.Record{Kind: run.Done, Job: job, Attempt: 1, Approval: &signed}
}

// A job waits for a person, and anyone who can push can write the journal of its run.
func TestAttackApprovals(t *testing.T) {
	forge := func(name, job, then string, make func(*world) run.Record) {
		attack(t, name, func(d *world) {
			d.merged(file("workflows/ship.yaml", shipFlow))
			r := make(d)
			r.V = run.Version
			_, err := d.Runs.Append(d.Context(), shipRun, "mallory", d.clock, func(run.State) (*run.Record, error) { return &r, nil })
			d.ok(err)
			out, err := task.Advance(d.Context(), d.Workspace, shipRun)
			d.ok(err)
			if out.Outcome != run.Broke || out.Jobs[then].Status != "" {
				d.succeeds("%s was done: %s", then, out.Jobs[then].Status)
			}
			d.because(out.Reason, "the approval of "+job+" does not count")
		})
	}
	forge("signed by no one", "ask", "tell", func(d *world) run.Record {
		d.shipping("test")
		return run.Record{Kind: run.Done, Job: "ask", Attempt: 1}
	})
	for name, by := range map[string]struct{ job, then, who string }{
		"signed by a stranger":               {"ask", "tell", "second"},
		"signed by an agent with the role":   {"ask", "tell", "mongke"},
		"signed by a person of another role": {"boss", "call", "mallory"},
	} {
		forge(name, by.job, by.then, func(d *world) run.Record {
			cur, f, s := d.shipping("test")
			return d.decidedJob(cur, f, s, by.job, d.who[by.who])
		})
	}
	forge("of another job", "boss", "call", func(d *world) run.Record {
		cur, f, s := d.shipping("test")
		r := d.decidedJob(cur, f, s, "ask", d.who["ada"])
		r.Job = "boss"
		return r
	})
	forge("of other inputs", "ask", "tell", func(d *world) run.Record {
		cur, f, s := d.shipping("test")
		r := d.decidedJob(cur, f, s, "ask", d.who["ada"])
		d.git("update-ref", "-d", "refs/assent/runs/"+shipRun)
		d.shipping("production")
		return r
	})
	forge("signed too late", "ask", "tell", func(d *world) run.Record {
		cur, f, s := d.shipping("test")
		d.clock = d.clock.Add(4 * 24 * time.Hour)
		return d.decidedJob(cur, f, s, "ask", d.who["ada"])
	})
	forge("signed by a person who has expired since", "ask", "tell", func(d *world) run.Record {
		d.merged(d.altered("policies/roles.yaml", "emails: [mallory", `until: "`+d.clock.Add(48*time.Hour).Format(time.DateOnly)+`", emails: [mallory`))
		cur, f, s := d.shipping("test")
		r := d.decidedJob(cur, f, s, "ask", d.who["mallory"])
		d.clock = d.clock.Add(60 * time.Hour)
		return r
	})
	forge("skipped", "ask", "tell", func(d *world) run.Record {
		d.shipping("test")
		return run.Record{Kind: run.Skipped, Job: "ask", Attempt: 1}
	})
	attack(t, "by the commands", func(d *world) {
		d.merged(file("workflows/ship.yaml", shipFlow))
		cur, _, _ := d.shipping("test")
		for _, who := range []string{"second", "mongke"} {
			if _, _, err := task.Rule(d.Context(), cur, task.Ruling{Run: shipRun, Job: "ask", Signer: d.who[who]}); err == nil {
				d.succeeds("%s approved", who)
			}
		}
		_, _, err := task.Rule(d.Context(), cur, task.Ruling{Run: shipRun, Job: "ask", Signer: d.who["mallory"]}) // a person with the role
		d.ok(err)
		out, err := task.Advance(d.Context(), d.Workspace, shipRun)
		d.ok(err)
		if out.Jobs["tell"].Status != run.Did || out.Jobs["call"].Status != "" {
			d.Errorf("%+v", out.Jobs)
		}
	})
}

// A job gets secrets only if a person signed for every approval before it, whatever the journal says.
func TestAttackApprovalOfSecrets(t *testing.T) {
	flow := func(ask, ship string) string {
		return "name: ship\non: {command: ship}\ninputs: {to: {default: test}}\njobs:\n  look: {run: 'true', outputs: {risky: boolean}}\n  ask: {approve: lead, needs: look" + ask +
			"}\n  tell: {uses: notify, needs: ask, message: It goes on., if: always()}\n  ship: {run: 'echo $TOKEN', secrets: [TOKEN], if: always(), needs: " + ship + "}\n"
	}
	for where, needs := range map[string]string{"directly": "ask", "through another job": "tell"} {
		for how, forged := range map[string]run.Record{
			"failed":                              {Kind: run.Failed, Job: "ask", Attempt: 1, Outcome: run.Broke, Reason: "rejected"},
			"skipped because of a failure":        {Kind: run.Failed, Job: "look", Outcome: run.Broke, Reason: "it failed"},
			"skipped, as if because of a failure": {Kind: run.Skipped, Job: "ask", Outcome: run.Broke, Reason: "it failed"},
		} {
			attack(t, how+", "+where, func(d *world) {
				text := flow("", needs)
				d.merged(file("workflows/ship.yaml", text))
				_, _, err := d.Runs.Begin(d.Context(), shipRun, "mallory", d.clock, run.Start{
					Workflow: "ship", Event: "command", Commit: d.main().String(), Definition: tree.BlobHash([]byte(text)).String(), Inputs: map[string]string{"to": "test"},
				})
				d.ok(err)
				looked := run.Record{Kind: run.Done, Job: "look", Outputs: map[string]any{"risky": false}}
				records := []run.Record{looked, forged}
				if forged.Job == "look" {
					records = records[1:]
				}
				for _, r := range records {
					r.V = run.Version
					_, err := d.Runs.Append(d.Context(), shipRun, "mallory", d.clock, func(run.State) (*run.Record, error) { return &r, nil })
					d.ok(err)
				}
				out, err := task.Advance(d.Context(), d.Workspace, shipRun)
				d.ok(err)
				if out.Jobs["ship"].Status != run.Gave {
					d.succeeds("the job with secrets: %q, waits for %q", out.Jobs["ship"].Status, out.Waits)
				}
				d.because(out.Jobs["ship"].Reason, "no one approved ask")
			})
		}
	}
	for how, condition := range map[string]string{"a condition of its own": "needs.look.risky", "a condition on an input": "inputs.to == 'test'", "a condition on an outcome": "needs.look.outcome == 'failed'"} {
		attack(t, how, func(d *world) {
			out := d.asked(d.request("kublai", file("workflows/ship.yaml", flow(`, if: "`+condition+`"`, "ask"))))
			if out.Examined.Report.Passed {
				d.succeeds("a condition can skip the approval")
			}
			d.because(fmt.Sprint(out.Diagnostics, out.Examined.Report.Diagnostics), "cannot guard the secrets of job")
		})
	}
}

// Anyone who can push can take the journal of a run back, and what was approved once runs once.
func TestAttackReplayedRun(t *testing.T) {
	const text = "name: ship\non: {command: ship}\ninputs: {to: {default: test}}\njobs:\n  ask: {approve: lead, timeout: 3d}\n  ship: {run: 'true', secrets: [TOKEN], needs: ask}\n"
	for when, later := range map[string]time.Duration{"at once": 0, "within the timeout": 71 * time.Hour, "after the timeout": 73 * time.Hour} {
		attack(t, when, func(d *world) {
			d.merged(file("workflows/ship.yaml", text))
			began := d.clock
			_, _, err := d.Runs.Begin(d.Context(), shipRun, "ada", began, run.Start{
				Workflow: "ship", Event: "command", Commit: d.main().String(), Definition: tree.BlobHash([]byte(text)).String(), Inputs: map[string]string{"to": "test"},
			})
			d.ok(err)
			now := began
			d.Now = func() time.Time { return now } // scripts run beside this test
			runs := 0
			d.Sandbox = func(context.Context) (sandbox.Runner, error) { return lucky{func(context.Context) { runs++ }}, nil }
			d.Secret = func(workspace.Session, string) (string, bool, error) { return "sesame-opens", true, nil }
			advance := func() task.Advanced {
				out, err := task.Advance(d.Context(), d.Workspace, shipRun)
				d.ok(err)
				return out
			}
			advance()
			cur, err := d.Session(d.Context())
			d.ok(err)
			_, _, err = task.Rule(d.Context(), cur, task.Ruling{Run: shipRun, Job: "ask", Signer: d.who["ada"]})
			d.ok(err)
			approved := strings.TrimSpace(d.git("rev-parse", "refs/assent/runs/"+shipRun))
			if when != "after the timeout" { // another machine ran it then
				if out := advance(); out.Outcome != run.Completed || runs != 1 {
					d.Fatalf("%s %q, %d runs, waits for %q", out.Outcome, out.Reason, runs, out.Waits)
				}
			}
			before := runs
			d.git("update-ref", "refs/assent/runs/"+shipRun, approved)
			now = began.Add(later)
			out := advance()
			if runs != before {
				d.succeeds("what was approved once runs again")
			}
			d.because(out.Jobs["ship"].Reason, "assent run retry asks again")
		})
	}
}

// Anyone who can push can write which artifacts a run made.
func TestAttackArtifacts(t *testing.T) {
	sum := sha256.Sum256([]byte("harmless"))
	harmless := "sha256:" + hex.EncodeToString(sum[:])
	for name, f := range map[string]tree.Edit{"other content": file("report.txt", "harmful"), "a name that leads elsewhere": file(`..\..\report.txt`, "harmless")} {
		attack(t, name, func(d *world) {
			top, err := d.Repo.WriteTree(tree.Hash{}, []tree.Edit{f})
			d.ok(err)
			made := run.Artifacts{Commit: d.commitTree(gitstore.Person{Name: "mallory", Email: "m@elsewhere.example", When: d.clock}, "x", top).String(), Files: []run.Artifact{{Path: f.Path, Size: 8, Digest: harmless}}}
			got, err := task.ReadArtifacts(d.Workspace, made)
			if err == nil {
				d.succeeds("it was read: %+v", got)
			}
			if !errors.Is(err, task.ErrArtifact) {
				d.Error(err)
			}
		})
	}
}
