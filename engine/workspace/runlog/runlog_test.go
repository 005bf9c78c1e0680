package runlog_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

const knot = "bowline-k3v9q2mt"

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// chain has two jobs that need none, and two that need build, one through the other.
var chain = workflow.Workflow{Name: "braid", FailFast: true, Jobs: []workflow.Job{
	{Name: "build", Task: developer, Retries: 1}, {Name: "look", Task: developer}, {Name: "third", Task: developer},
	{Name: "try", Task: developer, Needs: []string{"build"}}, {Name: "check", Uses: workflow.Validate, Needs: []string{"try"}},
}}

var developer = workflow.Task{Agent: "developer"}

// side is one of two repositories with the same run.
type side struct {
	*testing.T
	runlog.Log
	repo  *gitstore.Repo
	clock *time.Time
}

func begin(t *testing.T) side {
	t.Helper()
	repo, clock := storetest.NewRepo(t), noon
	return side{t, runlog.Of(repo), repo, &clock}
}

// says appends records, a minute apart each.
func (s side) says(rs ...run.Record) {
	s.Helper()
	for _, r := range rs {
		*s.clock = s.clock.Add(time.Minute)
		by := "assent"
		if r.By != "" {
			by = r.By
		}
		r.V = run.Version
		if _, err := s.Append(s.Context(), knot, by, *s.clock, func(run.State) (*run.Record, error) { return &r, nil }); err != nil {
			s.Fatal(err)
		}
	}
}

func start(capability string) run.Record {
	return run.Record{Kind: run.Started, Start: &run.Start{Workflow: "braid", Event: "command", Inputs: map[string]string{"capability": capability}}}
}

func asked(job string) run.Record {
	return run.Record{Kind: run.Asked, Job: job, Attempt: 1, Role: "developer"}
}

func claimed(job, by string) run.Record {
	return run.Record{Kind: run.Claimed, Job: job, Attempt: 1, By: by, Until: noon.Add(24 * time.Hour)}
}

func done(job, by string) run.Record {
	return run.Record{Kind: run.Done, Job: job, Attempt: 1, By: by, Result: &run.Result{V: 1, Outcome: "success"}}
}

func raced(by string) []run.Record { return []run.Record{claimed("build", by), done("build", by)} }

func failed(job string) run.Record { return run.Record{Kind: run.Failed, Job: job, Attempt: 1} }

func broke(job string) run.Record {
	return run.Record{Kind: run.Failed, Job: job, Attempt: 1, Outcome: run.Broke}
}

func blocked(job string) run.Record {
	return run.Record{Kind: run.Skipped, Job: job, Outcome: run.Broke}
}

func again(job string) run.Record {
	return run.Record{Kind: run.Asked, Job: job, Attempt: 2, Role: "developer"}
}

// checked is the record of a validation of a proposal.
func checked(proposal string) run.Record {
	return run.Record{Kind: run.Done, Job: "check", Proposal: proposal, Report: &run.Report{Passed: true}}
}

func ended(how run.Outcome) run.Record { return run.Record{Kind: run.Ended, Outcome: how} }

// other is the same repository in another place, later.
func (s side) other() side {
	s.Helper()
	dir := s.TempDir()
	storetest.Git(s.T, dir, "clone", "-q", "--mirror", s.repo.Top(), ".")
	clock := s.clock.Add(time.Second)
	repo := storetest.Open(s.T, dir)
	return side{s.T, runlog.Of(repo), repo, &clock}
}

// join brings b's records to a; every commit on the proposal exists but "lost".
func (s side) join(b side) (runlog.Joined, error) {
	s.Helper()
	theirs, err := b.repo.Ref(runlog.Prefix + knot)
	if err != nil {
		s.Fatal(err)
	}
	storetest.Git(s.T, s.repo.Top(), "fetch", "-q", b.repo.Top(), "+refs/*:refs/elsewhere/*")
	return s.Join(knot, theirs, func(run.State) workflow.Workflow { return chain }, func(proposal, _ string) bool { return proposal != "lost" })
}

func (s side) summary() string {
	s.Helper()
	rs, err := s.Records(knot)
	if err != nil {
		s.Fatal(err)
	}
	var out []string
	for _, r := range rs {
		out = append(out, strings.TrimSuffix(string(r.Kind)+" "+r.Job+" "+r.By, " assent"))
	}
	return strings.Join(out, ", ")
}

// If two clones went on with one run, their records stay, ours follow where they can, and the rest
// is kept aside with the reason. Both end with the same records.
func TestJoin(t *testing.T) {
	lostWork := done("look", "smith")
	lostWork.Proposal, lostWork.Head = "lost", "1111111111111111111111111111111111111111"
	for name, c := range map[string]struct {
		ours, theirs []run.Record
		want, aside  string
	}{
		"only there":              {nil, []run.Record{claimed("build", "smith")}, "claimed build smith", ""},
		"different jobs":          {[]run.Record{claimed("look", "scout"), done("look", "scout")}, []run.Record{claimed("build", "smith")}, "claimed build smith, claimed look scout, done look scout", ""},
		"one task, two agents":    {[]run.Record{claimed("build", "scout"), done("build", "scout")}, []run.Record{claimed("build", "smith")}, "claimed build smith", "claimed build, done build"},
		"both asked":              {[]run.Record{asked("third"), claimed("third", "scout")}, []run.Record{asked("third")}, "asked third, claimed third scout", ""},
		"cancelled there":         {[]run.Record{claimed("build", "scout")}, []run.Record{ended(run.Cancelled)}, "ended", "claimed build"},
		"cancelled here":          {[]run.Record{ended(run.Cancelled)}, []run.Record{claimed("build", "smith")}, "claimed build smith, ended", ""},
		"an end that follows":     {[]run.Record{ended(run.Broke)}, []run.Record{claimed("build", "smith")}, "claimed build smith", ""},
		"work that was lost":      {[]run.Record{claimed("look", "smith"), lostWork}, []run.Record{claimed("build", "scout")}, "claimed build scout, claimed look smith", "done look"},
		"a race is lost":          {append(raced("scout"), asked("try"), claimed("try", "anna"), done("try", "anna"), checked("lost")), raced("smith"), "claimed build smith, done build smith", "claimed build, done build, claimed try, done try"},
		"a race after both asked": {append(raced("scout"), asked("try"), claimed("try", "anna")), append(raced("smith"), asked("try")), "claimed build smith, done build smith, asked try", "claimed build, done build, claimed try"},
		"an attempt failed there": {append(raced("scout"), asked("try")), []run.Record{claimed("build", "smith"), failed("build"), again("build")}, "claimed build smith, failed build, asked build", "claimed build, done build"},
		"skipped as ours failed":  {[]run.Record{broke("build"), blocked("try")}, raced("smith"), "claimed build smith, done build smith", "failed build"},
		"fail-fast after ours":    {[]run.Record{broke("build"), blocked("third")}, raced("smith"), "claimed build smith, done build smith", "failed build"},
		"in order":                {append(raced("scout"), asked("try"), claimed("try", "anna"), done("try", "anna"), checked("")), []run.Record{claimed("look", "smith")}, "claimed look smith, claimed build scout, done build scout, asked try, claimed try anna, done try anna, done check", ""},
		"nothing new":             {[]run.Record{claimed("build", "scout")}, nil, "claimed build scout", ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := begin(t)
			a.says(start("bowline"), asked("build"), asked("look"))
			b := a.other()
			a.T, b.T = t, t
			if c.ours != nil && c.ours[len(c.ours)-1].Head != "" { // a record's commit must exist
				h := storetest.Commit(t, a.repo, tree.Hash{}, 1, storetest.Files("a", "b")...)
				c.ours[len(c.ours)-1].Head = h.String()
			}
			a.says(c.ours...)
			b.says(c.theirs...)
			out, err := a.join(b)
			if err != nil {
				t.Fatal(err)
			}
			var aside []string
			for _, one := range out.Aside {
				aside = append(aside, string(one.Record.Kind)+" "+one.Record.Job)
			}
			if got := strings.Join(aside, ", "); got != c.aside || (out.AsideRef == "") != (c.aside == "") {
				t.Errorf("aside %q (%s), want %q", got, out.AsideRef, c.aside)
			}
			want := "started , asked build, asked look, " + c.want
			if got := strings.ReplaceAll(a.summary(), "ended ", "ended"); got != want {
				t.Errorf("records: %q, want %q", got, want)
			}
			if out.AsideRef != "" { // all of it is kept
				at, err := a.repo.Ref(out.AsideRef)
				if events, rerr := journal.ReadAt(a.repo, at); err != nil || rerr != nil || len(events) != 3+len(c.ours) {
					t.Errorf("kept aside: %d events, %v %v", len(events), err, rerr)
				}
			}
			if _, err := b.join(a); err != nil || b.summary() != a.summary() {
				t.Errorf("there: %q, %v; here %q", b.summary(), err, a.summary())
			}
			if again, err := a.join(b); err != nil || again.Took+again.Again+len(again.Aside) > 0 {
				t.Errorf("a second time: %+v, %v", again, err)
			}
		})
	}
}

// Two engines that saw one event started one run. A run started with other inputs under the same
// name is set aside as a whole.
func TestJoinOfTwoStarts(t *testing.T) {
	for capability, aside := range map[string]int{"bowline": 0, "sheet-bend": 2} {
		a, b := begin(t), begin(t)
		a.says(start(capability), asked("build"), claimed("build", "smith"))
		*b.clock = noon.Add(time.Hour)
		b.says(start("bowline"), asked("build"))
		out, err := a.join(b)
		if err != nil || len(out.Aside) != aside {
			t.Errorf("%s: %+v, %v", capability, out, err)
		}
		s, err := a.Read(knot)
		if err != nil || s.Inputs["capability"] != "bowline" || (s.Jobs["build"].Claimant == "smith") != (aside == 0) {
			t.Errorf("%s: %+v, %v", capability, s, err)
		}
	}
}

// A clone that did not know of a renewal takes a script for lost; after joining, it runs. A loss that rests on
// what both knew stands, once.
func TestJoinOfLeases(t *testing.T) {
	lost, renewed := run.Record{Kind: run.Lost, Job: "look", Attempt: 1}, run.Record{Kind: run.Renewed, Job: "look", Attempt: 1, Token: "a"}
	for name, c := range map[string]struct {
		theirs []run.Record
		want   string
	}{
		"renewed there":  {[]run.Record{renewed}, "renewed look"},
		"lost there":     {[]run.Record{lost}, "lost look"},
		"something else": {[]run.Record{asked("build")}, "asked build, lost look"},
	} {
		a := begin(t)
		a.says(start("bowline"), run.Record{Kind: run.Begun, Job: "look", Attempt: 1, Token: "a"})
		b := a.other()
		a.says(lost)
		b.says(c.theirs...)
		out, err := a.join(b)
		if err != nil || len(out.Aside) > 0 || a.summary() != "started , begun look, "+c.want {
			t.Errorf("%s: %q, %+v, %v", name, a.summary(), out, err)
		}
	}
}

// Journals without a run's records are not taken.
func TestJoinOfSomethingElse(t *testing.T) {
	a, b := begin(t), begin(t)
	a.says(start("bowline"))
	if _, err := journal.Append(b.repo, runlog.Prefix+knot, func([]journal.Event) (*journal.Event, error) {
		return &journal.Event{Kind: "odd", At: noon, By: "mallory"}, nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.join(b); !errors.Is(err, run.ErrRecord) {
		t.Errorf("it was taken: %v", err)
	}
	if got := a.summary(); !strings.HasPrefix(got, "started") {
		t.Error(got)
	}
}

// A run that ended is folded after its rest, and read, listed and known as before.
func TestFold(t *testing.T) {
	a := begin(t)
	a.says(start("bowline"), asked("build"), claimed("build", "smith"), done("build", "smith"), ended(run.Completed))
	before, err := a.Read(knot)
	if err != nil {
		t.Fatal(err)
	}
	late := a.clock.Add(runlog.Rest)
	for at, want := range map[time.Time]int{a.clock.Add(time.Hour): 0, late: 1} {
		if n, err := a.Foldable(t.Context(), at); n != want || err != nil {
			t.Errorf("at %s: %d can be folded, %v", at, n, err)
		}
	}
	if n, err := a.Fold(t.Context(), late, 10); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := a.Fold(t.Context(), late, 10); n != 0 || err != nil {
		t.Error("folded twice", n, err)
	}
	if out, err := a.Drop(t.Context(), late.Add(journal.Settling), 10); out.Removed != 1 || err != nil {
		t.Errorf("%+v, %v", out, err)
	}
	if refs := storetest.Git(t, a.repo.Top(), "for-each-ref", "--format=%(refname)", "refs/assent"); strings.TrimSpace(refs) != "refs/assent/ended/2026" {
		t.Errorf("refs %q", refs)
	}
	storetest.Git(t, a.repo.Top(), "gc", "-q", "--prune=now")
	after, err := a.Read(knot)
	if err != nil || after.Records != before.Records || after.Jobs["build"].Result == nil {
		t.Errorf("%+v, %v", after, err)
	}
	all, damaged, err := a.All()
	if err != nil || len(all) != 1 || len(damaged) != 0 || all[0].Outcome != run.Completed || all[0].Jobs["build"].Status != run.Did || all[0].Jobs["build"].Result != nil {
		t.Errorf("all: %+v, %v, %v", all, damaged, err)
	}
	if standing, _, err := a.Standing(); err != nil || len(standing) != 0 {
		t.Errorf("standing: %+v, %v", standing, err)
	}
	if _, began, err := a.Begin(t.Context(), knot, "assent", late, *start("bowline").Start); began || err != nil {
		t.Errorf("it began again: %v", err)
	}
	if _, err := a.Append(t.Context(), knot, "assent", late, func(run.State) (*run.Record, error) {
		r := asked("build")
		r.V = run.Version
		return &r, nil
	}); !errors.Is(err, run.ErrRecord) {
		t.Errorf("something was said of a run that ended: %v", err)
	}
}

// A note of a folded run that differs from its journal is damage; beside the run's own ref it is
// left out, and that ref stays.
func TestFoldedNote(t *testing.T) {
	a := begin(t)
	a.says(start("bowline"), ended(run.Cancelled))
	head, err := a.repo.Ref(runlog.Prefix + knot)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runlog.Shelf().Fold(a.repo, *a.clock, []journal.Entry{{Name: knot, Head: head, Summary: []byte(`{"id":"` + knot + `","outcome":"completed"}`)}}); err != nil {
		t.Fatal(err)
	}
	if s, err := a.Read(knot); err != nil || s.Outcome != run.Cancelled {
		t.Errorf("read %+v, %v", s, err)
	}
	if out, err := a.Drop(t.Context(), a.clock.Add(time.Hour), 10); err != nil || out.Removed != 0 {
		t.Errorf("dropped %+v, %v", out, err)
	}
	if err := a.repo.Update(gitstore.RefUpdate{Name: runlog.Prefix + knot, Old: head}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read(knot); !errors.Is(err, run.ErrRecord) {
		t.Errorf("it was believed: %v", err)
	}
}
