package trialdb

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/assent-dev/assent/engine/registry/trial"
)

const (
	// version is that of the tables, and the only one that is used.
	version = 1
	// maxSkew is by how much the clocks here and of the server may differ.
	maxSkew = time.Hour
	// maxConnect and maxStatement bound how long the server is waited for.
	maxConnect   = 10 * time.Second
	maxStatement = time.Minute
)

// DB is a connection for the rows of one workspace.
type DB struct {
	conn   *pgconn.PgConn
	schema string // quoted
	// made is set if the tables exist, days has the partitions that do.
	made bool
	days map[trial.Day]bool
	skew time.Duration
}

// Open connects by a connection string, in the form of PostgreSQL's libpq, for the workspace with this id.
func Open(ctx context.Context, connection, workspace string, now func() time.Time) (*DB, error) {
	config, err := pgconn.ParseConfig(connection)
	if err != nil {
		return nil, fmt.Errorf("the connection string cannot be read: %w", err)
	}
	config.ConnectTimeout = maxConnect
	config.RuntimeParams["client_encoding"] = "UTF8"
	config.RuntimeParams["application_name"] = "assent"
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, explain(err)
	}
	db := &DB{conn: conn, schema: `"assent_` + strings.ReplaceAll(workspace, `"`, "") + `"`, days: map[trial.Day]bool{}}
	if err := db.look(ctx, now); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// Close ends the connection.
func (db *DB) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = db.conn.Close(ctx)
}

// look reads the version of the tables and the server's clock.
func (db *DB) look(ctx context.Context, now func() time.Time) error {
	rows, err := db.query(ctx, "SELECT extract(epoch FROM clock_timestamp())::bigint, to_regclass($1) IS NOT NULL", db.schema+".version")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(string(rows[0][0]), 10, 64)
	if err != nil {
		return fmt.Errorf("the server's clock: %w", err)
	}
	db.skew = now().Sub(time.Unix(seconds, 0)).Truncate(time.Second)
	if string(rows[0][1]) != "t" {
		return nil
	}
	rows, err = db.query(ctx, "SELECT version FROM "+db.schema+".version")
	if err != nil {
		return err
	}
	if len(rows) != 1 || string(rows[0][0]) != strconv.Itoa(version) {
		return fmt.Errorf("the tables in %s were made by another version of assent (they say %q, and this one knows %d): use one version of assent for this workspace, or name another database", db.schema, bytes.Join(first(rows), []byte(", ")), version)
	}
	db.made = true
	return nil
}

func first(rows [][][]byte) (out [][]byte) {
	for _, r := range rows {
		out = append(out, r[0])
	}
	return out
}

// query runs one statement with text parameters, and returns its rows.
func (db *DB) query(ctx context.Context, sql string, params ...string) ([][][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, maxStatement)
	defer cancel()
	values := make([][]byte, len(params))
	for i, p := range params {
		values[i] = []byte(p)
	}
	r := db.conn.ExecParams(ctx, sql, values, nil, nil, nil).Read()
	return r.Rows, explain(r.Err)
}

// run runs statements without parameters.
func (db *DB) run(ctx context.Context, sql string) error {
	ctx, cancel := context.WithTimeout(ctx, maxStatement)
	defer cancel()
	_, err := db.conn.Exec(ctx, sql).ReadAll()
	return explain(err)
}

// Put stores rows, also those that are there already: again or in place of others with their ids.
func (db *DB) Put(ctx context.Context, w trial.Writer, rows []trial.Row) error {
	if db.skew > maxSkew || db.skew < -maxSkew {
		return fmt.Errorf("the clock here differs from the server's by %s, so trials would be of a wrong day: set the clock", db.skew)
	}
	var text bytes.Buffer
	for _, r := range rows {
		day := trial.DayOf(r.ID.Time())
		if err := db.prepare(ctx, day); err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s\t\\\\x%s\t\\\\x%x\t%s\n", day, w, r.ID[:], escapes.Replace(strings.TrimSuffix(string(r.Line), "\n")))
	}
	err := db.run(ctx, "BEGIN; CREATE TEMP TABLE IF NOT EXISTS assent_rows (day date, writer bytea, id bytea, record text) ON COMMIT DELETE ROWS")
	if err == nil {
		err = db.copy(ctx, &text)
	}
	if err == nil {
		err = db.run(ctx, "INSERT INTO "+db.schema+".trials AS t SELECT DISTINCT ON (day, writer, id) * FROM assent_rows ON CONFLICT (day, writer, id) DO UPDATE SET record = excluded.record WHERE t.record <> excluded.record; COMMIT")
	}
	if err != nil && !db.conn.IsClosed() {
		_ = db.run(ctx, "ROLLBACK")
	}
	return err
}

var escapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func (db *DB) copy(ctx context.Context, text *bytes.Buffer) error {
	ctx, cancel := context.WithTimeout(ctx, maxStatement)
	defer cancel()
	_, err := db.conn.CopyFrom(ctx, text, "COPY assent_rows FROM STDIN")
	return explain(err)
}

// prepare makes the tables and the partition of a day, if they are missing. Others may do so at the same
// time: one lock orders them, and each makes a partition before it holds a row.
func (db *DB) prepare(ctx context.Context, day trial.Day) error {
	if db.days[day] {
		return nil
	}
	name := db.schema + ".trials_" + strings.ReplaceAll(day.String(), "-", "")
	var sql strings.Builder
	fmt.Fprintf(&sql, "BEGIN; SELECT pg_advisory_xact_lock(hashtext('%s')); ", db.schema)
	if !db.made {
		fmt.Fprintf(&sql, "CREATE SCHEMA IF NOT EXISTS %[1]s; CREATE TABLE IF NOT EXISTS %[1]s.version (version int NOT NULL); "+
			"INSERT INTO %[1]s.version SELECT %[2]d WHERE NOT EXISTS (SELECT FROM %[1]s.version); "+
			"CREATE TABLE IF NOT EXISTS %[1]s.trials (day date, writer bytea, id bytea, record text NOT NULL, PRIMARY KEY (day, writer, id)) PARTITION BY RANGE (day); ", db.schema, version)
	} else if rows, err := db.query(ctx, "SELECT to_regclass($1) IS NOT NULL", name); err != nil {
		return err
	} else if string(rows[0][0]) == "t" {
		db.days[day] = true
		return nil
	}
	fmt.Fprintf(&sql, "CREATE TABLE IF NOT EXISTS %s PARTITION OF %s.trials FOR VALUES FROM ('%s') TO ('%s'); COMMIT", name, db.schema, day, day+1)
	if err := db.run(ctx, sql.String()); err != nil {
		if !db.conn.IsClosed() {
			_ = db.run(ctx, "ROLLBACK")
		}
		return fmt.Errorf("make the table of %s: %w", day, err)
	}
	db.made, db.days[day] = true, true
	return nil
}

const ofPart = " WHERE day = $1 AND writer = $2 AND id BETWEEN $3 AND $4"

func params(w trial.Writer, p trial.Part) []string {
	return []string{trial.DayOf(p.First.Time()).String(), `\x` + string(w), `\x` + hex.EncodeToString(p.First[:]), `\x` + hex.EncodeToString(p.Last[:])}
}

// Digest returns the SHA-256 of the lines of a part as they are there.
func (db *DB) Digest(ctx context.Context, w trial.Writer, p trial.Part) (string, error) {
	if !db.made {
		return "", nil
	}
	rows, err := db.query(ctx, "SELECT encode(sha256(convert_to(coalesce(string_agg(record || E'\\n', '' ORDER BY id), ''), 'UTF8')), 'hex') FROM "+db.schema+".trials"+ofPart, params(w, p)...)
	if err != nil {
		return "", err
	}
	return string(rows[0][0]), nil
}

// Read returns the lines of a part as they are there, in the order of their ids: at most one more than the
// part has, and none that is longer than a record.
func (db *DB) Read(ctx context.Context, w trial.Writer, p trial.Part) ([][]byte, error) {
	if !db.made {
		return nil, nil
	}
	rows, err := db.query(ctx, "SELECT record FROM "+db.schema+".trials"+ofPart+fmt.Sprintf(" AND octet_length(record) < %d ORDER BY id LIMIT %d", trial.MaxLine, p.Rows+1), params(w, p)...)
	if err != nil {
		return nil, err
	}
	out := first(rows)
	for i, line := range out {
		out[i] = append(line[:len(line):len(line)], '\n')
	}
	return out, nil
}

// explain says what an error of the server means and what to do.
func explain(err error) error {
	if err == nil {
		return nil
	}
	var theirs *pgconn.PgError
	if !errors.As(err, &theirs) {
		return fmt.Errorf("no PostgreSQL server answers: start it, or correct the connection string: %w", err)
	}
	for _, known := range []struct{ code, do string }{
		{"28", "the server refuses the user or the password: correct them in the connection string, or the password in ~/.pgpass"},
		{"3D000", "the server has no such database: create it with createdb, or correct the connection string"},
		{"42501", "the user may not do that: GRANT CREATE ON DATABASE to the user, or let the owner of the schema write first"},
		{"53100", "the server's disk is full: free some space there"},
		{"53", "the server has no room for this: raise its limits"},
		{"25006", "the server takes no writes: name all hosts in the connection string, with target_session_attrs=read-write"},
		{"57", "the server is starting or ending: wait for it"},
	} {
		if strings.HasPrefix(theirs.Code, known.code) {
			return fmt.Errorf("%s: %w", known.do, err)
		}
	}
	return err //nolint:wrapcheck // it is the server's sentence
}
