package repositories_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// places are situations of a repository's location, owner and clock.
func places() []situation {
	return []situation{
		{name: "another-users", answer: refuses, code: 3, says: "safe.directory", make: func(p *place) {
			p.needsRoot()
			p.chown(p.ws, nobody)
		}, hold: func(p *place) {
			p.refused(3, "safe.directory")
			p.git("config", "--global", "--add", "safe.directory", p.ws)
			p.journey()
		}},
		{name: "read-only", answer: partly, says: "can be read and not written", make: (*place).readOnly, hold: func(p *place) {
			before := p.fingerprint()
			p.assent("list").exits(p, 0).says(p, "hum")
			p.assent("cat", "hum").exits(p, 0)
			p.assent("status").exits(p, 0).says(p, "in force: main at")
			p.assent("audit", "verify").exits(p, 0).says(p, "the record holds")
			p.assent("doctor").exits(p, 0).says(p, "can be read and not written")
			for _, writing := range [][]string{{"propose", filepath.Join(p.top, "bowline"), "--agent", "scout"}, {"undo", "hum"}} {
				p.assent(writing...).exits(p, 4).says(p, "a clone of your own")
			}
			if p.fingerprint() != before {
				p.Error("something was written")
			}
		}},
		{name: "read-only-mount", answer: partly, says: "the file system is read-only", make: func(p *place) {
			p.mounted("size=16m")
			if out, err := exec.Command("mount", "-o", "remount,ro", filepath.Dir(p.ws)).CombinedOutput(); err != nil {
				p.Skipf("cannot mount a file system for reading only: %s", out)
			}
		}, hold: func(p *place) {
			p.assent("list").exits(p, 0).says(p, "hum")
			p.assent("audit", "verify").exits(p, 0)
			p.assent("doctor").exits(p, 0).says(p, "can be read and not written")
			p.assent("propose", filepath.Join(p.top, "bowline"), "--agent", "scout").exits(p, 4).says(p, "the file system is read-only")
		}},
		{name: "no-exec-mount", answer: works, make: func(p *place) { p.mounted("size=16m,noexec") }},
		{name: "disk-full", answer: partly, says: "the disk is full: nothing was lost", make: func(p *place) { p.mounted("size=2m") }, hold: diskFull},
		{name: "file-size-limit", answer: partly, says: "nothing was lost", make: (*place).notOnWindows, hold: fileSizeLimit},
		{name: "large-history", answer: works, make: largeHistory, hold: func(p *place) {
			p.journeyWithoutTheOldPack()
		}},
		{name: "clock-behind", answer: partly, says: "the clock", make: func(*place) {}, hold: clockBehind},
		{name: "clock-ahead", answer: partly, says: "the clock", make: func(*place) {}, hold: clockAhead},
	}
}

// nobody is a user that owns nothing here.
const nobody = 65534

func (p *place) chown(dir string, uid int) {
	p.Helper()
	p.ok(filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, uid)
	}))
}

func (p *place) needsRoot() {
	p.Helper()
	if os.Geteuid() != 0 {
		p.Skip("needs root")
	}
}

// mounted moves the workspace to a file system of its own.
func (p *place) mounted(options string) {
	p.Helper()
	p.needsRoot()
	disk := filepath.Join(p.top, "disk")
	p.ok(os.Mkdir(disk, 0o755))
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", disk).CombinedOutput(); err != nil {
		p.Skipf("cannot mount a file system: %s", out)
	}
	p.Cleanup(func() {
		if err := exec.Command("umount", disk).Run(); err != nil {
			p.Error(err)
		}
	})
	p.ok(copyTree(p.ws, filepath.Join(disk, "ws")))
	p.ws = filepath.Join(disk, "ws")
}

// diskFull fills the disk before each writing command and frees it after.
func diskFull(p *place) {
	full := func(args ...string) {
		p.Helper()
		filler := filepath.Join(p.top, "disk", "filler")
		fill(p, filler)
		refs := p.git("for-each-ref")
		p.assent(args...).exits(p, 4).says(p, "the disk is full: nothing was lost")
		if now := p.git("for-each-ref"); now != refs {
			p.Errorf("%s moved refs:\n%s\n%s", args[0], refs, now)
		}
		p.ok(os.Remove(filler))
		p.git("fsck", "--strict", "--no-dangling")
	}
	full("propose", filepath.Join(p.top, "bowline"), "--agent", "scout")
	id := p.propose("bowline")
	full("review", id, "approve")
	p.assent("review", id, "approve").exits(p, 0)
	full("merge", id)
	p.assent("merge", id).exits(p, 0)
	p.witness()
	full("undo", id)
	p.assent("undo", id).exits(p, 0)
	p.assent("audit", "verify").exits(p, 0)
}

// fill writes until the disk is full.
func fill(p *place, path string) {
	p.Helper()
	f, err := os.Create(path)
	p.ok(err)
	defer f.Close()
	for size := 1 << 16; size > 0; size /= 2 {
		for {
			if _, err := f.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
}

// fileSizeLimit simulates a full disk where mounting one is not allowed. The limit for a file is
// below the size of a proposal's pack.
func fileSizeLimit(p *place) {
	p.write(filepath.Join(p.top, "bowline", "references", "long.md"), longText())
	refs := p.git("for-each-ref")
	r := p.run("sh", "-c", "ulimit -f 4; exec assent propose \"$0\" --agent scout", filepath.Join(p.top, "bowline"))
	r.exits(p, 4).says(p, "nothing was lost")
	if now := p.git("for-each-ref"); now != refs {
		p.Errorf("refs moved:\n%s", now)
	}
	p.git("fsck", "--strict", "--no-dangling")
	p.journey()
}

// longText returns a text that does not compress well.
func longText() string {
	var b strings.Builder
	b.WriteString("# Long\n\n")
	x := uint64(1)
	for range 2000 {
		x = x*6364136223846793005 + 1442695040888963407
		fmt.Fprintf(&b, "knot %d holds\n", x>>33)
	}
	return b.String()
}

// atTime runs assent with a clock set to when.
func (p *place) atTime(when time.Time, args ...string) result {
	p.Helper()
	return p.run("assent-at", append([]string{when.UTC().Format(time.RFC3339)}, args...)...)
}
