package sandbox_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/sandbox/cgroup"
)

// TestTogether: with control groups, the memory of many processes, and of the kernel for them,
// is bounded. Each program succeeds with enough room, and is ended without.
func TestTogether(t *testing.T) {
	if _, err := cgroup.Find(); err != nil {
		t.Skip("no control groups: ", err)
	}
	box := isolating(t)
	const room = 4 << 30
	for name, code := range map[string]string{
		"processes": `
import os, time
def keep():
    held = bytearray(24 << 20)
    for i in range(0, len(held), 4096): held[i] = 1
    return held
pipes = []
for i in range(9):
    said, say = os.pipe()
    if os.fork() == 0:
        mine = keep()
        os.write(say, b"x")
        os.close(say)
        time.sleep(3600)
    os.close(say)
    pipes.append(said)
for said in pipes: os.read(said, 1)
print("all of it")`,
		"names": `
import os
for i in range(200_000): os.close(os.open(f"/scratch/{i}", os.O_CREAT | os.O_WRONLY))
print("all of it")`,
		"page tables": `
import mmap
held = mmap.mmap(-1, 120 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
for i in range(0, len(held), 2 << 20): held[i]
print("all of it")`,
	} {
		t.Run(name, func(t *testing.T) {
			spec := sandbox.Spec{Args: []string{"python3", "-c", code}, Write: true}
			spec.Limits = sandbox.Limits{Memory: 32 << 20, FileSize: 1 << 20, Wall: time.Hour, CPU: time.Hour}
			if r, err := box.Run(t.Context(), spec); err != nil || r.Ended != sandbox.TooMuchMemory {
				t.Errorf("bounded: %+v, %v", r, err)
			}
			spec.Limits.FileSize = room // also counted
			if r, err := box.Run(t.Context(), spec); err != nil || string(r.Stdout) != "all of it\n" {
				t.Errorf("with room: %+v, %v", r, err)
			}
		})
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil || strings.Contains(string(own), "assent-") {
		t.Errorf("this process is in a group that was for a program: %s %v", own, err)
	}
}
