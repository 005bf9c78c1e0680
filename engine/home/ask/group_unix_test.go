//go:build unix

package ask_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What a command leaves in its process group ends with it, whichever way it ends.
func TestCommandLeavesNoProcess(t *testing.T) {
	for _, end := range []string{"echo answer", "exit 3"} {
		fifo := filepath.Join(t.TempDir(), "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		wrote := make(chan string)
		go func() {
			said, _ := os.ReadFile(fifo) // ends when no process has it open
			wrote <- string(said)
		}()
		_, _ = asks(form.Command("exec 3> '"+fifo+"'; (sleep 30; echo alive >&3) > /dev/null 2>&1 & "+end), "q")
		if said := <-wrote; said != "" {
			t.Errorf("after %q a process lived on: it wrote %q", end, said)
		}
	}
}
