package reconcile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// fixture is a workspace with a reviewer.
type fixture struct {
	*worldtest.Place
	w *workspace.Workspace
}

func begin(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{Place: worldtest.Begin(t, []string{"scout"},
		tree.Edit{Path: "soul/scout/SOUL.md", Content: []byte("# Scout\n\n## Learned Capabilities\n")},
		tree.Edit{Path: "workflows/inbox.yaml", Content: []byte(inboxFlow)},
		tree.Edit{Path: "workflows/merge.yaml", Content: []byte(mergeFlow)},
		tree.Edit{Path: "workflows/validate.yaml", Content: []byte(validateFlow)},
	)}
	f.w = f.other()
	return f
}

// other is the same workspace as another process sees it.
func (f *fixture) other() *workspace.Workspace {
	f.Helper()
	w, err := f.On(nil)
	f.OK(err)
	return w
}

// push puts a skill on a branch of the inbox, as git push would.
func (f *fixture) push(branch, skill string) Branch {
	f.Helper()
	main, err := f.w.Repo.Ref("refs/heads/main")
	f.OK(err)
	top, err := f.w.Repo.Snapshot(main)
	f.OK(err)
	text := fmt.Sprintf("---\nname: %s\ndescription: Does what %s does. Use when a test asks for it.\n---\n# Do\n\nDo it.\n", skill, skill)
	made, err := f.w.Repo.WriteTree(top.Tree(), []tree.Edit{{Path: "skills/" + skill + "/SKILL.md", Content: []byte(text)}})
	f.OK(err)
	who := gitstore.Person{Name: "Scout", Email: "scout@example.org", When: f.Clock}
	commit, err := f.w.Repo.WriteCommit(gitstore.Commit{Tree: made, Parents: []tree.Hash{main}, Author: who, Committer: who, Message: "add " + skill + "\n"}, nil)
	f.OK(err)
	f.OK(f.w.Repo.Update(gitstore.RefUpdate{Name: "refs/heads/" + branch, New: commit}))
	return Branch{Name: branch, Commit: commit}
}

func (f *fixture) pulls() []forge.Pull {
	f.Helper()
	all, err := f.w.Forge.List(f.Context(), forge.Filter{})
	f.OK(err)
	return all
}

func (f *fixture) inbox() int {
	f.Helper()
	left, err := inbox(f.w)
	f.OK(err)
	return len(left)
}

func (f *fixture) pass() []Result {
	f.Helper()
	p, err := Run(f.Context(), f.w, Options{})
	f.OK(err)
	return p.Results
}

func (f *fixture) approve(id string) {
	f.Helper()
	_, err := approve.Run(f.Context(), f.w, approve.Decision{Proposal: id, Decision: review.Approve, Reason: "test", Signer: f.Ada})
	f.OK(err)
}

func TestPassFromInboxToMerge(t *testing.T) {
	f := begin(t)
	b := f.push("inbox/scout/hum", "hum")
	got := f.pass()
	if len(got) != 1 || got[0].Outcome != Proposed || got[0].Proposal != IDOf(b) || f.inbox() != 0 {
		t.Fatalf("%+v, %d branches left", got, f.inbox())
	}
	if again := f.pass(); len(again) != 0 {
		t.Fatalf("not idle: %+v", again)
	}
	f.approve(IDOf(b))
	f.push("inbox/scout/sing", "sing")
	got = f.pass()
	if n := count(got, Merged); n != 1 || count(got, Proposed) != 1 || count(got, Validated) != 1 {
		t.Fatalf("%+v", got)
	}
	if again := f.pass(); len(again) != 0 {
		t.Fatalf("not idle: %+v", again)
	}
}

// A pass updates the index of the state in force, so no workflow needs to (docs/adr/0026).
func TestPassIndexes(t *testing.T) {
	f := begin(t)
	b := f.push("inbox/scout/hum", "hum")
	f.pass()
	f.approve(IDOf(b))
	f.pass()
	cur, err := f.w.Session(f.Context())
	f.OK(err)
	skills, err := cur.View.Lookup("skills")
	f.OK(err)
	home, err := keys.Home()
	f.OK(err)
	if made, _ := filepath.Glob(filepath.Join(home, "index", "*", skills.Hash.String()+".idx")); len(made) != 1 {
		t.Errorf("no index of what is in force: %v", made)
	}
}

func count(rs []Result, outcome string) int {
	n := 0
	for _, r := range rs {
		if r.Outcome == outcome {
			n++
		}
	}
	return n
}

// A branch that cannot be read, or that adds something other than files, stops no other.
func TestBranchThatCannotBeRead(t *testing.T) {
	f := begin(t)
	main, err := f.w.Repo.Ref("refs/heads/main")
	f.OK(err)
	top, err := f.w.Repo.Snapshot(main)
	f.OK(err)
	for name, e := range map[string]tree.Edit{
		"a-submodule": {Path: "skills/sub", Mode: tree.Submodule, Hash: main},
		"b-missing":   {Path: "skills/gone/SKILL.md", Mode: tree.Regular, Hash: tree.BlobHash([]byte("stored nowhere"))},
	} {
		made, err := f.w.Repo.WriteTree(top.Tree(), []tree.Edit{e})
		f.OK(err)
		who := gitstore.Person{Name: "Scout", Email: "scout@example.org", When: f.Clock}
		commit, err := f.w.Repo.WriteCommit(gitstore.Commit{Tree: made, Parents: []tree.Hash{main}, Author: who, Committer: who, Message: name + "\n"}, nil)
		f.OK(err)
		f.OK(f.w.Repo.Update(gitstore.RefUpdate{Name: "refs/heads/inbox/scout/" + name, New: commit}))
	}
	f.push("inbox/scout/hum", "hum")
	got := map[string]string{}
	for _, r := range f.pass() {
		got[r.Subject] = r.Outcome
	}
	want := map[string]string{"inbox/scout/a-submodule": Left, "inbox/scout/b-missing": Left, "inbox/scout/hum": Proposed}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A pass that is killed between opening and clearing the inbox leaves a branch and
// a proposal: the next pass opens no second one, and finishes the first.
func TestKilledBetweenOpenAndClear(t *testing.T) {
	f := begin(t)
	b := f.push("inbox/scout/hum", "hum")
	var r Result
	opened, err := openBranch(f.Context(), f.w, b, nil, &Result{Proposal: IDOf(b)})
	f.OK(err)
	if !opened || f.inbox() != 1 {
		t.Fatalf("%+v", r)
	}
	f.Clock = f.Clock.Add(time.Hour) // a commit made now would have another hash
	got := f.pass()
	if count(got, Proposed) != 1 || f.inbox() != 0 || len(f.pulls()) != 1 {
		t.Fatalf("%+v, %d branches, %d proposals", got, f.inbox(), len(f.pulls()))
	}
}

// A pass that is killed right after the pull request was opened leaves it without
// the engine's entry and without a report: the next pass adds both.
func TestKilledBeforeReport(t *testing.T) {
	f := begin(t)
	b := f.push("inbox/scout/hum", "hum")
	ctx, cancel := context.WithCancel(f.Context())
	f.w.Forge = &dying{Forge: f.w.Forge, cancel: cancel}
	if _, err := Run(ctx, f.w, Options{}); err == nil {
		t.Fatal("it did not die")
	}
	f.w = f.other()
	before, err := f.w.Forge.Activity(f.Context(), IDOf(b))
	f.OK(err)
	if len(before.Statuses) != 0 || len(before.Pushes) != 1 {
		t.Fatalf("it died too late: %d reports, %d pushes", len(before.Statuses), len(before.Pushes))
	}
	got := f.pass()
	if count(got, Proposed) != 1 || count(got, Validated) != 1 || f.inbox() != 0 {
		t.Fatalf("%+v", got)
	}
	after, err := f.w.Forge.Activity(f.Context(), IDOf(b))
	f.OK(err)
	if len(after.Statuses) != 1 || len(after.Pushes) != 2 || !after.Pushes[1].Engine {
		t.Fatalf("%d reports, pushes %+v", len(after.Statuses), after.Pushes)
	}
}

// dying is a forge whose process is killed right after it opened a proposal.
type dying struct {
	forge.Forge
	cancel func()
}

func (d *dying) Open(ctx context.Context, req forge.Opening) (forge.Pull, error) {
	if _, err := d.Forge.Open(ctx, req); err != nil {
		return forge.Pull{}, err
	}
	d.cancel()
	return forge.Pull{}, context.Canceled
}

// Several passes at once open each branch once and merge each proposal once.
func TestPassesAtOnce(t *testing.T) {
	f := begin(t)
	approved := f.push("inbox/scout/first", "first")
	f.pass()
	f.approve(IDOf(approved))
	var branches []Branch
	for _, name := range []string{"hum", "sing", "whistle"} {
		branches = append(branches, f.push("inbox/scout/"+name, name))
	}
	var group sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		w := f.other()
		group.Go(func() { _, errs[i] = Run(f.Context(), w, Options{}) })
	}
	group.Wait()
	for _, err := range errs {
		f.OK(err)
	}
	f.pass() // whatever a loser left
	if f.inbox() != 0 || len(f.pulls()) != 4 {
		t.Fatalf("%d branches left, %d proposals", f.inbox(), len(f.pulls()))
	}
	for _, b := range branches {
		p, err := f.w.Forge.Get(f.Context(), IDOf(b))
		f.OK(err)
		if p.State != forge.Open {
			t.Errorf("%s is %s", p.ID, p.State)
		}
	}
	cur, err := f.w.Session(f.Context())
	f.OK(err)
	merges := 0
	f.OK(f.w.Repo.FirstParents(cur.Main, func(c gitstore.Commit) (bool, error) {
		merges += len(c.Parents) / 2
		return true, nil
	}))
	if merges != 1 || len(cur.Blocked) != 0 || cur.Main != cur.InForce {
		t.Fatalf("%d merges, %d commits not in force", merges, len(cur.Blocked))
	}
}

// A branch that moves while it is materialised keeps its new content.
func TestBranchMovedMeanwhile(t *testing.T) {
	f := begin(t)
	b := f.push("inbox/scout/hum", "hum")
	f.OK(f.w.Repo.Update(gitstore.RefUpdate{Name: "refs/heads/" + b.Name, Old: b.Commit}))
	moved := f.push("inbox/scout/hum", "hum-two")
	r, err := apply(f.Context(), f.w, Action{Do: DoInbox, Subject: b.Name, Content: b.Commit}, false, nil, nil)
	f.OK(err)
	if r.Outcome != Proposed || f.inbox() != 1 {
		t.Fatalf("%+v", r)
	}
	f.pass()
	if f.inbox() != 0 || IDOf(b) == IDOf(moved) || len(f.pulls()) != 2 {
		t.Fatalf("%d branches, %d proposals", f.inbox(), len(f.pulls()))
	}
}

func TestExpiredAndReopened(t *testing.T) {
	f := begin(t)
	b := f.push("inbox/scout/hum", "hum")
	f.pass()
	f.Clock = f.Clock.Add(8 * 24 * time.Hour)
	if got := f.pass(); count(got, Expired) != 1 {
		t.Fatalf("%+v", got)
	}
	pull, err := f.w.Forge.Get(f.Context(), IDOf(b))
	f.OK(err)
	if pull.State != forge.Closed || pull.Why != "expired" {
		t.Fatalf("%s, %s", pull.State, pull.Why)
	}
	cur, err := f.w.Session(f.Context())
	f.OK(err)
	_, err = propose.Reopen(f.Context(), cur, pull, forge.Actor{Name: "scout"})
	f.OK(err)
	if got := f.pass(); count(got, Expired) != 0 {
		t.Fatalf("reopening did not renew it: %+v", got)
	}
}

// A branch with an unknown proposer stays where it is.
func TestWhose(t *testing.T) {
	f := begin(t)
	cur, err := f.w.Session(f.Context())
	f.OK(err)
	b := f.push("inbox/scout/hum", "hum")
	for _, c := range []struct{ branch, drafted, want, why string }{
		{"inbox/scout/x", "", "scout", ""},
		{"inbox/scout/x", "scout", "scout", ""},
		{"inbox/nobody/x", "", "", "is unknown"},
		{"inbox/x", "", "", "is unknown"},
		{"inbox/scout/x", "nobody", "", `"nobody"`},
		{"inbox/scout/x", "../scout", "", "does not have"},
		{"inbox/ada/x", "", "", "is unknown"}, // a person is not accepted at another address
		{"inbox/scout/x", "ada", "", `"ada"`},
	} {
		from, err := pushersOf(f.Context(), cur, Branch{Name: c.branch, Commit: b.Commit})
		f.OK(err)
		got, why := agentOf(cur, from, c.drafted)
		if got != c.want || !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s drafted by %q: %q, %s", c.branch, c.drafted, got, why)
		}
	}
	if !slices.Equal(propose.Agents(cur), []string{"scout"}) {
		t.Errorf("agents %v", propose.Agents(cur))
	}
}

// A failure on one subject delays no other, is reported as a failure of the pass, and is
// due again. A damaged proposal is reported and is no failure.
func TestFailureOfOne(t *testing.T) {
	f := begin(t)
	first, second := f.push("inbox/scout/hum", "hum"), f.push("inbox/scout/sing", "sing")
	disk := fmt.Errorf("write: %w", syscall.ENOSPC)
	f.w.Forge = &failing{f.w.Forge, IDOf(first), disk}
	p, err := Run(f.Context(), f.w, Options{})
	if !errors.Is(err, syscall.ENOSPC) || count(p.Results, Failed) != 1 || count(p.Results, Proposed) != 1 || len(p.Open) != 1 || p.Open[0].ID != IDOf(second) {
		t.Fatalf("%+v, %v", p, err)
	}
	if l, err := loadLast(f.w); err != nil || !l.At.IsZero() {
		t.Errorf("a failed pass is remembered as done: %+v, %v", l, err)
	}
	f.w.Forge = &failing{f.w.Forge.(*failing).Forge, IDOf(first), &forge.Damaged{ID: IDOf(first), Where: "x", Err: errors.New("odd")}}
	p, err = Run(f.Context(), f.w, Options{})
	f.OK(err)
	if count(p.Results, Failed) != 1 {
		t.Fatalf("%+v", p)
	}
	f.w = f.other()
	if got := f.pass(); count(got, Proposed) != 1 || f.inbox() != 0 {
		t.Fatalf("%+v", got)
	}
}

// A subject on which the program breaks is refused, and delays no other.
func TestBreakingOnOne(t *testing.T) {
	f := begin(t)
	first, second := f.push("inbox/scout/hum", "hum"), f.push("inbox/scout/sing", "sing")
	f.w.Forge = &failing{f.w.Forge, IDOf(first), nil}
	p, err := Run(f.Context(), f.w, Options{})
	f.OK(err)
	if count(p.Results, Refused) != 1 || count(p.Results, Proposed) != 1 || len(p.Open) != 1 || p.Open[0].ID != IDOf(second) {
		t.Errorf("%+v", p)
	}
}

// failing is a forge that cannot open one proposal, and breaks on it without an error.
type failing struct {
	forge.Forge
	id  string
	err error
}

func (f *failing) Open(ctx context.Context, req forge.Opening) (forge.Pull, error) {
	if req.ID == f.id {
		if f.err == nil {
			panic("broken")
		}
		return forge.Pull{}, f.err
	}
	return f.Forge.Open(ctx, req)
}

// A pass reports the state of all open proposals, names damaged ones, and says when it is
// next due.
func TestPassTells(t *testing.T) {
	f := begin(t)
	hum, sing := f.push("inbox/scout/hum", "hum"), f.push("inbox/scout/sing", "sing")
	f.pass()
	f.approve(IDOf(hum))
	main, err := f.w.Repo.Ref("refs/heads/main")
	f.OK(err)
	f.OK(f.w.Repo.Update(gitstore.RefUpdate{Name: "refs/assent/pulls/odd-00000000", New: main}))
	p, err := Run(f.Context(), f.w, Options{})
	f.OK(err)
	if count(p.Results, Merged) != 1 || len(p.Open) != 1 || p.Open[0].ID != IDOf(sing) || p.Open[0].State != proposal.Waiting {
		t.Errorf("%+v", p)
	}
	if len(p.Damaged) != 1 || p.Damaged[0].ID != "odd-00000000" {
		t.Errorf("damaged: %v", p.Damaged)
	}
	if want := f.Clock.Add(15 * time.Minute); !p.Next.Equal(want) {
		t.Errorf("next at %v, want %v", p.Next, want)
	}
}

// An id is a function of branch and commit, and fits the grammar whatever the
// branch is called.
func TestIDOf(t *testing.T) {
	b := Branch{Name: "inbox/scout/Hum_Tune", Commit: hash(1)}
	if again := IDOf(b); again != IDOf(b) || again == IDOf(Branch{Name: b.Name, Commit: hash(2)}) || again == IDOf(Branch{Name: "inbox/smith/Hum_Tune", Commit: hash(1)}) {
		t.Error("ids collide")
	}
	for _, name := range []string{b.Name, "inbox/ü", "inbox/a/" + strings.Repeat("x", 300), "inbox/-"} {
		if id := IDOf(Branch{Name: name}); !forge.IsID(id) {
			t.Errorf("%s: %q", name, id)
		}
	}
	if !strings.HasPrefix(IDOf(b), "hum-tune-") {
		t.Error(IDOf(b))
	}
}

func TestDryRun(t *testing.T) {
	f := begin(t)
	f.push("inbox/scout/hum", "hum")
	p, err := Run(f.Context(), f.w, Options{DryRun: true})
	f.OK(err)
	if got := p.Results; len(got) != 1 || got[0].Outcome != Would || f.inbox() != 1 || len(f.pulls()) != 0 {
		t.Fatalf("%+v", got)
	}
	if l, err := loadLast(f.w); err != nil || !l.At.IsZero() {
		t.Errorf("a dry run was remembered: %+v, %v", l, err)
	}
}
