// Package pgtest runs PostgreSQL for tests.
package pgtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// The owner of every server, and the database in it.
const (
	User     = "assent"
	Password = "for-tests-only"
	Database = "trials"
)

// Server is a PostgreSQL that runs until the test ends.
type Server struct {
	// Address is host:port.
	Address string
	bin     string
	dir     string
	as      []string
	leash   func()
	// settings are options of the server.
	settings []string
}

// Start runs a server with settings such as fsync=on, which is off; or it skips the test where there is no
// PostgreSQL.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s := prepare(t)
	for _, set := range settings {
		s.settings = append(s.settings, "-c", set)
	}
	secret := filepath.Join(s.dir, "password")
	must(t, os.WriteFile(secret, []byte(Password), 0o644))
	s.command(t, "initdb", "-D", s.data(), "-U", User, "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8", "--locale=C", "-N")
	s.Run(t)
	s.SQL(t, "postgres", "CREATE DATABASE "+Database)
	return s
}

// prepare returns a server without data.
func prepare(t testing.TB) *Server {
	t.Helper()
	bin := os.Getenv("ASSENT_TEST_POSTGRES")
	if bin == "" {
		t.Skip("no ASSENT_TEST_POSTGRES: PostgreSQL is not tested; .ci/postgres prints its folder")
	}
	dir, err := os.MkdirTemp("", "assent-postgres-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{bin: bin, dir: dir}
	if os.Getuid() == 0 { // the server refuses to run as root
		s.as = []string{"setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"}
		must(t, exec.Command("chown", "nobody", dir).Run())
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s.Address = l.Addr().String()
	must(t, l.Close())
	return s
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) cmd(name string, args ...string) *exec.Cmd {
	all := append(append([]string{}, s.as...), append([]string{filepath.Join(s.bin, name)}, args...)...)
	cmd := exec.Command(all[0], all[1:]...)
	cmd.Dir = s.dir
	// Of packages that are unpacked and not installed, the libraries are beside the programs.
	libraries, _ := filepath.Glob(filepath.Join(s.bin, "../../../*-linux-*"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "PGPASSWORD=" + Password, "LD_LIBRARY_PATH=" + strings.Join(libraries, ":")}
	return cmd
}

// command runs one of PostgreSQL's programs.
func (s *Server) command(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := s.cmd(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// Run starts the server, which ends with the test even if that is killed.
func (s *Server) Run(t testing.TB) {
	t.Helper()
	_, port, err := net.SplitHostPort(s.Address)
	must(t, err)
	server := s.cmd("postgres", append([]string{"-D", s.data(), "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=50"}, s.settings...)...)
	cmd := exec.Command("sh", append([]string{"-c", `"$0" "$@" </dev/null & pid=$!; cat >/dev/null; kill -INT "$pid" 2>/dev/null; wait "$pid"`}, server.Args...)...)
	cmd.Dir, cmd.Env = server.Dir, server.Env
	output, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(t, err)
	cmd.Stdout, cmd.Stderr = output, output
	leash, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	ended := false
	s.leash = func() {
		if !ended {
			ended = true
			_ = leash.Close()
			_ = cmd.Wait() // the exit status of a stopped server is irrelevant
			_ = output.Close()
		}
	}
	t.Cleanup(s.leash)
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		conn, err := pgconn.Connect(context.Background(), s.Connection("postgres"))
		if err == nil {
			_ = conn.Close(context.Background())
			return
		}
		if time.Now().After(end) {
			text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			t.Fatalf("PostgreSQL does not answer: %v\n%s", err, text)
		}
	}
}

// Stop ends the server; Run starts it again.
func (s *Server) Stop() { s.leash() }

// Kill kills the server and all its processes at once.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	must(t, err)
	pid, err := strconv.Atoi(strings.SplitN(string(text), "\n", 2)[0])
	must(t, err)
	p, err := os.FindProcess(pid)
	must(t, err)
	must(t, p.Kill())
	s.leash()
}

// Connection is the connection string for a database.
func (s *Server) Connection(database string, options ...string) string {
	return fmt.Sprintf("postgres://%s:%s@%s/%s?sslmode=disable&connect_timeout=5%s", User, Password, s.Address, database, strings.Join(append([]string{""}, options...), "&"))
}

// SQL runs statements as the owner, and returns the first column of each row.
func (s *Server) SQL(t testing.TB, database, sql string) (out []string) {
	t.Helper()
	conn, err := pgconn.Connect(context.Background(), s.Connection(database))
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	results, err := conn.Exec(context.Background(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	for _, r := range results {
		for _, row := range r.Rows {
			out = append(out, string(row[0]))
		}
	}
	return out
}

// Replica starts a replica, which the server waits for with each commit.
func (s *Server) Replica(t testing.TB) *Server {
	t.Helper()
	r := prepare(t)
	host, port, err := net.SplitHostPort(s.Address)
	must(t, err)
	r.command(t, "pg_basebackup", "-D", r.data(), "-h", host, "-p", port, "-U", User, "-R", "-c", "fast", "-X", "stream")
	r.Run(t)
	s.SQL(t, "postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
	s.SQL(t, "postgres", "SELECT pg_reload_conf()")
	return r
}

// Promote makes a replica a server of its own.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	s.command(t, "pg_ctl", "promote", "-w", "-D", s.data())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(fmt.Errorf("pgtest: %w", err))
	}
}
