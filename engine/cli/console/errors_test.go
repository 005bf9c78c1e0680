package console

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnwritableHome: where the user's own folder cannot be written, no clone helps.
func TestUnwritableHome(t *testing.T) {
	err := fmt.Errorf("record the use of a session: %w", fs.ErrPermission)
	t.Setenv("ASSENT_HOME", t.TempDir())
	if hint := Classify(err).Hint; !strings.Contains(hint, "assent clone") {
		t.Error(hint)
	}
	file := filepath.Join(t.TempDir(), "file") // nothing can be written below it, by root either
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ASSENT_HOME", file)
	if f := Classify(err); f.Code != ExitWorld || !strings.Contains(f.Hint, file) || !strings.Contains(f.Hint, "ASSENT_HOME") {
		t.Errorf("exit code %d: %s", f.Code, f.Hint)
	}
}
