package triallog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/trialdb/pgtest"
)

// told is what two installations recorded in five days, as one of them answers questions about it.
type told struct {
	Trials   []Kept
	Newest   []Kept
	Counts   map[string]string
	Health   map[trial.Writer]health.Records
	Missions []trial.Mission
	Known    []trial.Mission
	Lessons  []trial.Lesson
	Critics  []trial.Trial
	Did      Did
	Rates    map[string]*float64
	Erased   int
}

// tell records a story in the store of the test, and asks.
func tell(t *testing.T) (out told) {
	t.Helper()
	here, there := storetest.NewRepo(t), storetest.NewRepo(t)
	now := noon
	clock := func() time.Time { return now }
	a, b := newLog(here, genesis, clock), newLog(there, genesis, clock)
	for day := range 5 {
		now = noon.AddDate(0, 0, day)
		for i, l := range []Log{a, b} {
			for n := range 40 {
				agent := []string{"scout", "marco"}[n%2]
				o := personal(agent, fmt.Sprintf("m-%d-%d", day, n/8), trial.Success)
				o.Cost, o.Tokens, o.Model, o.Capability = 0.001234, int64(n), []string{"large", "small"}[n%3%2], []string{"csv", "pdf"}[n%5%2]
				switch {
				case n%7 == 6:
					o.Outcome, o.Error = trial.Failure, "timeout"
				case n%8 == 7:
					o.Level, o.Blob, o.Settles = trial.Verdict, "", 3
				case n == 20:
					o = health.Evidence{Kind: health.Suite, Outcome: health.Mixed, At: noon, Mastery: 0.5, Report: "sha256:1", Cases: []health.Case{{ID: "own: a", Cause: "it was 2"}}}.Observation("csv", blobOf(1), "1.0.0")
				case n == 25:
					o = trial.Observation{At: noon, Source: trial.Self, Agent: agent, Mission: o.Mission, Level: trial.Judged, Capability: "csv", Version: "1.0.0",
						Critic: &trial.Critique{Satisfaction: 0.25 * float64(i+1), By: "rules", Issues: []string{"an issue"}}}
				case n%4 == 1:
					o.Source, o.Tags = trial.Self, []string{"eu"}
				}
				record(t, l, o)
				now = now.Add(10 * time.Millisecond)
			}
			if err := l.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(whole(t, a), whole(t, b)); err != nil {
		t.Fatal(err)
	}
	own, _ := a.Own()
	other, _ := b.Own()
	listed := map[string]trial.Writer{"other": other}
	follow := func() {
		tip, _ := a.head(other)
		storetest.Git(t, here.CommonDir(), "fetch", "-q", there.CommonDir(), "+refs/assent/trials/*:refs/assent/trials/*")
		next, _ := a.head(other)
		if err := Continues(a, other, tip, next); err != nil {
			t.Fatal(err)
		}
	}
	follow()
	for i, l := range []Log{a, b} {
		n, err := Erase(t.Context(), l, Selection{Mission: "m-2-1"}, false)
		if err != nil {
			t.Fatal(err)
		}
		out.Erased += n * (i + 1)
	}
	follow()
	a = newLog(here, genesis, clock, other)
	var problems []error
	visit, err := a.Visit(0, func(k Kept) bool { out.Trials = append(out.Trials, k); return true })
	newest, more, nerr := Newest(a, 0, 100)
	out.Newest = newest
	r := read(t, a)
	problems = slices.Concat(visit, more, r.Problems, []error{err, nerr})
	out.Counts, out.Rates, out.Health = map[string]string{}, map[string]*float64{}, map[trial.Writer]health.Records{}
	for w, c := range r.Book.All() {
		for k, n := range c {
			out.Counts[fmt.Sprint(w, k)] = fmt.Sprint(n)
		}
	}
	for _, name := range r.Book.Names() {
		out.Rates[name] = r.Book.LinkRate(name, "1.0.0", trial.Trust{Own: own, Listed: []trial.Writer{other}}, "large")
	}
	if out.Missions, err = Missions(a, 0, ""); err != nil {
		t.Fatal(err)
	}
	out.Known, err = KnownMissions(a, listed)
	problems = append(problems, err)
	out.Lessons, out.Critics, err = Lessons(a, []trial.Writer{other})
	problems = append(problems, err)
	deeds, err := ReadDeeds(a, listed, 0)
	out.Did = deeds.Of("csv", time.Time{})
	h := NewHealth(a, listed, health.Thresholds{Degraded: 3})
	_, herr := h.All()
	if err := errors.Join(append(problems, err, herr)...); err != nil {
		t.Fatal(err)
	}
	for w, j := range h.known.Journals {
		out.Health[w] = j.Records
	}
	return out.named(t, map[trial.Writer]string{own: "own", other: "other"})
}

// named replaces the names of writers, which are random, and the ids.
func (x told) named(t *testing.T, names map[trial.Writer]string) (out told) {
	t.Helper()
	marks := map[string]string{}
	data, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for w, name := range names {
		text = strings.ReplaceAll(text, string(w), strings.Repeat(fmt.Sprintf("%02x", name[1]), 20))
		marks[name] = trial.Next(trial.ID{}, noon, w).String()[10:18]
		text = strings.ReplaceAll(text, marks[name], "0000000"+fmt.Sprint(len(name)))
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]Kept{out.Trials, out.Newest} {
		slices.SortFunc(list, Kept.Compare) // in one day the order is that of the writers' names
		for i := range list {
			list[i].Call = ""
		}
	}
	slices.SortStableFunc(out.Lessons, func(a, b trial.Lesson) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	slices.SortFunc(out.Known, func(a, b trial.Mission) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	slices.SortFunc(out.Critics, func(a, b trial.Trial) int { return a.ID.Compare(b.ID) })
	return out
}

// TestSameAnswers: both stores give the same lists, counts, health, missions, lessons and critics, also after
// an erasure and in a clone that follows.
func TestSameAnswers(t *testing.T) {
	s := pgtest.Start(t)
	inGit := tell(t)
	use(t, s.Connection(pgtest.Database))
	inPostgres := tell(t)
	if len(inGit.Trials) != 400 || inGit.Erased == 0 {
		t.Error(len(inGit.Trials), inGit.Erased)
	}
	text := func(x told) string {
		data, err := json.MarshalIndent(x, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if d := cmp.Diff(strings.Split(text(inGit), "\n"), strings.Split(text(inPostgres), "\n")); d != "" {
		t.Error(d)
	}
}

// TestRolledUp: the journal holds the sums and the evidence of each day and no records, and goes on from
// each earlier state.
func TestRolledUp(t *testing.T) {
	s := pgtest.Start(t)
	use(t, s.Connection(pgtest.Database))
	l, own := recorded(t)
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	tip, _ := l.head(own)
	if err := Continues(l, own, tree.Hash{}, tip); err != nil {
		t.Error(err)
	}
	text := content(t, l, tip)
	for _, secret := range []string{"task of", "of-scout", "input of", "issue of"} {
		if strings.Contains(text, secret) {
			t.Errorf("the journal holds %q", secret)
		}
	}
	if n := strings.Count(text, "Assent-Trials: 2"); n != 5 {
		t.Errorf("%d roll-ups", n)
	}
	if waits, err := SpoolOf(l); err != nil || waits.Trials != 0 || waits.Bytes != 0 {
		t.Errorf("%+v, %v", waits, err)
	}
	if err := l.files.Remove(healthFile); err != nil { // no cache matters, and no database
		t.Fatal(err)
	}
	e := healthOf(t, NewHealth(New(l.repo, genesis, l.now), nil, health.Thresholds{Degraded: 3}), "csv", blobOf(1))
	if e.Uses != 20 || e.Failures != 10 || total(read(t, New(l.repo, genesis, l.now))) != 40 {
		t.Errorf("%+v", e)
	}
	if n, err := Erase(t.Context(), l, Selection{Agent: "scout"}, false); err != nil || n != 20 {
		t.Fatal(n, err)
	}
	after, _ := l.head(own)
	if err := errors.Join(Continues(l, own, tip, after), Continues(l, own, tree.Hash{}, after)); err != nil {
		t.Error(err)
	}
	if strings.Contains(content(t, l, after), "scout") {
		t.Error("the journal names an erased agent")
	}
	if n := s.SQL(t, pgtest.Database, `SELECT count(*) FROM "assent_`+genesis+`".trials WHERE record LIKE '%scout%'`); n[0] != "0" {
		t.Errorf("%s rows name an erased agent", n[0])
	}
	if waits, err := SpoolOf(l); err != nil || waits.Trials != 0 {
		t.Errorf("%+v, %v", waits, err)
	}
}

// visited returns the ids of all records, and the problems.
func visited(t *testing.T, l Log) (ids map[trial.ID]int, problems []error) {
	t.Helper()
	ids = map[trial.ID]int{}
	problems, err := l.Visit(0, func(k Kept) bool { ids[k.ID]++; return true })
	if err != nil {
		t.Fatal(err)
	}
	return ids, problems
}

// TestStopped: while the server is stopped, trials are acknowledged, count and wait. Once it is back, each is
// in it once.
func TestStopped(t *testing.T) {
	s := pgtest.Start(t)
	use(t, s.Connection(pgtest.Database))
	now := noon
	l := newLog(storetest.NewRepo(t), genesis, func() time.Time { return now })
	var all []trial.Trial
	step := func() { // as much as begins a batch
		now = now.Add(MaxWait)
		all = append(all, record(t, l, used("a", trial.Success), used("b", trial.Failure))...)
	}
	step()
	step()
	s.Stop()
	for range 3 {
		step()
		now = now.Add(retryAfter)
	}
	if err := l.Commit(t.Context()); !errors.Is(err, ErrDatabase) || !strings.Contains(err.Error(), "wait in") || !strings.Contains(err.Error(), "no PostgreSQL server answers") {
		t.Error(err)
	}
	waits, err := SpoolOf(l)
	if err != nil || waits.Trials != 10 || waits.Unsent == 0 || waits.Failed.IsZero() || total(read(t, l)) != 10 {
		t.Errorf("%+v, %v", waits, err)
	}
	if ids, problems := visited(t, l); len(ids) != 10 || len(problems) > 0 {
		t.Error(len(ids), problems)
	}
	now = now.AddDate(0, 0, 1)
	step()
	if n := total(read(t, l)); n != 12 {
		t.Error(n)
	}
	s.Run(t)
	if err := l.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if waits, err := SpoolOf(l); err != nil || waits.Trials != 2 || waits.Unsent != 0 || !waits.Failed.IsZero() {
		t.Errorf("%+v, %v", waits, err)
	}
	ids, problems := visited(t, l)
	for _, made := range all {
		if ids[made.ID] != 1 {
			t.Errorf("%s is there %d times", made.ID, ids[made.ID])
		}
	}
	if len(problems) > 0 || len(ids) != 12 || total(read(t, l)) != 12 {
		t.Error(len(ids), problems)
	}
	s.Stop() // records of rolled-up days are missing, and named; counts are not
	ids, problems = visited(t, l)
	if len(ids) != 2 || len(problems) != 1 || !errors.Is(problems[0], ErrDatabase) || total(read(t, l)) != 12 {
		t.Error(len(ids), problems)
	}
	if _, err := Erase(t.Context(), l, Selection{Agent: "x"}, false); !errors.Is(err, ErrDatabase) {
		t.Error(err)
	}
}

// TestCutAnywhere: without the files of the spool's progress, or with those of an earlier moment, and with a torn
// line, no trial is lost and none counts twice.
func TestCutAnywhere(t *testing.T) {
	s := pgtest.Start(t)
	use(t, s.Connection(pgtest.Database))
	dir := t.TempDir()
	storetest.Git(t, dir, "init", "-q")
	now := noon
	l := newLog(storetest.Open(t, dir), genesis, func() time.Time { return now })
	folder := filepath.Join(dir, ".git/assent/trials")
	files := func() map[string][]byte {
		out := map[string][]byte{}
		for _, name := range []string{pendingFile, dayFile, spoolFile} {
			if data, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
				out[name] = data
			}
		}
		return out
	}
	n := int64(0)
	sound := func(what string) {
		t.Helper()
		ids, problems := visited(t, l)
		if total(read(t, l)) != n || int64(len(ids)) != n || len(problems) > 0 {
			t.Fatalf("%s: %d counted, %d there, want %d; %v", what, total(read(t, l)), len(ids), n, problems)
		}
	}
	for round, name := range []string{"nothing", spoolFile, pendingFile, "torn", "old day", spoolFile} {
		for range 3 {
			record(t, l, used("a", trial.Success))
			n++
			now = now.Add(time.Second)
		}
		before := files()
		if err := l.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		switch name {
		case spoolFile:
			_ = os.Remove(filepath.Join(folder, spoolFile))
		case pendingFile: // killed before it was emptied
			_ = os.WriteFile(filepath.Join(folder, pendingFile), before[pendingFile], 0o600)
		case "torn": // killed while the day's file grew
			_ = l.files.Append(dayFile, []byte(`{"v":1,"id"`))
		case "old day": // killed before progress was noted
			for _, f := range []string{pendingFile, spoolFile} {
				_ = os.WriteFile(filepath.Join(folder, f), before[f], 0o600)
			}
		}
		sound(name)
		now = now.AddDate(0, 0, round%2)
		record(t, l, used("b", trial.Success))
		n++
		sound(name + ", recorded")
		before = files()
		tip, _ := l.head(l.owner(t))
		now = now.AddDate(0, 0, 1)
		if err := l.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		sound(name + ", rolled up")
		if next, _ := l.head(l.owner(t)); next == tip {
			t.Error("no roll-up")
		}
		for f, data := range before { // killed between the roll-up and the emptying
			_ = os.WriteFile(filepath.Join(folder, f), data, 0o600)
		}
		sound(name + ", killed after the roll-up")
	}
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	sound("end")
	tip, _ := l.head(l.owner(t))
	if err := Continues(l, l.owner(t), tree.Hash{}, tip); err != nil {
		t.Error(err)
	}
}

func (l Log) owner(t *testing.T) trial.Writer {
	w, err := l.Own()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestRowsLost: rows that the server lost before their roll-up are sent again with it; foreign ones among
// them are refused until they are removed, and the trials wait.
func TestRowsLost(t *testing.T) {
	s := pgtest.Start(t)
	use(t, s.Connection(pgtest.Database))
	l := newLog(storetest.NewRepo(t), genesis, at(noon))
	made := record(t, l, used("a", trial.Success), used("b", trial.Failure))
	if err := l.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	table := `"assent_` + genesis + `".trials`
	s.SQL(t, pgtest.Database, "DELETE FROM "+table)
	forged := made[0].ID
	forged[15]++ // between the two, if they are of one millisecond
	s.SQL(t, pgtest.Database, fmt.Sprintf(`UPDATE %s SET record = 'x'`, table))
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	if ids, problems := visited(t, l); len(ids) != 2 || len(problems) > 0 {
		t.Error(ids, problems)
	}
}

// TestSwitched: a policy that names the other store moves what waits, and what is in the database stays readable.
func TestSwitched(t *testing.T) {
	s := pgtest.Start(t)
	now := noon
	clock := func() time.Time { now = now.Add(time.Second); return now }
	there := database(s.Connection(pgtest.Database))
	git := there
	git.Sends = false
	repo := storetest.NewRepo(t)
	for n, d := range []Database{there, git, there, there, git} {
		l := In(New(repo, genesis, clock), d)
		record(t, l, used("a", trial.Success), used("b", trial.Failure))
		if err := l.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		record(t, l, used("c", trial.Success))
		if n == 2 {
			now = now.AddDate(0, 0, 1)
		}
		ids, problems := visited(t, l)
		if want := 3 * (n + 1); len(ids) != want || len(problems) > 0 || total(read(t, l)) != int64(want) {
			t.Errorf("%d: %d, %d, %v", n, len(ids), total(read(t, l)), problems)
		}
	}
	l := New(repo, genesis, clock)
	if _, problems := visited(t, l); len(problems) != 1 || !errors.Is(problems[0], ErrDatabase) {
		t.Error(problems)
	}
}

// TestErasureCut: an erasure that ends before the database has it is completed by the next command.
func TestErasureCut(t *testing.T) {
	s := pgtest.Start(t)
	use(t, s.Connection(pgtest.Database))
	l, own := recorded(t)
	cut := l
	puts := 0
	cut.database.Open = func(ctx context.Context) (Rows, error) {
		db, err := l.database.Open(ctx)
		return failing{db, &puts}, err
	}
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	if _, err := Erase(t.Context(), cut, Selection{Agent: "scout"}, false); !errors.Is(err, ErrDatabase) {
		t.Fatal(err)
	}
	if _, problems := visited(t, l); len(problems) == 0 {
		t.Error("the database has the erased rows already")
	}
	if err := l.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ids, problems := visited(t, l); len(ids) != 40 || len(problems) > 0 {
		t.Error(len(ids), problems)
	}
	tip, _ := l.head(own)
	if strings.Contains(content(t, l, tip), "scout") {
		t.Error("the journal names an erased agent")
	}
	if l.Waiting() {
		t.Error("an erasure is left")
	}
}

// TestErasedUnread: what was erased, and what is too new, is not read again from the database.
func TestErasedUnread(t *testing.T) {
	s := pgtest.Start(t)
	use(t, s.Connection(pgtest.Database))
	l, _ := recorded(t) // 21 to 25 November
	opened := 0
	plain := l.database.Open
	l.database.Open = func(ctx context.Context) (Rows, error) { opened++; return plain(ctx) }
	if err := whole(t, l); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		before time.Time
		n      int
		opens  bool
	}{{noon, 0, false}, {noon.AddDate(0, 0, 2), 16, true}, {noon.AddDate(0, 0, 2), 0, false}, {noon.AddDate(0, 0, 3), 8, true}} {
		opened = 0
		n, err := Erase(t.Context(), l, Selection{Before: tc.before}, false)
		if err != nil || n != tc.n || (opened > 0) != tc.opens {
			t.Errorf("before %s: %d erased, opened %d times, %v", tc.before, n, opened, err)
		}
	}
}

// failing is a connection that breaks when rows are put.
type failing struct {
	Rows
	puts *int
}

func (f failing) Put(context.Context, trial.Writer, []trial.Row) error {
	*f.puts++
	return errors.New("broken off")
}

// TestReplica: the primary is killed in the middle of a stream of trials, its replica is promoted, and the
// writers go on there by the same connection string. No acknowledged trial is lost, and none is there twice.
func TestReplica(t *testing.T) {
	primary := pgtest.Start(t)
	replica := primary.Replica(t)
	connection := fmt.Sprintf("postgres://%s:%s@%s,%s/%s?sslmode=disable&connect_timeout=5&target_session_attrs=read-write",
		pgtest.User, pgtest.Password, primary.Address, replica.Address, pgtest.Database)
	use(t, connection)
	const writers, rounds = 3, 40
	logs := make([]Log, writers)
	times := make([]time.Time, writers)
	made := make([][]trial.Trial, writers)
	killed := make(chan bool)
	var all sync.WaitGroup
	for w := range writers {
		times[w] = noon
		logs[w] = newLog(storetest.NewRepo(t), genesis, func() time.Time { return times[w] })
		all.Go(func() {
			for n := range rounds {
				if n == rounds/2 && w == 0 {
					close(killed)
				}
				times[w] = times[w].Add(MaxWait + retryAfter) // each tries the server
				out, err := logs[w].Record(t.Context(), used("a", trial.Success), used("b", trial.Failure))
				if err != nil {
					t.Error(err)
				}
				made[w] = append(made[w], out...)
			}
		})
	}
	<-killed
	primary.Kill(t)
	replica.Promote(t)
	all.Wait()
	for w, l := range logs {
		times[w] = times[w].AddDate(0, 0, 1)
		if err := whole(t, l); err != nil {
			t.Fatal(err)
		}
		ids, problems := visited(t, l)
		for _, m := range made[w] {
			if ids[m.ID] != 1 {
				t.Errorf("%s is there %d times", m.ID, ids[m.ID])
			}
		}
		if len(ids) != 2*rounds || len(problems) > 0 || total(read(t, l)) != 2*rounds {
			t.Error(len(ids), problems)
		}
	}
	if n := replica.SQL(t, pgtest.Database, `SELECT count(*) FROM "assent_`+genesis+`".trials`); n[0] != fmt.Sprint(writers*2*rounds) {
		t.Error(n)
	}
}

// TestForgedRollUp: a journal whose roll-ups say more than they may is refused.
func TestForgedRollUp(t *testing.T) {
	s := pgtest.Start(t)
	use(t, s.Connection(pgtest.Database))
	for name, change := range map[string]func(text string) string{
		"another number": func(s string) string { return strings.Replace(s, `"times":2`, `"times":3`, 1) },
		"more rows":      func(s string) string { return strings.Replace(s, `"rows":4`, `"rows":5`, 1) },
		"no rows":        func(s string) string { return s[strings.IndexByte(s, '\n')+1:] },
		"no records":     func(s string) string { return s[:strings.IndexByte(s, '\n')+1] },
		"a line more":    func(s string) string { return s + "{}\n" },
		"a mission":      func(s string) string { return strings.Replace(s, `"capability"`, `"mission":"m-1","capability"`, 1) },
		"another digest": func(s string) string { return strings.Replace(s, `"sha256":"`, `"sha256":"g`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(storetest.NewRepo(t), genesis, at(noon))
			record(t, l, used("a", trial.Success))
			if err := whole(t, l); err != nil {
				t.Fatal(err)
			}
			own := l.owner(t)
			before, _ := l.head(own)
			l.now = at(noon.Add(time.Hour))
			record(t, l, used("a", trial.Success), used("b", trial.Success), used("a", trial.Success), used("b", trial.Success))
			if err := whole(t, l); err != nil {
				t.Fatal(err)
			}
			good, _ := l.head(own)
			if err := Continues(l, own, before, good); err != nil {
				t.Fatal(err)
			}
			view, err := l.repo.Snapshot(good)
			if err != nil {
				t.Fatal(err)
			}
			text, err := view.Read("2026/11/21/0/02.rollup")
			if err != nil {
				t.Fatal(err)
			}
			forged := change(string(text))
			if forged == string(text) {
				t.Fatalf("nothing to change in %s", text)
			}
			after := forge(t, l, func(*gitstore.Commit, *batch) {}, tree.Edit{Path: "2026/11/21/0/02.rollup", Content: []byte(forged), Mode: tree.Regular})
			if err := Continues(l, own, before, after); !errors.Is(err, ErrJournal) {
				t.Errorf("%v for\n%s", err, forged)
			}
		})
	}
}

// FuzzRollUp: a roll-up that is read has one form, and names as many rows as it counts trials.
func FuzzRollUp(f *testing.F) {
	w := trial.WriterOf([]byte("fuzz"))
	id := trial.Next(trial.ID{}, noon, w)
	o := used("a", trial.Failure)
	c, err := rollUp([]trial.Trial{{V: trial.FormatVersion, ID: id, Observation: o}, {V: trial.FormatVersion, ID: trial.Next(id, noon, w), Observation: o}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(c.text)
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parseRollUp(text)
		if err != nil {
			return
		}
		var again []byte
		rows, counted := 0, int64(0)
		for _, p := range c.parts {
			line, err := part(p).Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, rows = append(again, line...), rows+p.Rows
		}
		for _, r := range c.records {
			line, err := r.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, counted = append(again, line...), counted+r.Times
		}
		if string(again) != string(text) || int64(rows) != counted || trial.SumRolled(c.records).Trials() > counted {
			t.Errorf("%d rows, %d trials:\n%s\n%s", rows, counted, text, again)
		}
	})
}
