package marked

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWrite: what stood between the marks is replaced, again and again, and nothing else.
func TestWrite(t *testing.T) {
	const begin = "<!-- begin: go run ./bench -write writes here -->"
	file := filepath.Join(t.TempDir(), "b.md")
	if err := os.WriteFile(file, []byte("# Title\n"+begin+"\nold\n"+end+"\nreasons\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Write(file, "./bench", "new\n"); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if want := "# Title\n" + begin + "\n\nnew\n\n" + end + "\nreasons\n"; err != nil || string(got) != want {
			t.Errorf("%q instead of %q (%v)", got, want, err)
		}
	}
	if err := Write(file, "./bench/other", "new\n"); err == nil {
		t.Error("a file without the marks was written")
	}
}
