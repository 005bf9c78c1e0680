package trialdb_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace/trialdb"
	"github.com/assent-dev/assent/engine/workspace/trialdb/pgtest"
)

const workspace = "1111111111111111111111111111111111111111"

func rows(w trial.Writer, at time.Time, n int) (out []trial.Row, p trial.Part) {
	var id trial.ID
	sum := sha256.New()
	for range n {
		id = trial.Next(id, at, w)
		line := fmt.Sprintf(`{"id":"%s","text":"a\tb\\n é \u0000"}`+"\n", id)
		out = append(out, trial.Row{ID: id, Line: []byte(line)})
		sum.Write([]byte(line))
	}
	return out, trial.Part{First: out[0].ID, Last: id, Rows: n, SHA256: hex.EncodeToString(sum.Sum(nil))}
}

func open(t testing.TB, connection string) *trialdb.DB {
	t.Helper()
	db, err := trialdb.Open(t.Context(), connection, workspace, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// TestRows: writers that begin at once each make the tables and partitions, rows come back byte for byte,
// and putting them again changes nothing.
func TestRows(t *testing.T) {
	s := pgtest.Start(t)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			w := trial.WriterOf([]byte{byte(n)})
			db, err := trialdb.Open(t.Context(), s.Connection(pgtest.Database), workspace, time.Now)
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			for day := range 5 {
				all, part := rows(w, today.AddDate(0, 0, -(n+day)%5), 300)
				for range 2 {
					if err := db.Put(t.Context(), w, all); err != nil {
						t.Error(err)
						return
					}
				}
				if sum, err := db.Digest(t.Context(), w, part); err != nil || sum != part.SHA256 {
					t.Error(sum, part.SHA256, err)
				}
				got, err := db.Read(t.Context(), w, part)
				if err != nil || len(got) != len(all) {
					t.Error(len(got), err)
					return
				}
				for i := range got {
					if !bytes.Equal(got[i], all[i].Line) {
						t.Errorf("%q instead of %q", got[i], all[i].Line)
					}
				}
			}
		})
	}
	all.Wait()
	if n := s.SQL(t, pgtest.Database, `SELECT count(*) FROM "assent_`+workspace+`".trials`); n[0] != "12000" {
		t.Error(n)
	}
}

// TestErrors: each failure of the environment has a sentence that says what to do, without the password.
func TestErrors(t *testing.T) {
	s := pgtest.Start(t)
	good := s.Connection(pgtest.Database)
	w := trial.WriterOf([]byte("w"))
	all, _ := rows(w, time.Now(), 1)
	if err := open(t, good).Put(t.Context(), w, all); err != nil {
		t.Fatal(err)
	}
	s.SQL(t, pgtest.Database, "CREATE ROLE reader LOGIN PASSWORD 'for-tests-only'")
	stopped := pgtest.Start(t)
	stopped.Stop()
	for _, test := range []struct {
		name, connection, want string
		now                    func() time.Time
	}{
		{"no server", stopped.Connection(pgtest.Database), "no PostgreSQL server answers", time.Now},
		{"no address", "postgres://" + pgtest.User + ":" + pgtest.Password + "@127.0.0.1:port/x", "the connection string cannot be read", time.Now},
		{"wrong password", strings.Replace(good, pgtest.Password, "another-secret", 1), "refuses the user or the password", time.Now},
		{"wrong database", s.Connection("another"), "no such database", time.Now},
		{"no rights", strings.Replace(good, pgtest.User+":", "reader:", 1), "the user may not do that", time.Now},
		{"a standby", s.Connection(pgtest.Database, "default_transaction_read_only=on"), "takes no writes", time.Now},
		{"clock", good, "set the clock", func() time.Time { return time.Now().Add(-3 * time.Hour) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			db, err := trialdb.Open(t.Context(), test.connection, workspace, test.now)
			if err == nil {
				defer db.Close()
				err = db.Put(t.Context(), w, all)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v: want %q", err, test.want)
			}
			if err != nil && (strings.Contains(err.Error(), pgtest.Password) || strings.Contains(err.Error(), "another-secret")) {
				t.Errorf("the password is in %v", err)
			}
		})
	}
	s.SQL(t, pgtest.Database, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''53100''; END';
		CREATE TRIGGER full_disk BEFORE INSERT ON "assent_`+workspace+`".trials FOR EACH ROW EXECUTE FUNCTION full_disk()`)
	if err := open(t, good).Put(t.Context(), w, all); err == nil || !strings.Contains(err.Error(), "the server's disk is full") {
		t.Error(err)
	}
	s.SQL(t, pgtest.Database, `UPDATE "assent_`+workspace+`".version SET version = 2`)
	if _, err := trialdb.Open(t.Context(), good, workspace, time.Now); err == nil || !strings.Contains(err.Error(), "another version of assent") {
		t.Error(err)
	}
}
