package tempdir_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tempdir"
)

// TestMain also serves as the process that is killed: it makes a folder of each kind, and waits.
func TestMain(m *testing.M) {
	if os.Getenv("ASSENT_TEST_TEMPDIR") == "" {
		os.Exit(m.Run())
	}
	for _, kind := range kinds {
		dir, err := tempdir.Make(kind)
		if err != nil {
			panic(err)
		}
		fmt.Println(dir)
	}
	fmt.Println("made")
	select {}
}

var kinds = []string{"checkout", "foreign", "init", "run", "task", "tree"}

func TestKilled(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ASSENT_TEST_TEMPDIR=1")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "made"; {
		left = append(left, lines.Text())
	}
	make := func() {
		t.Helper()
		if _, err := tempdir.Make("foreign"); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-tempdir.Lost - time.Minute)
	age := func(dirs ...string) {
		for _, dir := range dirs {
			if err := os.Chtimes(dir, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	there := func(want bool, why string, dirs ...string) {
		t.Helper()
		for _, dir := range dirs {
			if _, err := os.Stat(dir); (err == nil) != want {
				t.Errorf("%s: %s: %v", why, filepath.Base(dir), err)
			}
		}
	}
	if len(left) != len(kinds) {
		t.Fatalf("it made %v", left)
	}
	others := []string{filepath.Join(temp, "other-1-1"), filepath.Join(temp, "assent-foreign-x-1"), filepath.Join(temp, "assent-else-1-1")}
	for _, dir := range others {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	age(others...)
	age(left...)
	make()
	there(true, "its process runs", left...)
	if err := cmd.Process.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for _, dir := range left {
		if err := os.WriteFile(filepath.Join(dir, "large"), []byte(strings.Repeat("x", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	make()
	there(true, "it was used just now", left...)
	age(left...)
	make()
	there(false, "its process was killed", left...)
	there(true, "it is another's", others...)
}
