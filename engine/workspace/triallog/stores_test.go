package triallog

import (
	"context"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/trialdb"
	"github.com/assent-dev/assent/engine/workspace/trialdb/pgtest"
)

// inStore is the connection string of the database that tests use as store, "" for Git.
var inStore = os.Getenv("TRIALLOG_TEST_POSTGRES")

// newLog is New with the store of the test.
func newLog(repo *gitstore.Repo, workspace string, now func() time.Time, listed ...trial.Writer) Log {
	l := New(repo, workspace, now, listed...)
	if inStore == "" {
		return l
	}
	return In(l, database(inStore))
}

func database(connection string) Database {
	return Database{Sends: true, Open: func(ctx context.Context) (Rows, error) {
		return trialdb.Open(ctx, connection, genesis, time.Now) // the clock of the server is not the test's
	}}
}

func use(t *testing.T, connection string) {
	t.Helper()
	inStore = connection
	t.Setenv("TRIALLOG_TEST_POSTGRES", connection)
	t.Cleanup(func() { inStore = "" })
}

// TestStores: what is tested of the Git store holds with PostgreSQL.
func TestStores(t *testing.T) {
	tests := map[string]func(*testing.T){
		"killed": TestKilled, "turns": TestTurns, "torn": TestTornAndDamaged, "cut": TestCutBeforeEmptying, "missions": TestMissions,
		"lessons": TestLessonsOfKnownWriters, "deeds": TestDeeds, "strangers": TestStrangers, "adopt": TestAdopt,
		"health": TestHealthFollowsFromTrials, "concurrent": TestHealthConcurrent, "bounds": TestHealthBounds, "blind": TestCallsAreBlind,
		"selects": TestEraseSelects, "stopped": TestEraseStopped, "retain": TestRetain, "quarantine": TestQuarantineElsewhere,
	}
	s := pgtest.Start(t)
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		t.Run(name, func(t *testing.T) {
			use(t, s.Connection(pgtest.Database))
			tests[name](t)
		})
	}
}

// whole commits all that is recorded, that of today too.
func whole(t testing.TB, l Log) error {
	t.Helper()
	return l.opened(t.Context(), func(s ssh.Signer, j journal, p pending) error { return l.commit(t.Context(), s, j, p, true) })
}
