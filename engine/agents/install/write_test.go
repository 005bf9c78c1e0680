package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWritable: it is known before the first write whether a file can be written, and nothing is left of the attempt.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"open": 0o700, "closed": 0o500} {
		if err := os.Mkdir(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, can := range map[string]bool{"a": true, "open/a": true, "open/b/c": true, "closed/a": false, "closed/b/c": false, "file/a": false, "file/b/c": false} {
		if os.Geteuid() == 0 && strings.HasPrefix(name, "closed/") {
			continue // the administrator may write there
		}
		if err := (Edit{Dir: dir, Name: name}).Writable(); (err == nil) != can {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"open", "closed"} {
		if left, err := os.ReadDir(filepath.Join(dir, name)); err != nil || len(left) > 0 {
			t.Errorf("%s has %v, %v", name, left, err)
		}
	}
}
