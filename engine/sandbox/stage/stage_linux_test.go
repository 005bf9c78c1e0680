//go:build amd64 || arm64

package stage_test

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/assent-dev/assent/engine/sandbox/stage"
)

// enter runs the program of an Order here, without namespaces, and returns the output of the
// executed program and the report.
func enter(t *testing.T, order stage.Order) (said, reported string, p stage.Program) {
	t.Helper()
	p, err := order.Program()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "stage")
	if err := os.WriteFile(file, p.ELF, 0o700); err != nil {
		t.Fatal(err)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, inside := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "inside")
	defer ours.Close()
	if order.Late {
		if err := unix.Shutdown(pair[0], unix.SHUT_WR); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(file)
	cmd.Env, cmd.ExtraFiles = []string{"OF=the stage"}, []*os.File{inside}
	out, _ := cmd.CombinedOutput() // failures are in the report
	inside.Close()
	var all bytes.Buffer
	for buf := make([]byte, 100); ; {
		n, err := unix.Read(pair[0], buf)
		if n <= 0 || err != nil {
			return string(out), all.String(), p
		}
		all.Write(buf[:n])
	}
}

func order(args ...string) stage.Order {
	return stage.Order{
		Args: args, Env: []string{"A=", "B=c\nd"}, Runnable: []string{"/usr", "/bin", "/lib"}, Writable: []string{os.TempDir()},
		Limits: map[int]uint64{unix.RLIMIT_CPU: 10, unix.RLIMIT_NOFILE: 77},
	}
}

func TestProgram(t *testing.T) {
	shell := func(script string) []string { return []string{"/bin/sh", "-c", script, "first", "second"} }
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"/usr/bin/env"}, "A=\nB=c\nd\n"},
		{shell("ulimit -n; echo $0 $1"), "77\nfirst second\n"},
		{shell("[ -e /proc/self/fd/3 ] || echo closed"), "closed\n"},
		{shell("unshare -r true 2>/dev/null || echo refused"), "refused\n"},
		{shell("grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status"), "NoNewPrivs:\t1\nSeccomp:\t2\n"},
	} {
		said, reported, _ := enter(t, order(tc.args...))
		if said != tc.want || reported != stage.Began {
			t.Errorf("%q said %q and reported %q; want %q", tc.args, said, reported, tc.want)
		}
	}
}

// TestFailure: a failing step is named, and no later step runs.
func TestFailure(t *testing.T) {
	nowhere, folder := order("/nowhere/program"), order("/usr/bin/env")
	folder.Writable = []string{"/nowhere/folder"}
	network := order("/usr/bin/env")
	network.Port, network.Channel = 1<<16-1, 99
	late := order("/usr/bin/env", "")
	late.Late = true // and nothing is sent
	for _, tc := range []struct {
		order          stage.Order
		reported, want string
	}{
		{nowhere, stage.Began, "running /nowhere/program: no such file or directory"},
		{folder, "", "applying Landlock to /nowhere/folder: no such file or directory"},
		{late, stage.Began, "running /usr/bin/env: no such file or directory"},
		{network, "", "handing over a socket: bad file descriptor"},
	} {
		if strings.Contains(tc.want, "Landlock") && stage.LandlockVersion() == 0 {
			continue
		}
		said, reported, p := enter(t, tc.order)
		failed, ok := strings.CutPrefix(reported, tc.reported)
		if got := p.Failure([]byte(failed)); !ok || got != tc.want || said != "" {
			t.Errorf("said %q, reported %q, which is %q; want %q", said, reported, got, tc.want)
		}
	}
}

// TestFile: no memory of the file is both writable and executable, and its stack is not
// executable.
func TestFile(t *testing.T) {
	p, err := order("/usr/bin/env").Program()
	if err != nil {
		t.Fatal(err)
	}
	file, err := elf.NewFile(bytes.NewReader(p.ELF))
	if err != nil {
		t.Fatal(err)
	}
	stack := false
	for _, part := range file.Progs {
		if part.Flags&(elf.PF_W|elf.PF_X) == elf.PF_W|elf.PF_X {
			t.Errorf("%v is written to and run", part.ProgHeader)
		}
		if part.Type == elf.PT_LOAD && part.Off+part.Filesz > uint64(len(p.ELF)) {
			t.Errorf("%v goes beyond the end", part.ProgHeader)
		}
		stack = stack || part.Type == elf.PT_GNU_STACK
	}
	if !stack || file.Type != elf.ET_EXEC {
		t.Errorf("type %v, says something of its stack: %v", file.Type, stack)
	}
}

// TestNUL: a text with a NUL byte is refused, because the kernel would read only part of it.
func TestNUL(t *testing.T) {
	for _, o := range []stage.Order{
		order("/usr/bin/env\x00/other"), {Args: []string{"/usr/bin/env", "a\x00b"}}, {Args: []string{"/usr/bin/env"}, Env: []string{"A=b\x00C=d"}},
	} {
		if _, err := o.Program(); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	for _, said := range []string{"", "short", strings.Repeat("\xff", 16)} {
		p := stage.Program{}
		if p.Failure([]byte(said)) == "" {
			t.Errorf("%q is no failure", said)
		}
	}
}
