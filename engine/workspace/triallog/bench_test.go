package triallog

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/trialdb/pgtest"
)

// BenchmarkStores measures how many trials a second each store takes of one writer, from the record to the
// commit of the roll-up or batch, how many a reader verifies, and how many bytes are kept of each: in Git, and in
// PostgreSQL with its indexes. copied/s is what the database takes of one writer.
func BenchmarkStores(b *testing.B) {
	const trials = 20_000
	fill := func(b *testing.B, l Log) {
		for n := 0; n < trials; n += MaxBatch {
			var all []trial.Observation
			for i := range MaxBatch {
				o := personal([]string{"scout", "marco", "ibn"}[i%3], fmt.Sprintf("m-%d", (n+i)/8), trial.Success)
				o.Capability, o.Model, o.Tags, o.MS, o.Tokens = fmt.Sprintf("tool-%d", i%40), "large", []string{"eu"}, int64(n+i), int64(i)
				o.Task, o.InputSummary = fmt.Sprintf("clean table %x of customer %x", rand.Int32(), rand.Int32()), fmt.Sprintf("{rows list(%d) text text(%d)}", rand.Int32N(9999), rand.Int32N(9999))
				o.OutputSummary, o.Diagnosis = fmt.Sprintf("{rows list(%d)}", rand.Int32N(9999)), ""
				if o.Blob = blobOf(i % 40); i%20 == 0 {
					o.Outcome, o.Error = trial.Failure, "timeout"
				}
				all = append(all, o)
			}
			record(b, l, all...)
		}
		if err := whole(b, l); err != nil {
			b.Fatal(err)
		}
	}
	inGit := func(b *testing.B, l Log) float64 {
		storetest.Git(b, l.repo.CommonDir(), "gc", "-q")
		var size int64
		err := filepath.WalkDir(filepath.Join(l.repo.CommonDir(), "objects"), func(_ string, d fs.DirEntry, err error) error {
			if info, ierr := d.Info(); err == nil && ierr == nil && !d.IsDir() {
				size += info.Size()
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		return float64(size) / trials
	}
	rate := map[string]float64{}
	run := func(name string, store func(b *testing.B) (Log, func() float64)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				l, size := store(b)
				begin := time.Now()
				fill(b, l)
				rate[name] = trials / time.Since(begin).Seconds()
				b.ReportMetric(rate[name], "trials/s")
				own, err := l.Own()
				if err != nil {
					b.Fatal(err)
				}
				tip, err := l.head(own)
				if err != nil {
					b.Fatal(err)
				}
				begin = time.Now()
				if err := Continues(l, own, tree.Hash{}, tip); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(trials/time.Since(begin).Seconds(), "verified/s")
				b.ReportMetric(inGit(b, l), "B/trial-in-git")
				b.ReportMetric(size(), "B/trial-in-postgres")
				if name != "git" && rate["git"] > 0 {
					b.ReportMetric(rate[name]/rate["git"], "of-git")
				}
			}
		})
	}
	run("git", func(b *testing.B) (Log, func() float64) {
		return New(storetest.NewRepo(b), genesis, at(noon)), func() float64 { return 0 }
	})
	run("postgres", func(b *testing.B) (Log, func() float64) {
		s := pgtest.Start(b, "fsync=on")
		return In(New(storetest.NewRepo(b), genesis, at(noon)), database(s.Connection(pgtest.Database))), func() float64 {
			sizes := s.SQL(b, pgtest.Database, `SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = '"assent_`+genesis+`".trials'::regclass`)
			n, err := strconv.ParseFloat(sizes[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return n / trials
		}
	})
	b.Run("copy", func(b *testing.B) {
		l := In(New(storetest.NewRepo(b), genesis, at(noon)), database(pgtest.Start(b, "fsync=on").Connection(pgtest.Database)))
		var last trial.ID
		for b.Loop() {
			w := trial.WriterOf(last[:])
			var all []trial.Trial
			for n := range trials {
				last = trial.Next(last, noon, w)
				all = append(all, trial.Trial{V: trial.FormatVersion, ID: last, Observation: personal("scout", fmt.Sprint("m-", n), trial.Success)})
			}
			rows, err := rowsOf(all)
			if err != nil {
				b.Fatal(err)
			}
			begin := time.Now()
			db, err := open(b.Context(), l)
			if err != nil {
				b.Fatal(err)
			}
			for part := range slices.Chunk(rows, MaxBatch) {
				if err := store(b.Context(), db, w, part); err != nil {
					b.Fatal(err)
				}
			}
			copied := trials / time.Since(begin).Seconds()
			db.Close()
			b.ReportMetric(copied, "copied/s")
			b.ReportMetric(copied/rate["git"], "of-git")
		}
	})
}
