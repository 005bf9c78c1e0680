//go:build unix

package work_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/assent-dev/assent/engine/flows/work"
)

// What a command leaves in its process group ends with it.
func TestCommandLeavesNoProcess(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	wrote := make(chan string)
	go func() {
		said, _ := os.ReadFile(fifo) // ends when no process has it open
		wrote <- string(said)
	}()
	c := work.Command{Line: "exec 3> '" + fifo + "'; (sleep 30; echo alive >&3) > /dev/null 2>&1 & echo hi", Dir: t.TempDir(), Out: io.Discard, Err: io.Discard}
	if why, err := c.Run(t.Context()); why != "" || err != nil {
		t.Fatalf("the command failed: %s %v", why, err)
	}
	if said := <-wrote; said != "" {
		t.Errorf("a process lived on: it wrote %q", said)
	}
}
