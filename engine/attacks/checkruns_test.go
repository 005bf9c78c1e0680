package attacks_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func checkRunDefences() map[string]defence {
	const runs = "TestAttackRunsOfChecks/"
	return map[string]defence{
		"journals-repeat-no-check":       {attack: runs + "a failure is repeated"},
		"runs-of-checks-have-secret-ids": {attack: runs + "the runs of a day are used up"},
		"results-outlast-the-journal":    {attack: runs + "ended during the script"},
		"the-hub-holds-up-no-check":      {attack: runs + "junk on the hub"},
		"groups-follow-from-definitions": {attack: runs + "another group"},
	}
}

// lucky runs no program and reports success, as a script that passes by luck. during is called while
// the script runs.
type lucky struct{ during func(context.Context) }

func (l lucky) Protects() bool { return true }

func (l lucky) Start(context.Context, sandbox.Spec) (*sandbox.Process, error) {
	return nil, &sandbox.SpecError{}
}

func (l lucky) Run(ctx context.Context, _ sandbox.Spec) (sandbox.Result, error) {
	if l.during != nil {
		l.during(ctx)
	}
	return sandbox.Result{Ended: sandbox.Exited}, nil
}

// runner lets this machine run the required check, whose script always succeeds.
func (d *world) runner(during func(context.Context)) {
	at := d.tick()
	d.Now = func() time.Time { return at } // scripts run beside this test
	d.Sandbox = func(context.Context) (sandbox.Runner, error) { return lucky{during}, nil }
	d.Runner = func(workspace.Session) ssh.Signer { return d.who["second"] }
}

// check is the run of the check that an event calls for.
func (d *world) check(p forge.Pull) task.Beginning {
	d.Helper()
	cur, ex := d.examined(p.ID)
	flow, _, unfit := workflow.Required(ex.Case.Checks.Workflows, "spelling", "look")
	if unfit != "" {
		d.Fatal(unfit)
	}
	return task.Beginning{Workflow: flow, Commit: cur.InForce, By: "assent", Event: workflow.ProposalOpened, About: p.ID, Inputs: task.Defaults(flow)}
}

// begun writes the journal of a run by hand.
func (d *world) begun(b task.Beginning, more ...run.Record) string {
	d.Helper()
	b.By = "mallory"
	s, _, err := task.Begin(d.Context(), d.Workspace, b)
	d.ok(err)
	for _, r := range more {
		d.appended(s.ID, r)
	}
	return s.ID
}

func (d *world) appended(id string, r run.Record) {
	d.Helper()
	r.V = run.Version
	_, err := d.Runs.Append(d.Context(), id, "mallory", d.tick(), func(run.State) (*run.Record, error) { return &r, nil })
	d.ok(err)
}

// results returns how many signed results a proposal has.
func (d *world) results(id string) int {
	d.Helper()
	_, ex := d.examined(id)
	return len(ex.Case.Activity.Results)
}

// forgedRuns are beginnings of a check's run as anyone who can push can write them.
func forgedRuns(b task.Beginning, of string) []task.Beginning {
	var out []task.Beginning
	for _, event := range []string{workflow.ProposalOpened, workflow.ProposalUpdated} {
		for _, repeats := range []string{"", of, "spelling-00000000"} {
			for n := range 18 {
				f := b
				f.Event, f.Of, f.Key = event, repeats, fmt.Sprintf("%s\x00%d", repeats, n)
				if n%3 == 1 {
					f.Key = fmt.Sprint("check ", n)
				}
				if n%3 == 2 {
					f.For = "ada"
				}
				out = append(out, f)
			}
		}
	}
	return out
}

// TestAttackRunsOfChecks: journals of runs neither repeat a required check that has a result, nor use
// up its runs, drop its result, or hold it up in another group's name.
func TestAttackRunsOfChecks(t *testing.T) {
	base := newWorld(t)
	p := base.checked()
	variant := func(name string, f func(d *world)) {
		t.Run(name, func(t *testing.T) { f(base.clone(t)) })
	}
	failed := func(d *world) {
		r := d.honest(p.ID)
		r.Passed, r.Reason = false, "exit code 1"
		d.result(p.ID, d.signedResult(r, d.who["second"]))
	}
	variant("a failure is repeated", func(d *world) {
		failed(d)
		d.runner(nil)
		all := forgedRuns(d.check(p), d.honest(p.ID).Run)
		if len(all) < 100 {
			d.Errorf("only %d variants", len(all))
		}
		for _, b := range all {
			out, err := task.Advance(d.Context(), d.Workspace, d.begun(b))
			d.ok(err)
			if out.Outcome != run.Completed {
				d.Fatalf("the script did not run: %+v", out)
			}
			if d.results(p.ID) > 1 {
				d.succeeds("the run %+v repeats the check", b)
				return
			}
		}
		d.holds(p.ID, "the check spelling failed")
	})
	variant("the runs of a day are used up", func(d *world) {
		b := d.check(p)
		ended := run.Record{Kind: run.Ended, Outcome: run.Cancelled, Reason: "no"}
		d.begun(b, ended)
		b.Event = workflow.ProposalUpdated
		for _, day := range []int{0, 1} {
			for n := range 60 {
				b.Key = fmt.Sprintf("check %s %s %s %s %s %s %d", p.ID, p.Head, b.Commit, b.Workflow.Name, b.Workflow.Digest, d.clock.AddDate(0, 0, day).UTC().Format(time.DateOnly), n)
				d.begun(b, ended)
			}
		}
		d.runner(nil)
		_, err := reconcile.Run(d.Context(), d.Workspace, reconcile.Options{})
		d.ok(err)
		if d.results(p.ID) == 0 {
			d.succeeds("the check does not run")
		}
	})
	variant("held up by a lease", func(d *world) {
		at := d.clock.Add(9 * time.Minute)
		d.begun(d.check(p), run.Record{Kind: run.Begun, Job: "look", Attempt: 1, Token: "00112233445566778899aabbccddeeff", Until: at})
		d.clock = d.clock.Add(2 * time.Hour)
		d.runner(nil)
		_, err := reconcile.Run(d.Context(), d.Workspace, reconcile.Options{})
		d.ok(err)
		if d.results(p.ID) == 0 {
			d.succeeds("the check does not run")
		}
	})
	variant("ended during the script", func(d *world) {
		id := d.begun(d.check(p))
		d.runner(func(ctx context.Context) {
			d.appended(id, run.Record{Kind: run.Ended, Outcome: run.Cancelled, Reason: "no"})
			select { // the engine looks every second if its run was ended
			case <-ctx.Done():
			case <-time.After(3 * time.Second):
			}
		})
		_, err := task.Advance(d.Context(), d.Workspace, id)
		d.ok(err)
		if d.results(p.ID) == 0 {
			d.succeeds("the result is dropped")
		}
	})
	variant("junk on the hub", func(d *world) {
		hub, b, started := d.hub(), d.check(p), 0
		d.runner(func(context.Context) { started++ })
		exchange.Through(d.Workspace, "origin")
		junk := []string{d.main().String(), p.Head.String(), d.main().String() + "^{tree}", d.main().String() + ":policies/roles.yaml"}
		for n := range 104 {
			b.Key = fmt.Sprint("junk ", n)
			id := d.begun(b)
			d.git("--git-dir", hub, "update-ref", "refs/assent/runs/"+id, strings.TrimSpace(d.git("rev-parse", junk[n%len(junk)])))
			out, err := task.Advance(d.Context(), d.Workspace, id)
			d.ok(err)
			if started != n+1 {
				d.succeeds("the check waits: %s", out.Waits)
				return
			}
		}
	})
	variant("another group", func(d *world) {
		d.merged(file("workflows/other.yaml", "name: other\non: {command: other}\njobs: {tie: {run: \"true\"}}\n"))
		d.merged(file("workflows/spelling.yaml", spellingFlow+"concurrency: {group: 'look-{{proposal}}'}\n"))
		b := d.check(p)
		other := run.Start{Workflow: "other", Event: "command", Commit: b.Commit.String(), Group: "look-" + p.ID}
		_, _, err := d.Runs.Begin(d.Context(), "other-00000000", "mallory", d.tick(), other)
		d.ok(err)
		d.runner(nil)
		out, err := task.Advance(d.Context(), d.Workspace, d.begun(b))
		d.ok(err)
		if out.Waits != "" || d.results(p.ID) == 0 {
			d.succeeds("the check waits for a run of another workflow: %s", out.Waits)
		}
	})
}
