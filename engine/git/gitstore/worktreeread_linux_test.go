package gitstore

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReadWorktreeFileWaitsForNobody: a FIFO in place of a file is refused without waiting for
// a writer.
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
