package sandbox_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assent-dev/assent/engine/sandbox"
)

// leaver leaves what it can, and says what it finds.
const leaver = `import os, subprocess, sys
found = [p for p in ("/scratch/left", "/dev/shm/left", "/tmp/left") if os.path.exists(p)]
found += [p for p in os.listdir("/proc") if p.isdigit() and int(p) not in (1, os.getpid()) and b"sleep" in open(f"/proc/{p}/cmdline", "rb").read()]
for p in ("/scratch/left", "/dev/shm/left"): open(p, "w").close()
subprocess.Popen(["sleep", "3600"], start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(sys.argv[1], sys.stdin.read(), os.environ.get("KEY"), os.environ.get("PATH") is not None, found)
`

func leaving(argument, input string) sandbox.Spec {
	return sandbox.Spec{
		Args: []string{"python3", "main.py", argument}, Stdin: []byte(input), Write: true, Secrets: map[string]string{"KEY": "hunter22"},
		Files: map[string]sandbox.File{"main.py": {Data: []byte(leaver)}},
	}
}

// descendants returns descriptors of all processes below one.
func descendants(t *testing.T, of int) map[int]int {
	t.Helper()
	out, begun := map[int]int{}, []int{of}
	for len(begun) > 0 {
		lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", begun[0]))
		if err != nil {
			t.Fatal(err)
		}
		begun = begun[1:]
		for _, list := range lists {
			text, _ := os.ReadFile(list) // a thread may have ended
			for _, word := range strings.Fields(string(text)) {
				var pid int
				if _, err := fmt.Sscan(word, &pid); err != nil {
					t.Fatal(err)
				}
				if fd, err := unix.PidfdOpen(pid, 0); err == nil {
					out[pid], begun = fd, append(begun, pid)
					t.Cleanup(func() { _ = unix.Close(fd) })
				}
			}
		}
	}
	return out
}

// waiting returns the processes of sandboxes that wait: three for each of them, when it is complete.
func waiting(t *testing.T, of, sandboxes int) (all map[int]int) {
	t.Helper()
	for all = descendants(t, of); len(all) < 3*sandboxes; all = descendants(t, of) {
		runtime.Gosched()
	}
	return all
}

// awaitDeaths waits until these processes have ended.
func awaitDeaths(t *testing.T, all map[int]int) {
	t.Helper()
	for pid, fd := range all {
		n, err := 0, error(unix.EINTR)
		for errors.Is(err, unix.EINTR) {
			n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 60_000)
		}
		if n != 1 {
			t.Fatalf("process %d runs on: %v", pid, err)
		}
	}
}

// TestAhead: what waits runs the next program as a new sandbox would, once, and only one that is the same.
func TestAhead(t *testing.T) {
	box := isolating(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	box.Keep()
	t.Cleanup(box.Close)
	run := func(spec sandbox.Spec, want string) {
		t.Helper()
		if r, err := box.Run(t.Context(), spec); err != nil || string(r.Stdout) != want {
			t.Errorf("%+v, %v, want %q", r, err, want)
		}
	}
	for i := range 4 { // the first one has nothing that waits
		run(leaving(fmt.Sprint("a", i), fmt.Sprint("in", i)), fmt.Sprintf("a%d in%d [redacted:KEY] True []\n", i, i))
		if n := sandbox.Waiting(box); n != 1 {
			t.Fatalf("%d sandboxes wait", n)
		}
	}
	long := strings.Repeat("x", sandbox.MaxArgument)
	run(leaving(long, ""), long+"  [redacted:KEY] True []\n")
	run(leaving("", ""), "  [redacted:KEY] True []\n")
	// Other content, secrets and rights are another sandbox.
	other := leaving("b", "")
	other.Files = map[string]sandbox.File{"main.py": {Data: []byte(`import os; print("other", os.environ["KEY"])`)}}
	run(other, "other [redacted:KEY]\n")
	other = leaving("b", "")
	other.Secrets = map[string]string{"KEY": "another one"}
	other.Files = map[string]sandbox.File{"main.py": {Data: []byte(`import os; print(os.environ["KEY"] == "another one")`)}}
	run(other, "True\n")
	other = leaving("b", "")
	other.Write = false
	if r, err := box.Run(t.Context(), other); err != nil || r.OK() {
		t.Errorf("it could write: %+v, %v", r, err)
	}
	// The time of a call begins with it, and a cancelled one ends.
	slow := sandbox.Spec{Args: []string{"bash", "-c", `sleep "$0"`, "0"}, Limits: sandbox.Limits{Wall: time.Minute}}
	run(slow, "")
	slow.Args[3], slow.Limits.Wall = "3600", time.Millisecond
	if r, err := box.Run(t.Context(), slow); err != nil || r.Ended != sandbox.TimedOut {
		t.Errorf("it ended as %+v, %v", r, err)
	}
	if n := sandbox.Waiting(box); n != sandbox.MaxAhead {
		t.Errorf("%d sandboxes wait", n)
	}
	waiting(t, os.Getpid(), sandbox.MaxAhead)
	box.Close()
	if n, left := sandbox.Waiting(box), descendants(t, os.Getpid()); n != 0 || len(left) != 0 {
		t.Errorf("%d sandboxes wait after the end, and the processes %v", n, left)
	}
	run(leaving("c", ""), "c  [redacted:KEY] True []\n")
	if n := sandbox.Waiting(box); n != 0 {
		t.Errorf("%d sandboxes wait after the end", n)
	}
}

// TestAheadDies: a sandbox that died while it waited costs nothing but its time.
func TestAheadDies(t *testing.T) {
	box := isolating(t)
	box.Keep()
	t.Cleanup(box.Close)
	spec := sandbox.Spec{Args: []string{"bash", "-c", "echo $0", "x"}}
	for range 3 {
		if r, err := box.Run(t.Context(), spec); err != nil || string(r.Stdout) != "x\n" {
			t.Fatalf("%+v, %v", r, err)
		}
		all := waiting(t, os.Getpid(), sandbox.Waiting(box))
		for pid, fd := range all {
			if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && err != unix.ESRCH {
				t.Fatal(pid, err)
			}
		}
		awaitDeaths(t, all)
	}
}

// TestAheadEnds ends sandboxes at many moments of their start. Close returns only if everything is dead.
func TestAheadEnds(t *testing.T) {
	box := isolating(t)
	for i := range 60 {
		box.Keep()
		if r, err := box.Run(t.Context(), sandbox.Spec{Args: []string{"bash", "-c", "echo $0", "x"}}); err != nil || !r.OK() {
			t.Fatalf("%+v, %v", r, err)
		}
		for began := time.Now(); time.Since(began) < time.Duration(i)*250*time.Microsecond; {
			runtime.Gosched()
		}
		box.Close()
		if left := descendants(t, os.Getpid()); len(left) > 0 {
			t.Fatalf("the processes %v are left", left)
		}
	}
}

// TestAheadKilled kills a process with a sandbox that waits.
func TestAheadKilled(t *testing.T) {
	const child = "ASSENT_TEST_AHEAD"
	if os.Getenv(child) != "" {
		box := isolating(t)
		box.Keep()
		if r, err := box.Run(t.Context(), sandbox.Spec{Args: []string{"bash", "-c", "echo $0", "x"}}); err != nil || !r.OK() {
			t.Fatalf("%+v, %v", r, err)
		}
		fmt.Println("waiting", sandbox.Waiting(box))
		select {}
	}
	isolating(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAheadKilled$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil || !bytes.Equal(said, []byte("waiting 1\n")) {
		t.Fatalf("it says %q, %v", said, err)
	}
	below := waiting(t, cmd.Process.Pid, 1)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	awaitDeaths(t, below)
	_ = cmd.Wait() // it was killed
}
