package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/workspace/trialdb"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// HealthOf returns the health of the capabilities of a workspace, by its trials and the policies in force.
func HealthOf(s Session) *triallog.Health {
	r := s.Policies.Retention
	return triallog.NewHealth(TrialsOf(s), r.Trials.Writers, health.Thresholds{Degraded: r.DegradedAfter, RetireFailures: r.RetireAfter, RetireBelow: r.RetireBelow})
}

// TrialsOf returns the trials of a workspace, with the writers that the policies in force list.
func TrialsOf(s Session) triallog.Log {
	of := s.Policies.Retention.Trials
	l := triallog.New(s.Repo, s.ID(), s.Now, slices.Collect(maps.Values(of.Writers))...)
	return triallog.In(l, triallog.Database{Sends: of.Postgres, Open: func(ctx context.Context) (triallog.Rows, error) {
		connection, err := postgres()
		if err != nil {
			return nil, err
		}
		return trialdb.Open(ctx, connection, s.ID(), s.Now)
	}})
}

// PostgresVariable and PostgresFile, in the user's folder, have the connection string of the database that
// policies/retention.yaml may name as the store of trials. It is a secret, and in no repository.
const (
	PostgresVariable = "ASSENT_POSTGRES"
	PostgresFile     = "postgres"
)

// postgres returns the connection string.
func postgres() (string, error) {
	if s := os.Getenv(PostgresVariable); s != "" {
		return s, nil
	}
	dir, err := keys.Home()
	if err != nil {
		return "", err
	}
	store := home.At(dir)
	data, err := store.Read(PostgresFile, 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no connection string is known: set $%s, or write it to %s", PostgresVariable, store.Path(PostgresFile))
	}
	if err != nil {
		return "", fmt.Errorf("read the connection string: %w", err)
	}
	if info, err := store.Stat(PostgresFile); err == nil && runtime.GOOS != "windows" && info.Mode()&0o077 != 0 {
		return "", fmt.Errorf("others can read the connection string: chmod 600 %s", names.ShellWord(store.Path(PostgresFile)))
	}
	return strings.TrimSpace(string(data)), nil
}

// KeepTrials commits the acknowledged trials of this installation, and erases those that policies/retention.yaml
// keeps no longer.
func KeepTrials(ctx context.Context, s Session) error {
	l := TrialsOf(s)
	if err := l.Commit(ctx); err != nil {
		return err
	}
	return triallog.Retain(ctx, l, s.Policies.Retention.Trials.EraseAfter)
}
