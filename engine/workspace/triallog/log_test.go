package triallog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/registry/trial"
)

const genesis = "1111111111111111111111111111111111111111"

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func used(name string, o trial.Outcome) trial.Observation {
	return trial.Observation{At: noon, Source: trial.Engine, Level: trial.Followed, Capability: name, Version: "1.0.0", Outcome: o}
}

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

func record(t testing.TB, l Log, observed ...trial.Observation) []trial.Trial {
	t.Helper()
	out, err := l.Record(context.Background(), observed...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t testing.TB, l Log) *Reading {
	t.Helper()
	var r Reading
	if err := l.Refresh(&r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// total is how many trials a reading counts.
func total(r *Reading) (n int64) {
	for _, c := range r.Book.All() {
		n += c.Trials()
	}
	return n
}

// TestMain lets this test be another process: it records until it is killed, and writes the
// id of each trial that was acknowledged.
func TestMain(m *testing.M) {
	dir := os.Getenv("TRIALLOG_TEST_DIR")
	if dir == "" {
		os.Exit(m.Run())
	}
	repo, err := gitstore.Open(dir)
	for n := 0; err == nil; n++ {
		var out []trial.Trial
		out, err = newLog(repo, genesis, time.Now).Record(context.Background(), used("a", trial.Success), used("b", trial.Failure))
		for _, t := range out {
			fmt.Println(t.ID)
		}
		if n%20 == 19 && err == nil {
			err = newLog(repo, genesis, time.Now).Commit(context.Background())
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestKilled: acknowledged trials survive a kill of their process at any point: also beside other
// processes, and in the middle of a commit. Nothing counts twice.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	storetest.Git(t, dir, "init", "-q")
	acknowledged := map[string]bool{}
	var mu sync.Mutex
	for round := range 4 {
		var all sync.WaitGroup
		for range 2 {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "TRIALLOG_TEST_DIR="+dir)
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			all.Go(func() {
				lines := bufio.NewScanner(out)
				for n := 0; lines.Scan(); n++ {
					mu.Lock()
					acknowledged[lines.Text()] = true
					mu.Unlock()
					if n == 37+13*round {
						_ = cmd.Process.Kill()
					}
				}
				_ = cmd.Wait()
			})
		}
		all.Wait()
	}
	l := newLog(storetest.Open(t, dir), genesis, time.Now)
	before := total(read(t, l))
	record(t, l, used("c", trial.Success)) // the next writer repairs a truncated line
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	problems, err := l.Visit(0, func(k Kept) bool {
		if found[k.ID.String()] {
			t.Errorf("%s is there twice", k.ID)
		}
		found[k.ID.String()] = true
		return true
	})
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	for id := range acknowledged {
		if !found[id] {
			t.Errorf("%s was acknowledged, and is lost", id)
		}
	}
	if n := total(read(t, l)); n != int64(len(found)) || n != before+1 {
		t.Errorf("%d are counted, %d before, and %d are there", n, before, len(found))
	}
	own, err := l.Own()
	tip, herr := l.head(own)
	if err := errors.Join(err, herr, Continues(l, own, tree.Hash{}, tip)); err != nil {
		t.Error(err)
	}
	storetest.Git(t, dir, "fsck", "--strict")
}

// TestTurns: processes and goroutines take turns, and every trial counts once.
func TestTurns(t *testing.T) {
	repo := storetest.NewRepo(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				if _, err := newLog(repo, genesis, time.Now).Record(context.Background(), used("a", trial.Success)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := total(read(t, newLog(repo, genesis, time.Now))); n != 40 {
		t.Error(n)
	}
}

// TestClockSetBack: ids ascend in the order of recording whatever the clock says, because an export goes on after the
// last id that it sent.
func TestClockSetBack(t *testing.T) {
	repo := storetest.NewRepo(t)
	var last trial.ID
	for i, days := range []int{0, -2, -1, -400, 1, 0} {
		l := newLog(repo, genesis, at(noon.AddDate(0, 0, days)))
		for _, r := range record(t, l, used("a", trial.Success), used("b", trial.Failure)) {
			if r.ID.Compare(last) <= 0 {
				t.Errorf("record %d: %s comes after %s", i, r.ID, last)
			}
			last = r.ID
		}
		if i%2 == 1 {
			if err := l.Commit(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestBatches: many trials become batches by day and of bounded size, counted the same before and
// after their commit; trials that wait too long are committed by the next record.
func TestBatches(t *testing.T) {
	repo := storetest.NewRepo(t)
	l := newLog(repo, genesis, at(noon))
	var many []trial.Observation
	for n := range 2*MaxBatch + 7 {
		many = append(many, used(fmt.Sprint("tool-", n%50), trial.Success))
	}
	record(t, l, many...)
	own, _ := l.Own()
	tip, _ := l.head(own)
	if _, b, err := l.signed(tip, own); err != nil || b.sequence != 3 || b.trials != 7 {
		t.Fatalf("%+v, %v", b, err)
	}
	record(t, l, used("late", trial.Success))
	if again, _ := l.head(own); again != tip {
		t.Error("one trial is a batch at once")
	}
	if n := total(read(t, l)); n != 2*MaxBatch+8 {
		t.Error(n)
	}
	record(t, newLog(repo, genesis, at(noon.Add(MaxWait))), used("later", trial.Success))
	record(t, newLog(repo, genesis, at(noon.AddDate(0, 1, 0))), used("much-later", trial.Success))
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	r := read(t, l)
	if n := total(r); n != 2*MaxBatch+10 || len(r.Problems) > 0 {
		t.Error(n, r.Problems)
	}
	tip, _ = l.head(own)
	if err := Continues(l, own, tree.Hash{}, tip); err != nil {
		t.Error(err)
	}
	var order []string
	_, err := l.Visit(trial.DayOf(noon), func(k Kept) bool {
		order = append(order, k.Capability)
		return len(order) < 3
	})
	if err != nil || strings.Join(order, " ") != "much-later later late" {
		t.Error(order, err)
	}
	if _, err := l.Visit(trial.DayOf(noon)+1, func(k Kept) bool {
		if k.Capability != "much-later" {
			t.Error(k.Capability)
		}
		return true
	}); err != nil {
		t.Error(err)
	}
}

// TestSegments: the counts of a month go on in another file, so that a commit writes a
// bounded number of bytes again.
func TestSegments(t *testing.T) {
	repo := storetest.NewRepo(t)
	l := newLog(repo, genesis, at(noon))
	for n := range 4 {
		var many []trial.Observation
		for i := range MaxBatch {
			many = append(many, used(fmt.Sprintf("tool-%d-%d", n, i), trial.Success))
		}
		record(t, l, many...)
	}
	own, _ := l.Own()
	tip, _ := l.head(own)
	files, err := l.counts(tip)
	if err != nil || len(files) != 4 {
		t.Error(files, err)
	}
	if err := Continues(l, own, tree.Hash{}, tip); err != nil {
		t.Error(err)
	}
	if n := total(read(t, l)); n != 4*MaxBatch {
		t.Error(n)
	}
}

// TestTornAndDamaged: a line that was cut was never acknowledged; one that cannot be read is
// set aside, and hinders nothing.
func TestTornAndDamaged(t *testing.T) {
	repo := storetest.NewRepo(t)
	l := newLog(repo, genesis, at(noon))
	record(t, l, used("a", trial.Success))
	file := filepath.Join(repo.CommonDir(), "assent", "trials", pendingFile)
	add := func(text string) {
		t.Helper()
		if err := l.files.Append(pendingFile, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	add(`{"v":1,"id":"0`)
	if n := total(read(t, l)); n != 1 {
		t.Error(n)
	}
	record(t, l, used("b", trial.Success))
	add("rubbish\n")
	record(t, l, used("c", trial.Success))
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(filepath.Join(filepath.Dir(file), damagedFile))
	if n := total(read(t, l)); n != 3 || string(data) != "rubbish\n" {
		t.Errorf("%d, %q", n, data)
	}
}

// TestCutBeforeEmptying: a process that ends between a commit and the emptying of its file
// leaves trials at both places. They count once.
func TestCutBeforeEmptying(t *testing.T) {
	repo := storetest.NewRepo(t)
	l := newLog(repo, genesis, at(noon))
	record(t, l, used("a", trial.Success), used("b", trial.Failure))
	file := filepath.Join(repo.CommonDir(), "assent", "trials", pendingFile)
	data, err := os.ReadFile(file)
	if err == nil {
		err = whole(t, l)
	}
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := total(read(t, l)); n != 2 {
		t.Error(n)
	}
	record(t, l, used("c", trial.Success))
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	if n := total(read(t, l)); n != 3 {
		t.Error(n)
	}
}

// TestRefresh: a refreshed reading gives the same book as a new one.
func TestRefresh(t *testing.T) {
	repo := storetest.NewRepo(t)
	l := newLog(repo, genesis, at(noon))
	var r Reading
	for n := range 6 {
		record(t, l, used("a", trial.Success), used(fmt.Sprint("b", n), trial.Failure))
		if n%2 == 1 {
			if err := whole(t, l); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Refresh(&r); err != nil {
			t.Fatal(err)
		}
		fresh := read(t, l)
		trust := trial.Trust{Own: r.Own}
		if a, b := r.Book.Of("a", "1.0.0", trust), fresh.Book.Of("a", "1.0.0", trust); a.Successes != float64(n+1) || fmt.Sprint(a) != fmt.Sprint(b) || total(&r) != total(fresh) {
			t.Errorf("%d: %+v, %+v", n, a, b)
		}
	}
	storetest.Git(t, repo.CommonDir(), "update-ref", "-d", Ref(r.Own))
	if err := l.Refresh(&r); err != nil || total(&r) != 0 {
		t.Error(total(&r), err)
	}
}

// forge writes a commit with a journal's form and any tree.
func forge(t *testing.T, l Log, change func(*gitstore.Commit, *batch), edits ...tree.Edit) tree.Hash {
	t.Helper()
	signer, w, err := l.ownKey()
	if err != nil {
		t.Fatal(err)
	}
	tip, _ := l.head(w)
	_, b, err := l.signed(tip, w)
	if err != nil {
		t.Fatal(err)
	}
	view, _ := l.repo.Snapshot(tip)
	root, err := l.repo.WriteTree(view.Tree(), edits)
	if err != nil {
		t.Fatal(err)
	}
	b.sequence++
	c := gitstore.Commit{Tree: root, Parents: []tree.Hash{tip}, Author: storetest.Person(0), Committer: storetest.Person(0)}
	change(&c, &b)
	c.Message = b.message()
	h, err := l.repo.WriteCommit(c, func(payload []byte) (string, error) {
		armored, err := review.SignCommit(payload, signer)
		return string(armored), err
	})
	if err == nil {
		err = l.repo.Update(gitstore.RefUpdate{Name: Ref(w), Old: tip, New: h})
	}
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestForged: a journal whose commits are not batches with their sums is not taken, and one
// that another key or workspace signed counts for nothing.
func TestForged(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*gitstore.Commit, *batch)
		edits  []tree.Edit
		want   string
	}{
		"counts without records": {func(*gitstore.Commit, *batch) {}, storetest.Files("2026/11/counts/0000.tsv", "assent-counts 1\n2026-11-21\ta\t1.0.0\t\t\t\tengine\tfollowed\t900\t0\t900\t0\t0\t0\t0\n"), "changes 1 files"},
		"records without counts": {func(*gitstore.Commit, *batch) {}, storetest.Files("2026/11/21/0/02.jsonl", "{}\n"), "changes 1 files"},
		"records that are none": {
			func(*gitstore.Commit, *batch) {},
			storetest.Files("2026/11/21/0/02.jsonl", "{}\n", "2026/11/counts/0000.tsv", "assent-counts 1\n"), "record 1",
		},
		"an old record removed": {
			func(*gitstore.Commit, *batch) {},
			[]tree.Edit{{Path: "2026/11/21/0/01.jsonl"}, {Path: "2026/11/counts/0000.tsv"}}, "its records",
		},
		"another number":    {func(_ *gitstore.Commit, b *batch) { b.sequence = 9 }, nil, "number 9"},
		"cut off":           {func(c *gitstore.Commit, _ *batch) { c.Parents = nil }, nil, "cut or forked"},
		"another journal":   {func(_ *gitstore.Commit, b *batch) { b.writer = trial.WriterOf([]byte("x")) }, nil, "another installation"},
		"another workspace": {func(_ *gitstore.Commit, b *batch) { b.workspace = strings.Repeat("2", 40) }, nil, "another workspace"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(storetest.NewRepo(t), genesis, at(noon))
			record(t, l, used("a", trial.Success))
			if err := whole(t, l); err != nil {
				t.Fatal(err)
			}
			own, _ := l.Own()
			before, _ := l.head(own)
			after := forge(t, l, tc.change, tc.edits...)
			err := Continues(l, own, before, after)
			if !errors.Is(err, ErrJournal) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

// TestStrangers: a ref that is no journal of its name is named, and hinders no other one.
func TestStrangers(t *testing.T) {
	repo := storetest.NewRepo(t)
	l := newLog(repo, genesis, at(noon))
	record(t, l, used("a", trial.Success))
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	own, _ := l.Own()
	tip, _ := l.head(own)
	stray := storetest.Commit(t, repo, tree.Hash{}, 1, storetest.Files("x", "y")...)
	storetest.Update(t, repo, Prefix+"somebody", tree.Hash{}, tip)
	storetest.Update(t, repo, Ref(trial.WriterOf([]byte("other"))), tree.Hash{}, tip)
	storetest.Update(t, repo, Ref(trial.WriterOf([]byte("third"))), tree.Hash{}, stray)
	r := read(t, l)
	problems, err := l.Visit(0, func(Kept) bool { return true })
	if err != nil || len(problems) != 3 || len(r.Problems) != 3 || total(r) != 1 {
		t.Errorf("%v, %v, %v, %d", err, problems, r.Problems, total(r))
	}
	other := read(t, newLog(repo, strings.Repeat("2", 40), at(noon)))
	if total(other) != 0 || len(other.Problems) != 4 {
		t.Errorf("another workspace counts %d, %v", total(other), other.Problems)
	}
}

// TestMissions: a mission is what this installation recorded, committed or not, and other journals
// add nothing to it.
func TestMissions(t *testing.T) {
	repo, now := storetest.NewRepo(t), noon
	l := newLog(repo, genesis, func() time.Time { return now })
	of := func(mission, name string, o trial.Outcome) trial.Observation {
		out := used(name, o)
		out.Mission = mission
		return out
	}
	if got, err := Missions(l, 0, ""); err != nil || len(got) != 0 {
		t.Fatal(got, err)
	}
	record(t, l, of("m-1", "a", trial.Success), of("m-2", "b", trial.Failure), used("c", trial.Success))
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	now = noon.Add(time.Hour)
	record(t, l, of("m-1", "a", trial.Failure))
	own, _ := l.Own()
	tip, _ := l.head(own)
	storetest.Update(t, repo, Ref(own)+"x", tree.Hash{}, tip)
	storetest.Update(t, repo, Ref(trial.WriterOf([]byte("other"))), tree.Hash{}, tip)
	got, err := Missions(l, 0, "")
	if err != nil || len(got) != 2 || got[0].ID != "m-1" || !got[0].Begun.Equal(noon) || !got[0].Last.Equal(now) || len(got[0].Uses) != 1 || got[0].Uses[0].Success != 1 || got[0].Uses[0].Failure != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if one, err := Missions(l, 0, "m-2"); err != nil || len(one) != 1 || one[0].Uses[0].Failure != 1 {
		t.Errorf("%+v, %v", one, err)
	}
	if late, err := Missions(l, trial.DayOf(noon)+1, "m-1"); err != nil || len(late) != 0 {
		t.Errorf("%+v, %v", late, err)
	}
}

// TestLessonsOfKnownWriters: this installation and the listed ones teach, committed or not. Texts of
// other journals teach nothing.
func TestLessonsOfKnownWriters(t *testing.T) {
	repo := storetest.NewRepo(t)
	done := func(name, task string) trial.Observation {
		o := used(name, trial.Success)
		o.Task = task
		return o
	}
	first := newLog(repo, genesis, at(noon))
	record(t, first, done("a", "sort the list"), used("b", trial.Success))
	if err := whole(t, first); err != nil {
		t.Fatal(err)
	}
	other, _ := first.Own()
	if err := os.RemoveAll(filepath.Join(repo.CommonDir(), "assent", "trials")); err != nil { // from now on another installation
		t.Fatal(err)
	}
	l := newLog(repo, genesis, at(noon))
	if got, _, err := Lessons(l, nil); err != nil || len(got) != 0 {
		t.Fatal(got, err)
	}
	record(t, l, done("c", "count the lines"))
	for _, tc := range []struct {
		listed []trial.Writer
		want   string
	}{{nil, "c"}, {[]trial.Writer{other}, "ac"}, {[]trial.Writer{other, other, trial.WriterOf([]byte("nobody"))}, "ac"}} {
		got, _, err := Lessons(l, tc.listed)
		var names []string
		for _, lesson := range got {
			names = append(names, lesson.Capability)
		}
		slices.Sort(names)
		if err != nil || strings.Join(names, "") != tc.want {
			t.Errorf("listed %v: %+v, %v", tc.listed, got, err)
		}
	}
}

// TestDeeds: missions and critiques of this installation and of listed ones are summed up, from a time on.
func TestDeeds(t *testing.T) {
	repo := storetest.NewRepo(t)
	judged := func(satisfaction float64, text string) trial.Observation {
		o := used("a", trial.Open)
		return trial.Observation{At: o.At, Source: trial.Human, Level: trial.Judged, Capability: "a", Critic: &trial.Critique{Satisfaction: satisfaction, By: trial.Rules, Issues: []string{text}}}
	}
	in := func(mission string, o trial.Outcome) trial.Observation {
		u := used("a", o)
		u.Mission = mission
		return u
	}
	first := newLog(repo, genesis, at(noon))
	record(t, first, in("m-1", trial.Failure), judged(0, "theirs"))
	if err := whole(t, first); err != nil {
		t.Fatal(err)
	}
	other, _ := first.Own()
	if err := os.RemoveAll(filepath.Join(repo.CommonDir(), "assent", "trials")); err != nil {
		t.Fatal(err)
	}
	l := newLog(repo, genesis, at(noon.Add(time.Hour)))
	record(t, l, in("m-2", trial.Success), judged(1, "ours"))
	if m, trials, err := MissionTrials(l, "m-2"); err != nil || len(trials) != 1 || len(m.Uses) != 1 {
		t.Error(m, trials, err)
	}
	for _, tc := range []struct {
		listed           map[string]trial.Writer
		since            time.Time
		missions, issues int
		satisfaction     float64
	}{
		{nil, time.Time{}, 1, 1, 1}, {map[string]trial.Writer{"ben": other}, time.Time{}, 2, 2, 0.5}, {map[string]trial.Writer{"ben": other}, noon.Add(time.Minute), 1, 1, 1},
	} {
		deeds, err := ReadDeeds(l, tc.listed, 0)
		if err != nil {
			t.Fatal(err)
		}
		did := deeds.Of("A", tc.since)
		if did.Missions != tc.missions || len(did.Issues) != tc.issues || *did.Satisfaction != tc.satisfaction || did.Successes+did.Failures != 0 {
			t.Errorf("%v: %+v", tc, did)
		}
		if none := deeds.Of("b", tc.since); none.Known() {
			t.Errorf("%+v", none)
		}
	}
}

// TestDeedsByUse: a mission counts from when it used the capability, whenever it began, and one that was only
// linked with it does not.
func TestDeedsByUse(t *testing.T) {
	merged, in := noon.Add(time.Hour), func(mission, name string, o trial.Outcome) trial.Observation {
		u := used(name, o)
		u.Mission = mission
		return u
	}
	verdict := func(mission, name string, o trial.Outcome) trial.Observation {
		v := in(mission, name, o)
		v.Level = trial.Verdict
		return v
	}
	now := noon
	l := newLog(storetest.NewRepo(t), genesis, func() time.Time { return now })
	record(t, l, trial.LinkOf(in("lacked", "other", trial.Open)), in("before", "tool", trial.Success))
	now = merged.Add(time.Minute)
	record(t, l, in("lacked", "tool", trial.Success), verdict("lacked", "tool", trial.Success), verdict("before", "tool", trial.Success),
		trial.LinkOf(in("linked", "tool", trial.Open)), verdict("linked", "tool", trial.Failure))
	deeds, err := ReadDeeds(l, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if did := deeds.Of("tool", merged); did.Missions != 1 || did.Successes != 1 || did.Failures != 0 {
		t.Errorf("since the merge: %+v", did)
	}
	if did := deeds.Of("tool", time.Time{}); did.Missions != 2 || did.Successes != 2 || did.Failures != 0 {
		t.Errorf("ever: %+v", did)
	}
}

// TestForgedCounts: a batch whose records are sound and whose counts are not their sum is not taken.
func TestForgedCounts(t *testing.T) {
	for _, failures := range []string{"1", "900"} {
		l := newLog(storetest.NewRepo(t), genesis, at(noon))
		record(t, l, used("a", trial.Success))
		if err := whole(t, l); err != nil {
			t.Fatal(err)
		}
		own, _ := l.Own()
		before, _ := l.head(own)
		_, b, err := l.signed(before, own)
		if err != nil {
			t.Fatal(err)
		}
		next := trial.Trial{V: trial.FormatVersion, ID: trial.Next(b.last, noon, own), Observation: used("b", trial.Failure)}
		line, err := next.Encode()
		if err != nil {
			t.Fatal(err)
		}
		counts := "assent-counts 1\n2026-11-21\ta\t1.0.0\t\t\t\tengine\tfollowed\t1\t1\t0\t0\t0\t0\t0\n2026-11-21\tb\t1.0.0\t\t\t\tengine\tfollowed\tN\t0\tN\t0\t0\t0\t0\n"
		after := forge(t, l, func(_ *gitstore.Commit, b *batch) { b.last, b.trials = next.ID, 1 },
			storetest.Files("2026/11/21/0/02.jsonl", string(line), "2026/11/counts/0000.tsv", strings.ReplaceAll(counts, "N", failures))...)
		err = Continues(l, own, before, after)
		if sound := failures == "1"; sound != (err == nil) || !sound && !strings.Contains(err.Error(), "not the sum") {
			t.Errorf("%s failures of one record: %v", failures, err)
		}
	}
}
