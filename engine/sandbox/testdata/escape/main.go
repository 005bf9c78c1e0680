// Command escape tries one escape from a sandbox, and prints "escaped" if it succeeds.
package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ways lists the escapes by name. Each gets the rest of the command line, and returns an error
// that says what stopped it.
var ways = map[string]func(args []string) error{
	"read":       func(a []string) error { return second(os.ReadFile(a[0])) },
	"write":      func(a []string) error { return os.WriteFile(a[0], []byte("x"), 0o644) },
	"list":       func(a []string) error { return second(os.ReadDir(a[0])) },
	"link":       link,
	"own code":   ownCode,
	"descriptor": descriptor,
	"proc":       proc,
	"signal":     func(a []string) error { return syscall.Kill(atoi(a[0]), 0) },
	"tcp":        func(a []string) error { return dial("tcp", a[0]) },
	"unix":       func(a []string) error { return dial("unix", a[0]) },
	"udp":        udp,
	"netlink":    func([]string) error { return socket(syscall.AF_NETLINK, syscall.SOCK_DGRAM) },
	"ptrace":     ptrace,
	"keyring":    keyring,
	"namespace":  namespace,
	"mount":      func([]string) error { return syscall.Mount("none", "/proc", "tmpfs", 0, "") },
	"root":       func([]string) error { return syscall.Setresuid(0, 0, 0) },
	"clock":      func([]string) error { return second(syscall.Adjtimex(&syscall.Timex{})) },
	"peek":       peek,
	"uring":      func([]string) error { return notRefused(425, 0, 0, 0) },
	"bpf":        func([]string) error { return notRefused(321, 999, 0, 0) },
	"tty":        func([]string) error { return notRefused(syscall.SYS_IOCTL, 0, syscall.TIOCSTI, 0) },
	"persona":    func([]string) error { return notRefused(syscall.SYS_PERSONALITY, 0xffffffff, 0, 0) },
	"processes":  processes,
	"memory":     memory,
	"shared":     shared,
	"sysv":       sysv,
	"stack":      stack,
	"zeros":      zeros,
	"deep":       deep,
	"big file":   func(a []string) error { return fill(a[0], 1, 32) },
	"many files": func(a []string) error { return fill(a[0], 32, 1) },
	"exec":       execScratch,
	"memfd":      memfd,
	"watch":      watch,
	"told":       told,
	"handle":     handle,
	"fetch":      fetch,
	"mounts":     func([]string) error { return unmade(unix.Fsopen("tmpfs", 0)) },
	"tree":       func([]string) error { return unmade(unix.OpenTree(unix.AT_FDCWD, "/usr", unix.OPEN_TREE_CLONE)) },
	"time":       func([]string) error { return unix.Unshare(unix.CLONE_NEWTIME) },
	"faults":     func([]string) error { return notRefused(unix.SYS_USERFAULTFD, 0, 0, 0) },
	"counters":   func([]string) error { return notRefused(unix.SYS_PERF_EVENT_OPEN, 0, 0, 0) },
	"fanotify":   func([]string) error { return unmade(unix.FanotifyInit(unix.FAN_CLASS_NOTIF, unix.O_RDONLY)) },
	"orphan":     orphan,
	"pause":      func([]string) error { time.Sleep(10 * time.Minute); return nil }, // until it is killed
}

func main() {
	if err := ways[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Println("held:", err)
		return
	}
	fmt.Println("escaped")
}

func second[T any](_ T, err error) error { return err }

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// link writes through a symbolic link in the writable folder.
func link(a []string) error {
	name := filepath.Join(os.Getenv("TMPDIR"), "link")
	if err := os.Symlink(a[0], name); err != nil {
		return err
	}
	return os.WriteFile(name, []byte("x"), 0o644)
}

func ownCode([]string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Chmod(self, 0o777); err != nil {
		return err
	}
	return os.Rename(self, self+".old")
}

func descriptor(a []string) error {
	text := make([]byte, 100)
	n, err := syscall.Pread(atoi(a[0]), text, 0)
	if err == nil && !bytes.Contains(text[:n], []byte(a[1])) {
		return fmt.Errorf("it has %q", text[:n])
	}
	return err
}

// proc searches the visible data of other processes for a word.
func proc(a []string) error {
	files, _ := filepath.Glob("/proc/[0-9]*/" + a[0])
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err == nil && f != fmt.Sprintf("/proc/%d/%s", os.Getpid(), a[0]) && bytes.Contains(text, []byte(a[1])) {
			return nil
		}
	}
	return fmt.Errorf("not in %d files", len(files))
}

func dial(network, addr string) error {
	c, err := net.DialTimeout(network, addr, 5*time.Second)
	if err != nil {
		return err
	}
	return c.Close()
}

// udp sends a DNS query and waits for the answer.
func udp(a []string) error {
	c, err := net.Dial("udp", a[0])
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := c.Write([]byte("q")); err != nil {
		return err
	}
	return second(c.Read(make([]byte, 1)))
}

func socket(family, kind int) error {
	fd, err := syscall.Socket(family, kind, 0)
	if err == nil {
		err = syscall.Close(fd)
	}
	return err
}

func child(way string, args ...string) *exec.Cmd {
	return exec.Command("/proc/self/exe", append([]string{way}, args...)...)
}

func ptrace([]string) error {
	runtime.LockOSThread()
	cmd := child("pause")
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Process.Kill()
	const seize = 0x4206
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, seize, uintptr(cmd.Process.Pid), 0, 0, 0, 0)
	return orNil(errno)
}

func orNil(errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}

func keyring([]string) error {
	kind, name := []byte("user\x00"), []byte("assent-escape\x00")
	const processKeyring = ^uintptr(1) // -2
	_, _, errno := syscall.Syscall6(248, uintptr(unsafe.Pointer(&kind[0])), uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&name[0])), 4, processKeyring, 0)
	return orNil(errno)
}

func namespace([]string) error {
	cmd := child("pause")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Kill()
}

func peek([]string) error {
	from, to := []byte("text"), make([]byte, 4)
	local, remote := syscall.Iovec{Base: &to[0], Len: 4}, syscall.Iovec{Base: &from[0], Len: 4}
	_, _, errno := syscall.Syscall6(310, uintptr(os.Getpid()), uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1, 0)
	return orNil(errno)
}

// notRefused makes a system call with arguments that do nothing. Any answer of the kernel
// except "not permitted" means that the call is reachable.
func notRefused(call, a, b, c uintptr) error {
	if _, _, errno := syscall.Syscall(call, a, b, c); errno == syscall.EPERM {
		return errno
	}
	return nil
}

// processes starts a bounded number of processes.
func processes(a []string) error {
	for range atoi(a[0]) {
		cmd := child("pause")
		if err := cmd.Start(); err != nil {
			return err
		}
		defer cmd.Process.Kill()
	}
	return nil
}

// memory allocates and touches a bounded amount of memory.
func memory(a []string) error { return mapped(atoi(a[0]), syscall.MAP_PRIVATE) }
func shared(a []string) error { return mapped(atoi(a[0]), syscall.MAP_SHARED) }

func stack(a []string) error { return mapped(atoi(a[0]), syscall.MAP_PRIVATE|syscall.MAP_GROWSDOWN) }

// sysv allocates kernel memory that no limit of a process counts, and frees it.
func sysv(a []string) error {
	const create, remove = 0o1600, 0
	get, size, give := uintptr(syscall.SYS_SHMGET), uintptr(4096), []uintptr{syscall.SYS_SHMCTL, remove, 0}
	switch a[0] {
	case "semaphores":
		get, size, give = syscall.SYS_SEMGET, 100, []uintptr{syscall.SYS_SEMCTL, 0, remove}
	case "messages":
		get, size, give = syscall.SYS_MSGGET, create, []uintptr{syscall.SYS_MSGCTL, remove, 0}
	}
	id, _, errno := syscall.Syscall(get, 0, size, create)
	if errno != 0 {
		return errno
	}
	_, _, errno = syscall.Syscall(give[0], id, give[1], give[2])
	return orNil(errno)
}

// zeros maps memory of a device.
func zeros(a []string) error {
	f, err := os.OpenFile("/dev/zero", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return second(syscall.Mmap(int(f.Fd()), 0, atoi(a[0])<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED))
}

// deep raises the limit of its children's initial stack.
func deep(a []string) error {
	n := uint64(atoi(a[0])) << 20
	return syscall.Setrlimit(syscall.RLIMIT_STACK, &syscall.Rlimit{Cur: n, Max: n})
}

func mapped(mib, how int) error {
	for range mib / 16 {
		text, err := syscall.Mmap(-1, 0, 16<<20, syscall.PROT_READ|syscall.PROT_WRITE, how|syscall.MAP_ANON)
		if err != nil {
			return err
		}
		for i := 0; i < len(text); i += 4096 {
			text[i] = 1
		}
	}
	return nil
}

func fill(dir string, files, mib int) error {
	if strings.HasPrefix(dir, "$") {
		dir = os.Getenv(dir[1:])
	}
	for i := range files {
		f, err := os.Create(filepath.Join(dir, strconv.Itoa(i)))
		if err != nil {
			return err
		}
		defer f.Close()
		for range mib {
			if _, err := f.Write(make([]byte, 1<<20)); err != nil {
				return err
			}
		}
	}
	return nil
}

// execScratch writes a program and runs it.
func execScratch([]string) error {
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	name := filepath.Join(os.Getenv("TMPDIR"), "program")
	if err := os.WriteFile(name, text, 0o755); err != nil {
		return err
	}
	return exec.Command(name, "persona").Start()
}

// memfd creates a program without a file in any folder, and runs it.
func memfd([]string) error {
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	fd, err := unix.MemfdCreate("program", 0)
	if err != nil {
		return err
	}
	if _, err := unix.Write(fd, text); err != nil {
		return err
	}
	return exec.Command(fmt.Sprintf("/proc/self/fd/%d", fd), "persona").Start()
}

// watch and told observe opens of system files, including those outside.
func watch([]string) error {
	fd, err := unix.InotifyInit1(0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return second(unix.InotifyAddWatch(fd, "/usr/bin", unix.IN_OPEN))
}

func told([]string) error {
	const dnAccess = 1 // DN_ACCESS, which x/sys lacks
	dir, err := os.Open("/usr/bin")
	if err != nil {
		return err
	}
	defer dir.Close()
	return second(unix.FcntlInt(dir.Fd(), unix.F_NOTIFY, dnAccess))
}

// handle gets a folder's file handle, which is independent of mounts.
func handle([]string) error {
	return second2(unix.NameToHandleAt(unix.AT_FDCWD, "/", 0))
}

func second2[T, U any](_ T, _ U, err error) error { return err }

// fetch takes a descriptor from another process.
func fetch([]string) error {
	cmd := child("pause")
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Process.Kill()
	fd, err := unix.PidfdOpen(cmd.Process.Pid, 0)
	if err != nil {
		return err
	}
	return unmade(unix.PidfdGetfd(fd, 0, 0))
}

// unmade closes descriptors that could be created.
func unmade(fd int, err error) error {
	if err == nil {
		err = unix.Close(fd)
	}
	return err
}

// orphan leaves an independent process behind.
func orphan(a []string) error {
	cmd := child("pause", a[0])
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}
