//go:build amd64 || arm64

package sandbox

import (
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assent-dev/assent/engine/sandbox/stage"
)

// etc lists the paths of /etc that programs need; none of them has data about this machine's
// users. Certificates are bound if there is a network.
var (
	etc          = []string{"/etc/alternatives"}
	certificates = []string{"/etc/ssl/certs", "/etc/pki/tls", "/etc/pki/ca-trust", "/etc/ca-certificates"}
	linker       = []string{"/etc/ld.so.cache", "/etc/ld-musl-x86_64.path", "/etc/ld-musl-aarch64.path"}
)

// accounts lists the synthetic files of /etc.
var accounts = []struct{ name, text string }{
	{"/etc/passwd", "nobody:x:65534:65534:nobody:" + Scratch + ":/usr/sbin/nologin\n"},
	{"/etc/group", "nogroup:x:65534:\n"},
	{"/etc/hosts", "127.0.0.1 localhost sandbox\n"},
	{"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"},
}

// bindReadable binds the system's folders and the given ones read-only.
func (p *plan) bindReadable(further []string, network bool) {
	folders := slices.Concat(system, etc)
	if network {
		folders = append(folders, certificates...)
	}
	for _, dir := range folders {
		info, err := os.Lstat(dir)
		if err != nil {
			continue // this system has no such folder
		}
		if to, err := os.Readlink(dir); err == nil && info.Mode()&os.ModeSymlink != 0 && strings.Count(dir, "/") == 1 {
			p.add("--symlink", to, dir)
			continue
		}
		p.bind(dir)
	}
	for _, dir := range further {
		if !slices.ContainsFunc(system, func(top string) bool { return isBelow(dir, top) }) {
			p.bind(dir)
		}
	}
}

func (p *plan) bind(dir string) {
	p.parents(dir)
	p.add("--ro-bind", dir, dir)
	p.bound = append(p.bound, dir)
}

// parents creates the parent folders of a file with permissions to traverse them: bubblewrap
// restricts the ones that it creates itself to their owner.
func (p *plan) parents(file string) {
	dir := path.Dir(file)
	if dir == "/" || dir == Code || slices.Contains(p.created, dir) {
		return
	}
	p.parents(dir)
	p.created = append(p.created, dir)
	p.add("--perms", "0755", "--dir", dir)
}

// devices lists the devices that are bound, deviceLinks the other device names. A mapped
// /dev/zero is memory that no limit counts, so it is a link to /dev/full, which reads the same.
// Binding one device takes as long as all links together.
var (
	devices     = []string{"/dev/null", "/dev/full", "/dev/urandom"}
	deviceLinks = []struct{ to, name string }{
		{"full", "/dev/zero"},
		{"urandom", "/dev/random"},
		{"/proc/self/fd", "/dev/fd"},
		{"/proc/self/fd/0", "/dev/stdin"},
		{"/proc/self/fd/1", "/dev/stdout"},
		{"/proc/self/fd/2", "/dev/stderr"},
	}
)

// addSystem adds what every program has: its own processes, harmless devices, a nameless user.
func (p *plan) addSystem() error {
	p.add("--proc", "/proc")
	p.parents("/dev/null")
	for _, device := range devices {
		p.add("--dev-bind", device, device)
	}
	for _, link := range deviceLinks {
		p.add("--symlink", link.to, link.name)
	}
	for _, file := range accounts {
		fd, err := p.addText(path.Base(file.name), []byte(file.text))
		if err != nil {
			return err
		}
		p.parents(file.name)
		p.add("--perms", "0444", "--file", fd, file.name)
	}
	for _, name := range linker {
		if f, err := os.Open(name); err == nil { // a system has at most one of them
			p.add("--perms", "0444", "--file", p.addFile(f), name)
		}
	}
	return nil
}

// addWritable adds the writable folders, if the Spec has any.
func (p *plan) addWritable(spec Spec) {
	if spec.Write {
		size := strconv.FormatInt(spec.Limits.FileSize, 10)
		for _, dir := range writableFolders(spec) {
			p.add("--perms", "1777", "--size", size, "--tmpfs", dir)
		}
		if !slices.ContainsFunc(p.bound, func(dir string) bool { return isBelow(dir, "/tmp") }) {
			p.add("--symlink", Scratch, "/tmp") // if something below /tmp is readable, /tmp is a folder already
		}
	}
}

// writableFolders returns the writable folders inside. They include shared memory, which semaphores
// need.
func writableFolders(spec Spec) []string {
	if !spec.Write {
		return nil
	}
	return []string{Scratch, "/dev/shm"}
}

// totalMemory returns the memory limit of all processes, on systems with control groups: two
// processes may use all of Memory, and the writable folders may be full. A lower limit would
// fail programs here that pass on other machines.
func (s Spec) totalMemory() int64 {
	const overhead = 64 << 20 // page tables, and the sandbox itself
	return 2*s.Limits.Memory + int64(len(writableFolders(s)))*s.Limits.FileSize + overhead
}

// addCode adds the files, in memory that is released with the plan, or binds the folder.
func (p *plan) addCode(folder string, files map[string]File) error {
	if folder != "" {
		p.add("--ro-bind", folder, Code)
		return nil
	}
	p.add("--perms", "0755", "--dir", Code)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		fd, err := p.addText(path.Base(name), f.Data)
		if err != nil {
			return err
		}
		mode := "0444"
		if f.Executable {
			mode = "0555"
		}
		p.parents(path.Join(Code, name))
		p.add("--perms", mode, "--file", fd, path.Join(Code, name))
	}
	return nil
}

// order returns the stage's instructions: what it does inside before it executes the program.
func (m machine) order(spec Spec, found program, runnable []string) stage.Order {
	args, from := slices.Clone(spec.Args), ""
	if found.path != "" {
		args[0], from = found.path, path.Dir(found.path)
	} else if !path.IsAbs(args[0]) {
		args[0] = path.Join(Code, args[0])
	}
	home := ""
	if spec.Write {
		home = Scratch
	}
	o := stage.Order{Args: args, Env: spec.environ(from, home, "http://127.0.0.1:"+strconv.Itoa(port)), Writable: writableFolders(spec), Runnable: append(runnable, Code), Limits: spec.Limits.resources()}
	if m.users != nil {
		o.User = nobody
	}
	return o
}

// resources returns the limits that the kernel enforces for each process.
func (l Limits) resources() map[int]uint64 {
	seconds := (l.CPU + time.Second - 1) / time.Second
	return map[int]uint64{
		unix.RLIMIT_CPU:        uint64(seconds),
		unix.RLIMIT_DATA:       uint64(l.Memory),
		unix.RLIMIT_STACK:      8 << 20, // not counted as data
		unix.RLIMIT_FSIZE:      uint64(l.FileSize),
		unix.RLIMIT_NPROC:      uint64(l.Processes),
		unix.RLIMIT_NOFILE:     uint64(l.Descriptors),
		unix.RLIMIT_CORE:       0,
		unix.RLIMIT_MSGQUEUE:   0,
		unix.RLIMIT_NICE:       0,
		unix.RLIMIT_RTPRIO:     0,
		unix.RLIMIT_MEMLOCK:    64 << 10,
		unix.RLIMIT_SIGPENDING: 1024,
	}
}
