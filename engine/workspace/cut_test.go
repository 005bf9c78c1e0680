package workspace_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/effort"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/disktest"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// step is one request, continuing from the steps before it.
type step struct {
	name string
	run  func(l *life) error
	// done reports whether it happened.
	done func(l *life) (bool, error)
}

// life is one copy of a workspace in which a skill, a reef knot, is proposed,
// reviewed, merged and undone. A bowline has been in force for long.
type life struct {
	*world
	id, undo string
}

func (l *life) pull(id string) (forge.Pull, error) {
	p, err := l.Forge.Get(l.Context(), id)
	if errors.Is(err, forge.ErrNotFound) {
		err = nil
	}
	return p, err
}

// propose gives a proposal its id by chance, which is the same for every copy.
// One that a cut left half open is reported on, as `assent reconcile` does.
func (l *life) propose(r propose.Request, id string) error {
	out, err := propose.Open(l.Context(), l.Workspace, r)
	if errors.Is(err, forge.ErrExists) {
		cur, err := l.Session(l.Context())
		if err == nil {
			_, err = propose.Report(l.Context(), cur, id)
		}
		return err
	}
	if err == nil && !out.Opened {
		err = fmt.Errorf("not opened: %v", out.Diagnostics)
	}
	return err
}

func (l *life) isOpen(id string) (bool, error) {
	p, err := l.pull(id)
	if err != nil || p.State != forge.Open {
		return false, err
	}
	a, err := l.Forge.Activity(l.Context(), id)
	return len(a.Statuses) > 0, err
}

func (l *life) isMerged(id string) (bool, error) {
	p, err := l.pull(id)
	return p.State == forge.Merged, err
}

var kublai = forge.Actor{Name: "kublai"}

func steps() []step {
	return []step{
		{"propose", func(l *life) error { return l.propose(l.Request(skill("reef-knot")), l.id) },
			func(l *life) (bool, error) { return l.isOpen(l.id) }},
		{"comment", func(l *life) error {
			return l.Forge.Comment(l.Context(), l.id, forge.Comment{By: kublai, Key: "a", Body: "Please look.", At: l.Now()})
		}, func(l *life) (bool, error) {
			a, err := l.Forge.Activity(l.Context(), l.id)
			return len(a.Comments) > 0, err
		}},
		{"review", func(l *life) error {
			_, err := approve.Run(l.Context(), l.Workspace, approve.Decision{Proposal: l.id, Decision: review.Approve, Signer: l.Ada})
			return err
		}, func(l *life) (bool, error) {
			a, err := l.Forge.Activity(l.Context(), l.id)
			return len(a.Reviews) > 0, err
		}},
		{"merge", func(l *life) error {
			out, err := merge.Run(l.Context(), l.Workspace, l.id, kublai, false)
			if err == nil && !out.Merged {
				err = errors.New(out.Refused)
			}
			return err
		}, func(l *life) (bool, error) { return l.isMerged(l.id) }},
		{"undo", func(l *life) error {
			cur, err := l.Session(l.Context())
			if err != nil {
				return err
			}
			p, err := l.pull(l.id)
			if err != nil {
				return err
			}
			r, _, err := propose.Undo(cur, p)
			if err != nil {
				return err
			}
			r.By, r.Author = kublai, gitstore.Person{Name: "kublai", Email: "kublai@agents.invalid", When: l.Now()}
			return l.propose(r, l.undo)
		}, func(l *life) (bool, error) { return l.isOpen(l.undo) }},
		{"withdraw", func(l *life) error {
			cur, err := l.Session(l.Context())
			if err != nil {
				return err
			}
			p, err := l.pull(l.undo)
			if err == nil {
				_, err = propose.Withdraw(l.Context(), cur, p, kublai, "no need")
			}
			return err
		}, func(l *life) (bool, error) {
			p, err := l.pull(l.undo)
			return p.State == forge.Closed, err
		}},
	}
}

// stage is a workspace on disk with the user's home, between two steps.
type stage struct{ repo, home string }

// copied copies into memory, where there is such a thing: there are hundreds of copies.
func (s stage) copied(t *testing.T) stage {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "assent-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	c := stage{filepath.Join(dir, "repo"), filepath.Join(dir, "home")}
	for from, to := range map[string]string{s.repo: c.repo, s.home: c.home} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// at opens a stage, on a disk. Clock and chance are those of the step, so that
// every copy does the same.
func (l *life) at(s stage, disk gitstore.Disk, n int) *life {
	l.Helper()
	l.Setenv("ASSENT_HOME", s.home)
	if disk == nil {
		disk = &disktest.Disk{} // which waits for no real disk
	}
	repo, err := gitstore.OpenOn(disk, s.repo)
	l.OK(err)
	w := &world{&worldtest.World{T: l.T, Ada: l.Ada, Agents: l.Agents, Clock: time.Date(2026, 3, 11, n, 0, 0, 0, time.UTC)}}
	w.Workspace = workspace.Of(repo, workspace.Surroundings{Now: w.Tick, Random: rand.NewChaCha8([32]byte{byte(n)})})
	return &life{world: w, id: l.id, undo: l.undo}
}

// begin makes a workspace, and finds out which ids the proposals will have.
func begin(t *testing.T) (*life, stage) {
	d := newWorld(t)
	l := &life{world: d}
	// A bare repository: git's writes to a checkout are not under test.
	d.OK(os.WriteFile(filepath.Join(d.Repo.CommonDir(), "config"), []byte("[core]\n\trepositoryformatversion = 0\n\tbare = true\n"), 0o666))
	d.merged(skill("bowline")...)
	return l, stage{d.Repo.CommonDir(), os.Getenv("ASSENT_HOME")}
}

// holds requires the invariants of a workspace.
func (l *life) holds(before map[string]tree.Hash, when string) {
	l.Helper()
	refs, err := l.Repo.Refs("refs/")
	if err != nil {
		l.Fatalf("%s: %v", when, err)
	}
	now := map[string]tree.Hash{}
	for _, r := range refs {
		now[r.Name] = r.Hash
	}
	for name, was := range before {
		is, there := now[name]
		if !there && strings.HasPrefix(name, "refs/heads/proposal/") {
			continue
		}
		if grown, err := l.Repo.IsAncestor(was, is); err != nil || !grown {
			l.Fatalf("%s: %s was at %s, is at %s: acknowledged and lost (%v)", when, name, was.Short(), is.Short(), err)
		}
	}
	cur, err := l.Session(l.Context())
	if err != nil {
		l.Fatalf("%s: %v", when, err)
	}
	if len(cur.Blocked) > 0 || !l.has(cur, "bowline") {
		l.Fatalf("%s: blocked: %v", when, cur.Blocked)
	}
	pulls, err := l.Forge.List(l.Context(), forge.Filter{})
	if err != nil {
		l.Fatalf("%s: %v", when, err)
	}
	for _, p := range pulls {
		if _, err := cur.Examine(l.Context(), p.ID); err != nil {
			l.Fatalf("%s: %s: %v", when, p.ID, err)
		}
	}
}

// carriesOn does the step again, unless it is done, and has everything audited.
func (l *life) carriesOn(s step, when string) {
	l.Helper()
	done, err := s.done(l)
	if err == nil && !done {
		err = s.run(l)
	}
	if err == nil {
		done, err = s.done(l)
	}
	if err != nil || !done {
		l.Fatalf("%s: the next command does not carry on: done %v, %v", when, done, err)
	}
	if res, err := audit.Verify(l.Context(), l.Workspace, nil); err != nil || res.Broken != nil {
		l.Fatalf("%s: audit: %+v, %v", when, res.Broken, err)
	}
}

func refsOf(t *testing.T, r *gitstore.Repo) map[string]tree.Hash {
	t.Helper()
	refs, err := r.Refs("refs/")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]tree.Hash{}
	for _, r := range refs {
		out[r.Name] = r.Hash
	}
	return out
}

// TestLifeIsCut kills each step of a proposal's life at every operation on the disk (every
// fourth in a plain run), and cuts the power after some of them (all, by night). Nothing that was
// acknowledged is lost, and the next command carries on.
func TestLifeIsCut(t *testing.T) {
	l, at := begin(t)
	top := t
	for n, s := range steps() {
		t.Run(s.name, func(t *testing.T) {
			l.T = t
			whole, disk := at.copied(top), &disktest.Disk{} // the next step begins there
			lives := l.at(whole, disk, n)
			before := refsOf(t, lives.Repo)
			l.OK(s.run(lives))
			l.learn(lives, n)
			ops := disk.Ops()
			kinds := map[disktest.Kind]int{}
			sites := map[string]bool{}
			for i, op := range ops {
				if strings.Contains(op.Path, "claims") && !effort.Nightly() {
					continue // package gitstore kills those
				}
				kinds[op.Kind]++
				sites[op.Site] = true
				if i%effort.Of(4, 1, 1) != 0 {
					continue
				}
				l.killed(s, at.copied(t), before, i+1, n)
				if i%effort.Of(16, 4, 1) == 0 {
					l.powerless(s, at, whole, ops, before, i, n)
				}
			}
			l.powerless(s, at, whole, ops, before, len(ops), n)
			t.Logf("killed at operations of %d places: %v", len(sites), kinds)
			at = whole
		})
	}
}

// learn remembers the ids that the steps gave.
func (l *life) learn(after *life, n int) {
	pulls, err := after.Forge.List(l.Context(), forge.Filter{State: forge.Open})
	l.OK(err)
	ids := slices.Collect(maps.Keys(pullIDs(pulls)))
	switch {
	case n == 0:
		l.id = ids[0]
	case l.undo == "" && len(ids) == 1 && ids[0] != l.id:
		l.undo = ids[0]
	}
}

func pullIDs(pulls []forge.Pull) map[string]bool {
	out := map[string]bool{}
	for _, p := range pulls {
		out[p.ID] = true
	}
	return out
}

func (l *life) killed(s step, at stage, before map[string]tree.Hash, op, n int) {
	l.Helper()
	disk := &disktest.Disk{DieAt: op}
	err := s.run(l.at(at, disk, n))
	last := disk.Ops()[op-1]
	when := fmt.Sprintf("killed at operation %d (%s at %s)", op, last.Kind, last.Site)
	again := l.at(at, nil, n)
	again.Clock = again.Clock.Add(time.Second)
	again.holds(before, when)
	if done, derr := s.done(again); err == nil && (!done || derr != nil) {
		l.Fatalf("%s: it says that it was done and it is not (%v)", when, derr)
	}
	for _, lock := range again.staleLocks() { // in the instant before a lock is claimed
		l.OK(os.Remove(lock.Path))
	}
	again.carriesOn(s, when)
	os.RemoveAll(filepath.Dir(at.repo))
}

// staleLocks are those that no claim proves to be a dead process's.
func (l *life) staleLocks() []gitstore.Lock {
	l.Helper()
	l.OK(l.Repo.Sync())
	locks, err := l.Repo.StaleLocks()
	l.OK(err)
	return locks
}

func (l *life) powerless(s step, at, whole stage, ops []disktest.Op, before map[string]tree.Hash, op, n int) {
	l.Helper()
	for i, loss := range []disktest.Loss{disktest.LoseAll, disktest.LoseContent, disktest.LoseSome} {
		if op%3 != i && op < len(ops) && !effort.Nightly() {
			continue
		}
		left := at.copied(l.T)
		when := fmt.Sprintf("power cut after operation %d of %d, loss %d", op, len(ops), loss)
		chance := rand.New(rand.NewPCG(uint64(op), uint64(i))) //nolint:gosec // the same cuts every time
		l.OK(disktest.Cut(left.repo, whole.repo, ops, op, loss, chance))
		again := l.at(left, nil, n)
		again.holds(before, when)
		if done, err := s.done(again); op == len(ops) && (!done || err != nil) {
			l.Fatalf("%s: acknowledged and lost (%v)", when, err)
		}
		for _, lock := range again.staleLocks() {
			l.OK(os.Remove(lock.Path))
		}
		again.carriesOn(s, when)
		os.RemoveAll(filepath.Dir(left.repo))
	}
}

// A reader that sees a merge between its move of main and the sync of it remembers it; a power cut
// after that must not look like a rollback.
func TestSeenBeforeItWasSynced(t *testing.T) {
	l, at := begin(t)
	for n, s := range steps()[:3] {
		l.OK(s.run(l.at(at, nil, n)))
		l.learn(l.at(at, nil, n), n)
	}
	whole, disk := at.copied(t), &disktest.Disk{}
	l.OK(steps()[3].run(l.at(whole, disk, 3)))
	moved := slices.IndexFunc(disk.Ops(), func(op disktest.Op) bool {
		return op.Kind == disktest.Rename && strings.HasSuffix(op.To, "refs/heads/main")
	})
	live, dying, watching := at.copied(t), &disktest.Disk{DieAt: moved + 2}, &disktest.Disk{}
	_ = steps()[3].run(l.at(live, dying, 3))
	saw, err := l.at(live, watching, 4).Session(t.Context())
	l.OK(err)
	left := at.copied(t)
	l.OK(disktest.Cut(left.repo, live.repo, append(dying.Ops(), watching.Ops()...), moved+2+len(watching.Ops()), disktest.LoseAll, nil))
	after, err := l.at(stage{left.repo, live.home}, nil, 5).Session(t.Context())
	if err != nil || after.InForce != saw.InForce {
		t.Errorf("it saw %s, and after the power cut: %s, %v", saw.InForce.Short(), after.InForce.Short(), err)
	}
}
