package giteatest

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Version is the Gitea that .ci/gitea builds.
const Version = "1.26.0"

// Server is a Gitea that runs until the test ends.
type Server struct {
	// URL of its pages, without a slash at the end.
	URL    string
	dir    string
	binary string
	admin  string // token
	serial int
}

// Start runs a server, or skips the test where there is no Gitea.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{binary: find(t), dir: t.TempDir()}
	address := free(t)
	s.URL = "http://" + address
	s.configure(t, address)
	s.run(t)
	s.admin = s.command(t, "admin", "user", "create", "--admin", "--username", Admin, "--password", password, "--email", "root@example.org",
		"--must-change-password=false", "--access-token", "--access-token-name", "test", "--access-token-scopes", "all")
	s.admin = s.admin[strings.LastIndexByte(s.admin, ' ')+1:]
	return s
}

// find returns the program: ASSENT_TEST_GITEA, or the build by .ci/gitea in the user's
// cache.
func find(t testing.TB) string {
	t.Helper()
	binary := os.Getenv("ASSENT_TEST_GITEA")
	if binary == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Skip("no cache folder and no ASSENT_TEST_GITEA: the real Gitea is not tested")
		}
		binary = filepath.Join(cache, "assent-ci", "gitea-"+Version, "gitea")
	}
	if _, err := os.Stat(binary); err != nil {
		t.Skip("Gitea is not here: .ci/gitea builds it: the real Gitea is not tested")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh to look after Gitea: the real Gitea is not tested")
	}
	return binary
}

// free returns an unused address.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}

// configure writes the settings. Gitea refuses to run under another user's name.
func (s *Server) configure(t testing.TB, address string) {
	t.Helper()
	me, err := user.Current()
	must(t, err)
	_, port, err := net.SplitHostPort(address)
	must(t, err)
	text := strings.NewReplacer("{dir}", s.dir, "{user}", me.Username, "{port}", port, "{url}", s.URL+"/",
		"{static}", filepath.Join(filepath.Dir(s.binary), "source")).Replace(`
APP_NAME = assent tests
RUN_USER = {user}
RUN_MODE = prod
WORK_PATH = {dir}
[server]
PROTOCOL = http
HTTP_ADDR = 127.0.0.1
HTTP_PORT = {port}
ROOT_URL = {url}
STATIC_ROOT_PATH = {static}
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = {dir}/gitea.db
SQLITE_JOURNAL_MODE = WAL
SQLITE_TIMEOUT = 20000
[security]
INSTALL_LOCK = true
SECRET_KEY = for-tests-only
PASSWORD_HASH_ALGO = pbkdf2$1$50
[service]
DISABLE_REGISTRATION = true
[repository]
ROOT = {dir}/repositories
DEFAULT_BRANCH = main
[log]
MODE = file
LEVEL = Warn
ROOT_PATH = {dir}/log
[queue]
TYPE = channel
[indexer]
ISSUE_INDEXER_TYPE = db
[session]
PROVIDER = memory
[picture]
DISABLE_GRAVATAR = true
[actions]
ENABLED = false
[packages]
ENABLED = false
[cron]
ENABLED = false
[cron.update_checker]
ENABLED = false
`)
	must(t, os.WriteFile(s.ini(), []byte(text), 0o600))
}

func (s *Server) ini() string { return filepath.Join(s.dir, "app.ini") }

// env returns the environment of Gitea: nothing of the user's, and permission to run as
// root in a container without another user.
func (s *Server) env() []string {
	return []string{"HOME=" + s.dir, "PATH=" + os.Getenv("PATH"), "GITEA_WORK_DIR=" + s.dir, "GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT=true"}
}

// run starts the server under a shell that ends it when the test's end of a pipe closes,
// even if the test process was killed.
func (s *Server) run(t testing.TB) {
	t.Helper()
	output, err := os.Create(filepath.Join(s.dir, "out.log"))
	must(t, err)
	cmd := exec.Command("sh", "-c", `"$0" "$@" </dev/null & pid=$!; cat >/dev/null; kill "$pid"; wait "$pid"`, s.binary, "--config", s.ini(), "web")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env(), output, output
	leash, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = leash.Close()
		_ = cmd.Wait() // the exit status of a stopped server is irrelevant
		_ = output.Close()
	})
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get(s.URL + "/api/healthz")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(end) {
			t.Fatalf("Gitea does not answer: %v\n%s", err, s.log())
		}
	}
}

// log returns the end of the server's output.
func (s *Server) log() string {
	var all strings.Builder
	for _, name := range []string{"out.log", "log/gitea.log"} {
		text, _ := os.ReadFile(filepath.Join(s.dir, name))
		all.Write(text[max(0, len(text)-4000):])
	}
	return all.String()
}

// command runs the program beside the server and returns its output.
func (s *Server) command(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command(s.binary, append([]string{"--config", s.ini()}, args...)...)
	cmd.Dir, cmd.Env = s.dir, s.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("gitea %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(fmt.Errorf("giteatest: %w", err))
	}
}
