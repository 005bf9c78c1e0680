package sandbox_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/assent-dev/assent/engine/sandbox"
)

// escapeVariable names the escape program when the tests run again as an ordinary user.
const escapeVariable = "ASSENT_TEST_ESCAPE"

// escapeProgram builds testdata/escape in a folder that every user can access.
func escapeProgram(t *testing.T) string {
	t.Helper()
	if built := os.Getenv(escapeVariable); built != "" {
		return built
	}
	file := filepath.Join(open(t), "escape")
	cmd := exec.Command("go", "build", "-o", file, "./testdata/escape")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return file
}

// open returns a temporary folder that every user can traverse.
func open(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "assent-escape-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// outside lists targets on this machine.
type outside struct {
	program, dir, secret, mark string
	victim                     *exec.Cmd
	tcp, udp, path, abstract   string
	descriptor                 int
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	o := &outside{program: escapeProgram(t), dir: open(t), mark: fmt.Sprintf("mark-%d", os.Getpid())}
	o.secret = filepath.Join(o.dir, "secret")
	if err := os.WriteFile(o.secret, []byte(o.mark), 0o600); err != nil {
		t.Fatal(err)
	}
	o.victim = exec.Command(o.program, "pause", o.mark)
	o.victim.Env = []string{"KEY=" + o.mark}
	if err := o.victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.victim.Process.Kill(); o.victim.Wait() })
	o.path, o.abstract = filepath.Join(o.dir, "socket"), "@"+o.mark
	o.tcp = listen(t, "tcp", "127.0.0.1:0")
	listen(t, "unix", o.path)
	listen(t, "unix", o.abstract)
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		buf := make([]byte, 1)
		for {
			_, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = c.WriteTo(buf, from)
		}
	}()
	o.udp = c.LocalAddr().String()
	// A descriptor that every child inherits, like one that a shell leaves open.
	if o.descriptor, err = syscall.Open(o.secret, syscall.O_RDONLY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(o.descriptor) })
	return o
}

func listen(t *testing.T, network, addr string) string {
	t.Helper()
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// small returns limits that a bounded attack exceeds.
func small() sandbox.Limits {
	return sandbox.Limits{Memory: 64 << 20, FileSize: 8 << 20, Processes: 40}
}

type escape struct {
	args []string
	// rooted attacks are possible for root only.
	rooted bool
}

func (o *outside) ways() map[string]escape {
	pid := strconv.Itoa(o.victim.Process.Pid)
	return map[string]escape{
		"a file":                  {args: []string{"read", o.secret}},
		"a file to write":         {args: []string{"write", filepath.Join(o.dir, "new")}},
		"a folder":                {args: []string{"list", o.dir}},
		"the folder of all":       {args: []string{"list", "/var"}},
		"through a link":          {args: []string{"link", filepath.Join(o.dir, "linked")}},
		"its own code":            {args: []string{"own code"}},
		"an inherited descriptor": {args: []string{"descriptor", strconv.Itoa(o.descriptor), o.mark}},
		"others' environment":     {args: []string{"proc", "environ", o.mark}},
		"others' command line":    {args: []string{"proc", "cmdline", o.mark}},
		"a signal":                {args: []string{"signal", pid}},
		"TCP":                     {args: []string{"tcp", o.tcp}},
		"UDP, as DNS":             {args: []string{"udp", o.udp}},
		"a socket with a path":    {args: []string{"unix", o.path}},
		"an abstract socket":      {args: []string{"unix", o.abstract}},
		"netlink":                 {args: []string{"netlink"}},
		"ptrace":                  {args: []string{"ptrace"}},
		"another's memory":        {args: []string{"peek"}},
		"the keyring":             {args: []string{"keyring"}},
		"a user namespace":        {args: []string{"namespace"}},
		"root":                    {args: []string{"root"}, rooted: true},
		"the clock":               {args: []string{"clock"}},
		"io_uring":                {args: []string{"uring"}},
		"bpf":                     {args: []string{"bpf"}, rooted: true},
		"typing for the terminal": {args: []string{"tty"}},
		"personality":             {args: []string{"persona"}},
		"many processes":          {args: []string{"processes", "60"}},
		"memory":                  {args: []string{"memory", "256"}},
		"shared memory":           {args: []string{"shared", "256"}},
		"System V memory":         {args: []string{"sysv", "memory"}},
		"System V semaphores":     {args: []string{"sysv", "semaphores"}},
		"System V messages":       {args: []string{"sysv", "messages"}},
		"memory as a stack":       {args: []string{"stack", "256"}},
		"memory of a device":      {args: []string{"zeros", "256"}},
		"a deep stack":            {args: []string{"deep", "256"}},
		"a big file":              {args: []string{"big file", "$TMPDIR"}},
		"many files":              {args: []string{"many files", "$TMPDIR"}},
		"a program of its own":    {args: []string{"exec"}},
		"a program in memory":     {args: []string{"memfd"}},
		"what others open":        {args: []string{"watch"}},
		"that others open":        {args: []string{"told"}},
		"what all others open":    {args: []string{"fanotify"}, rooted: true},
		"another's descriptor":    {args: []string{"fetch"}},
		"a file by its handle":    {args: []string{"handle"}},
		"a file system":           {args: []string{"mounts"}, rooted: true},
		"a folder's mount":        {args: []string{"tree"}, rooted: true},
		"another time":            {args: []string{"time"}, rooted: true},
		"user faults":             {args: []string{"faults"}, rooted: true},
		"counters":                {args: []string{"counters"}, rooted: true},
		"the kernel's objects":    {args: []string{"list", "/sys"}},
		"control groups":          {args: []string{"list", "/sys/fs/cgroup"}},
	}
}

// TestEscapes lets a program try each escape, first without a sandbox, where it must succeed so
// that the test can fail, and then inside, where it must not.
func TestEscapes(t *testing.T) {
	box := isolating(t)
	box.Keep()
	t.Cleanup(box.Close)
	plain, err := sandbox.NewUnprotected()
	if err != nil {
		t.Fatal(err)
	}
	o := newOutside(t)
	text, err := os.ReadFile(o.program)
	if err != nil {
		t.Fatal(err)
	}
	try := func(t *testing.T, r sandbox.Runner, args []string) (escaped bool, said string) {
		t.Helper()
		res, err := r.Run(t.Context(), sandbox.Spec{
			Args: append([]string{"./escape"}, args...), Write: true, Limits: small(),
			Files: map[string]sandbox.File{"escape": {Data: text, Executable: true}},
		})
		if err != nil {
			t.Fatal(err)
		}
		said = fmt.Sprintf("%s, exit %d %s: %s%s", res.Ended, res.Exit, res.Signal, res.Stdout, res.Stderr)
		return bytes.HasPrefix(res.Stdout, []byte("escaped")), said
	}
	for name, way := range o.ways() {
		t.Run(name, func(t *testing.T) {
			if !way.rooted || os.Geteuid() == 0 {
				if out, said := try(t, plain, way.args); !out {
					t.Fatalf("without a sandbox it did not succeed: %s", said)
				}
			}
			for range 2 { // in a new sandbox, then in one that waited
				out, said := try(t, box, way.args)
				if out {
					t.Fatalf("it escaped: %s", said)
				}
				if !strings.Contains(said, "held: ") && !strings.Contains(said, "SIG") && way.args[0] != "memory" && way.args[0] != "processes" {
					t.Errorf("it was held by something else: %s", said)
				}
				if sandbox.Waiting(box) == 0 {
					t.Error("no sandbox waits for the next one")
				}
			}
		})
	}
}

// TestEscapesAsNobody runs TestEscapes as an ordinary user, if this is root.
func TestEscapesAsNobody(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("this is an ordinary user already")
		return
	}
	isolating(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := escapeProgram(t)
	dir := open(t)
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "tests")
	if err := os.WriteFile(own, text, 0o755); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(own, "-test.run", "^(TestEscapes|TestOrphans|TestLimits|TestKilled|TestStageInside)$", "-test.v")
	cmd.Dir = home
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + home, escapeVariable + "=" + program}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("SKIP")) || !bytes.Contains(out, []byte("--- PASS: TestEscapes/ptrace")) {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestOrphans leaves a process behind in a session of its own.
func TestOrphans(t *testing.T) {
	box := isolating(t)
	plain, err := sandbox.NewUnprotected()
	if err != nil {
		t.Fatal(err)
	}
	program := escapeProgram(t)
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	left := func(r sandbox.Runner, mark string) int {
		res, err := r.Run(t.Context(), sandbox.Spec{
			Args: []string{"./escape", "orphan", mark}, Files: map[string]sandbox.File{"escape": {Data: text, Executable: true}},
		})
		if err != nil || !bytes.HasPrefix(res.Stdout, []byte("escaped")) {
			t.Fatal(res, err)
		}
		return running(t, mark)
	}
	mark := fmt.Sprintf("orphan-%d-", os.Getpid())
	pid := left(plain, mark+"plain")
	if pid == 0 {
		t.Fatal("without a sandbox nothing was left: the test cannot fail")
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	if pid := left(box, mark+"box"); pid != 0 {
		t.Fatalf("process %d outlived its sandbox", pid)
	}
}

// running finds a process by a unique argument.
func running(t *testing.T, mark string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err == nil && bytes.Contains(text, []byte("pause\x00"+mark+"\x00")) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			return pid
		}
	}
	return 0
}
