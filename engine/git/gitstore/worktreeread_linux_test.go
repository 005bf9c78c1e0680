package gitstore

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A FIFO in the place of a file is refused, and nobody waits for who writes to it.
func TestReadWorktreeFileWaitsForNobody(t *testing.T) {
	root := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(root, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, read := range readers {
		if got, err := read(root, "fifo"); err == nil {
			t.Errorf("%s: a FIFO is %q", name, got.data)
		}
	}
}
