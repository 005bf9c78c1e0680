package reconcile

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace/run"
)

const eventsFlow = `name: events
on: {proposal.opened: true, proposal.approved: true, proposal.merged: true, schedule: "0 3 * * *"}
jobs:
  say: {uses: notify, message: Look.}
`

// brought puts a workflow into force, as main would have it.
func (f *fixture) brought(path, text string) {
	f.Helper()
	branch := f.push("inbox/scout/flow", "unused")
	top, err := f.w.Repo.Snapshot(branch.Commit)
	f.OK(err)
	main, err := f.w.Repo.Ref("refs/heads/main")
	f.OK(err)
	made, err := f.w.Repo.WriteTree(top.Tree(), []tree.Edit{{Path: path, Content: []byte(text)}, {Path: "skills/unused/SKILL.md", Remove: true}})
	f.OK(err)
	c, err := f.w.Repo.Commit(branch.Commit)
	f.OK(err)
	c.Tree, c.Parents = made, []tree.Hash{main}
	commit, err := f.w.Repo.WriteCommit(c, nil)
	f.OK(err)
	f.OK(f.w.Repo.Update(gitstore.RefUpdate{Name: "refs/heads/inbox/scout/flow", Old: branch.Commit, New: commit}))
	f.pass()
	id := f.pulls()[slices.IndexFunc(f.pulls(), func(p forge.Pull) bool { return p.State == forge.Open })].ID
	f.approve(id)
	out, err := merge.Run(f.Context(), f.w, id, forge.Actor{Name: "ada"}, false)
	f.OK(err)
	if !out.Merged {
		f.Fatal(out.Refused)
	}
}

func (f *fixture) runs() map[string]int {
	f.Helper()
	all, damaged, err := f.w.Runs.All()
	f.OK(err)
	if len(damaged) > 0 {
		f.Fatal(damaged)
	}
	out := map[string]int{}
	for _, s := range all {
		out[s.Event]++
		if s.Outcome != run.Completed {
			f.Errorf("%s (%s) is %q: %s", s.ID, s.Event, s.Outcome, s.Reason)
		}
	}
	return out
}

// Each event starts its run once, for any number of engines and passes.
func TestEventsStartRunsOnce(t *testing.T) {
	f := begin(t)
	f.brought("workflows/events.yaml", eventsFlow)
	f.pass()
	if got := f.runs(); got[workflow.ProposalMerged] != 1 || got[workflow.ProposalOpened] != 0 {
		t.Errorf("of what merged: %v", got)
	}
	f.Clock = f.Clock.Add(time.Minute)
	f.push("inbox/scout/haiku", "haiku")
	var all sync.WaitGroup
	for range 4 {
		w := f.other()
		all.Go(func() { _, _ = Run(t.Context(), w, Options{}) })
	}
	all.Wait()
	f.pass()
	if got := f.runs(); got[workflow.ProposalOpened] != 1 {
		t.Errorf("of what is open: %v", got)
	}
	id := f.pulls()[slices.IndexFunc(f.pulls(), func(p forge.Pull) bool { return p.State == forge.Open })].ID
	f.approve(id)
	f.pass()
	f.pass()
	if got := f.runs(); got[workflow.ProposalApproved] != 1 || got[workflow.ProposalMerged] != 2 {
		t.Errorf("of what was approved and merged: %v", got)
	}
	before := f.runs()[workflow.Schedule]
	f.Clock = f.Clock.Add(50 * time.Hour) // it fires twice meanwhile
	f.pass()
	f.pass()
	if got := f.runs(); got[workflow.Schedule] != before+1 {
		t.Errorf("of the schedule: %v, and %d before", got, before)
	}
}

// A pass does not merge a proposal while a run that makes it has jobs to do, also if the run does not merge it itself.
// A run that names a proposal and did not make it does not hold it.
func TestRunsHoldTheirProposals(t *testing.T) {
	f := begin(t)
	f.brought("workflows/look.yaml", "name: look\non: {command: look}\njobs: {look: {approve: human, timeout: 3d}}\n")
	b := f.push("inbox/scout/haiku", "haiku")
	f.pass()
	cur, err := f.w.Session(t.Context())
	f.OK(err)
	all, err := task.Workflows(cur)
	f.OK(err)
	at := slices.IndexFunc(all, func(w workflow.Workflow) bool { return w.Name == "look" })
	s, diags, err := task.Start(t.Context(), cur, task.Beginning{Workflow: all[at], Event: "command", By: "ada"})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	about := func(kind run.Record) {
		t.Helper()
		kind.V = run.Version
		_, err = f.w.Runs.Append(t.Context(), s.ID, "assent", f.Clock, func(run.State) (*run.Record, error) { return &kind, nil })
		f.OK(err)
	}
	about(run.Record{Kind: run.Asked, Job: "look", Attempt: 1, Approve: true, Role: "human", Proposal: IDOf(b)})
	f.approve(IDOf(b))
	if got := f.pass(); count(got, Merged) != 1 {
		t.Fatalf("a run of something else holds it: %+v", got)
	}

	edits := []tree.Edit{{Path: "skills/hum/SKILL.md", Content: []byte("---\nname: hum\ndescription: Hums a tune. Use when it is quiet.\n---\n# Hum\n\nHum it.\n")}}
	_, err = propose.Open(t.Context(), f.w, propose.Request{
		Edits: edits, By: forge.Actor{Name: "scout"}, Author: gitstore.Person{Name: "scout", Email: "scout@agents.invalid", When: f.Clock}, Claimed: true,
		Proposal: proposal.Proposal{ID: s.ID, Agent: "scout", Goal: "hum", Body: "# Why\n\nTo hum.\n"},
		Origin:   provenance.Origin{Way: provenance.Task, Source: s.ID + "/look", Digest: propose.DigestOf(edits)},
	})
	f.OK(err)
	about(run.Record{Kind: run.Reminded, Job: "look", Attempt: 1, Proposal: s.ID})
	f.approve(s.ID)
	if got := f.pass(); count(got, Merged) != 0 {
		t.Fatalf("%+v", got)
	}
	about(run.Record{Kind: run.Ended, Outcome: run.Cancelled})
	if got := f.pass(); count(got, Merged) != 1 {
		t.Errorf("%+v", got)
	}
}

// Two passes that remember different things see the same time of a schedule.
func TestFired(t *testing.T) {
	noon := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	want := time.Date(2026, 2, 3, 3, 0, 0, 0, time.UTC)
	for _, last := range []time.Time{{}, noon.Add(-20 * time.Hour), noon.Add(-72 * time.Hour), noon.AddDate(-3, 0, 0)} {
		o := Observation{Now: noon, Last: last}
		if at, ok := o.fired("0 3 * * *", cronNext); !ok || !at.Equal(want) {
			t.Errorf("last pass %s: %s, %v", last, at, ok)
		}
	}
	o := Observation{Now: noon, Last: noon.Add(-time.Hour)}
	if at, ok := o.fired("0 3 * * *", cronNext); ok {
		t.Errorf("it fired at %s", at)
	}
	if _, ok := o.fired("", cronNext); ok {
		t.Error("what has no schedule fired")
	}
}

// A required check that waits for the opening and for updates runs once on a head that was updated before the first
// pass. Another workflow hears of both.
func TestCheckRunsOnceOnAnUpdatedHead(t *testing.T) {
	both := workflow.Workflow{Name: "look", On: workflow.Triggers{Proposal: []string{workflow.ProposalOpened, workflow.ProposalUpdated}}}
	opens := workflow.Workflow{Name: "look", On: workflow.Triggers{Proposal: both.On.Proposal[:1]}}
	head := tree.BlobHash([]byte("head"))
	for name, c := range map[string]struct {
		flow workflow.Workflow
		pull Pull
		want int
	}{
		"required":                  {both, Pull{Pushed: head, Required: []string{"look"}}, 1},
		"not required":              {both, Pull{Pushed: head, Required: []string{"other"}}, 2},
		"not updated":               {both, Pull{Required: []string{"look"}}, 1},
		"not waiting for an update": {opens, Pull{Pushed: head, Required: []string{"look"}}, 1},
	} {
		o := Observation{Pulls: []Pull{c.pull}}
		if got := o.eventsOf(c.flow, nil); len(got) != c.want {
			t.Errorf("%s: %+v, want %d", name, got, c.want)
		}
	}
}

// A script waits in the queue from when it could begin: not while its run waits for its group, runs or is begun again.
func TestQueueAge(t *testing.T) {
	f := begin(t)
	f.brought("workflows/one.yaml", "name: one\non: {command: one}\ninputs: {n: {}}\nconcurrency: ship\njobs: {look: {run: 'true', retries: 1}}\n")
	cur, err := f.w.Session(t.Context())
	f.OK(err)
	flows, err := task.Workflows(cur)
	f.OK(err)
	flow := flows[slices.IndexFunc(flows, func(w workflow.Workflow) bool { return w.Name == "one" })]
	starts := func(key string) string {
		s, _, err := task.Begin(t.Context(), f.w, task.Beginning{Workflow: flow, Commit: cur.InForce, Event: workflow.Command, By: "ada", Key: key})
		f.OK(err)
		return s.ID
	}
	later := func(d time.Duration, records map[string]run.Record) {
		f.Clock = f.Clock.Add(d)
		for id, r := range records {
			r.V = run.Version
			_, err := f.w.Runs.Append(t.Context(), id, "assent", f.Clock, func(run.State) (*run.Record, error) { return &r, nil })
			f.OK(err)
		}
	}
	want := func(queued int, age time.Duration) {
		t.Helper()
		f.w = f.other()
		p, err := Run(t.Context(), f.w, Options{DryRun: true})
		f.OK(err)
		if p.Work.Queued != queued || p.Work.Age != age {
			t.Errorf("%d queued, the oldest for %s; want %d and %s", p.Work.Queued, p.Work.Age, queued, age)
		}
	}
	first := starts("1")
	later(time.Minute, nil)
	second := starts("2")
	want(1, time.Minute)
	later(0, map[string]run.Record{first: {Kind: run.Begun, Job: "look", Attempt: 1, Until: f.Clock.Add(5 * time.Minute)}})
	later(4*time.Minute, nil)
	want(0, 0)
	later(0, map[string]run.Record{first: {Kind: run.Failed, Job: "look", Attempt: 1}})
	later(2*time.Minute, nil)
	want(1, 2*time.Minute)
	later(0, map[string]run.Record{first: {Kind: run.Ended, Outcome: run.Cancelled}})
	later(3*time.Minute, nil)
	want(1, 3*time.Minute)
	later(0, map[string]run.Record{second: {Kind: run.Begun, Job: "look", Attempt: 1, Until: f.Clock.Add(time.Minute)}})
	later(time.Minute, nil)
	f.Given.Sandbox = func(context.Context) (sandbox.Runner, error) {
		return nil, &sandbox.Refusal{Why: "bubblewrap is missing"}
	}
	f.w = f.other()
	p, err := Run(t.Context(), f.w, Options{})
	f.OK(err)
	lost := 0
	for _, r := range p.Results {
		lost += r.Lost
	}
	if lost != 1 {
		t.Errorf("%d scripts are lost, not 1: %+v", lost, p.Results)
	}
	later(time.Hour, map[string]run.Record{second: {Kind: run.Ended, Outcome: run.Cancelled}})
	want(0, 0)
}

// meeting is a sandbox in which two scripts run at the same time, or none ends.
type meeting struct {
	sandbox.Runner
	other chan struct{}
}

func (meeting) Protects() bool { return true }

func (m meeting) Run(ctx context.Context, _ sandbox.Spec) (sandbox.Result, error) {
	select {
	case m.other <- struct{}{}:
	case <-m.other:
	case <-ctx.Done():
		return sandbox.Result{}, ctx.Err()
	}
	return sandbox.Result{Ended: sandbox.Exited}, nil
}

// A pass without workers of its own waits for its scripts, and those of different runs go on side by side.
func TestPassRunsScriptsOfRunsSideBySide(t *testing.T) {
	f := begin(t)
	f.brought("workflows/first.yaml", "name: first\non: {schedule: \"0 3 * * *\"}\njobs:\n  look: {run: \"true\"}\n  again: {needs: look, run: \"true\"}\n")
	f.brought("workflows/second.yaml", "name: second\non: {schedule: \"0 3 * * *\"}\njobs:\n  look: {run: \"true\"}\n  again: {needs: look, run: \"true\"}\n")
	f.pass()
	ran, m := 0, meeting{other: make(chan struct{})}
	f.Given.Sandbox = func(context.Context) (sandbox.Runner, error) { return m, nil }
	f.Clock = f.Clock.Add(50 * time.Hour)
	f.w = f.other()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second) // scripts that do not meet wait for ever
	defer stop()
	p, err := Run(ctx, f.w, Options{})
	f.OK(err)
	for _, r := range p.Results {
		if r.Outcome == Ended && r.Reason == string(run.Completed) {
			ran++
		}
	}
	if ran != 2 {
		t.Errorf("%d of 2 runs were completed", ran)
	}
}

// TestGroupFreeSince: the next run of a group has been due since the previous one ended; the ends are not read for others.
func TestGroupFreeSince(t *testing.T) {
	ended := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	read := 0
	ends := sync.OnceValues(func() (map[string]time.Time, error) {
		read++
		return map[string]time.Time{"one": ended}, nil
	})
	script := run.Next{Action: run.Script}
	for _, tt := range []struct {
		s    run.State
		next run.Next
		want time.Time
		read int
	}{
		{run.State{Start: run.Start{}}, script, time.Time{}, 0},
		{run.State{Start: run.Start{Group: "one"}, First: ended}, script, time.Time{}, 0},
		{run.State{Start: run.Start{Group: "one"}}, run.Next{}, time.Time{}, 0},
		{run.State{Start: run.Start{Group: "one"}}, script, ended, 1},
		{run.State{Start: run.Start{Group: "two"}}, script, time.Time{}, 1},
	} {
		if at, err := groupFreeSince(ends, tt.s, tt.next); err != nil || !at.Equal(tt.want) || read != tt.read {
			t.Errorf("%+v: %s, %v; read %d times", tt.s, at, err, read)
		}
	}
}
