package serve

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestReadSecrets(t *testing.T) {
	repo, own := t.TempDir(), t.TempDir()
	write := func(dir, name, text string, mode os.FileMode) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(file, []byte(text), mode), os.Chmod(file, mode)); err != nil {
			t.Fatal(err)
		}
		return file
	}
	link := filepath.Join(own, "link")
	inside := write(repo, "secret", secret+"\n", 0o600)
	cases := []struct{ name, file, why string }{
		{"one", write(own, "one", secret+"\n", 0o400), ""},
		{"two lines", write(own, "two", "  "+secret+"\r\n\n"+secret+"!\n", 0o640), ""},
		{"in the repository", inside, "lies in the repository"},
		{"missing", filepath.Join(own, "nowhere"), "no such file"},
		{"empty", write(own, "empty", "\n", 0o600), "the file is empty"},
		{"short", write(own, "short", "hunter2\n", 0o600), "too easily guessed"},
		{"a folder", own, "not a regular file"},
		{"large", write(own, "large", strings.Repeat("a", maxSecrets+1), 0o600), "not a regular file"},
	}
	if runtime.GOOS != "windows" {
		if err := os.Symlink(inside, link); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, []struct{ name, file, why string }{
			{"a link into the repository", link, "lies in the repository"},
			{"for everybody", write(own, "public", secret, 0o644), "other users of this machine"},
		}...)
	}
	for _, c := range cases {
		got, err := ReadSecrets(c.file, filepath.Join(repo, ".git"), repo)
		switch {
		case c.why == "" && (err != nil || string(got[0]) != secret):
			t.Errorf("%s: %q, %v", c.name, got, err)
		case c.why != "" && (!errors.Is(err, ErrSecret) || !strings.Contains(err.Error(), c.why) || strings.Contains(err.Error(), "hunter2")):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
