package check

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A repository that says it is a part of another one makes git fetch what is missing, by a program that it names.
// assent-verify starts none, also with a git that knows no GIT_NO_LAZY_FETCH.
func TestFetchesNothing(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	old := t.TempDir()
	if err := os.WriteFile(filepath.Join(old, "git"), []byte("#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec '"+git+"' \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", old+string(filepath.ListSeparator)+os.Getenv("PATH"))
	missing := "tree " + strings.Repeat("1", 40) + "\nauthor M <m@example.org> 1700000000 +0000\ncommitter M <m@example.org> 1700000000 +0000\n\nBegin\n\nAssent-Genesis: yes\n"
	const url = "[remote %q]\n\turl = %s\n[protocol \"ext\"]\n\tallow = always\n[protocol \"file\"]\n\tallow = always\n[protocol \"ssh\"]\n\tallow = always\n[core]\n\trepositoryformatversion = 1\n\tbare = true\n\tsshCommand = touch CANARY #\n"
	n := 0
	for kind, text := range map[string]string{
		"extensions": "[extensions]\n\tpartialClone = %[1]s\n[remote %[1]q]\n\tpromisor = true\n", "extensions alone": "[EXTENSIONS]\n\tPARTIALCLONE = %s\n",
		"a remote": "[remote %q]\n\tpromisor = true\n", "a remote without a value": "[REMOTE %q]\n\tPROMISOR\n", "a filter": "[remote %q]\n\tpartialclonefilter = blob:none\n", "both of a remote": "[remote %q]\n\tPartialCloneFilter = tree:0\n\tpromisor = yes\n",
	} {
		for _, name := range []string{"origin", "a.b", "x y"} {
			for protocol, at := range map[string]string{"ext": "\"ext::sh -c touch% CANARY\"", "file": "file:///nowhere", "ssh": "ssh://nowhere/x", "https": "https://127.0.0.1:1/x"} {
				for _, place := range []string{"config", "an include", "a conditional include"} {
					n++
					t.Run(strings.Join([]string{kind, name, protocol, place}, ", "), func(t *testing.T) {
						dir := filepath.Join(t.TempDir(), "r.git")
						run := func(stdin string, args ...string) string {
							cmd := exec.Command(git, args...)
							cmd.Stdin = strings.NewReader(stdin)
							out, err := cmd.Output()
							if err != nil {
								t.Fatalf("git %v: %v", args, err)
							}
							return strings.TrimSpace(string(out))
						}
						run("", "init", "-q", "--bare", "-b", "main", dir)
						head := run(missing, "-C", dir, "hash-object", "-t", "commit", "-w", "--literally", "--stdin")
						canary := filepath.Join(dir, "canary")
						settings := strings.ReplaceAll(fmt.Sprintf(url+text, name, at, name), "CANARY", canary)
						switch place {
						case "an include":
							settings = "[core]\n\tbare = true\n[include]\n\tpath = more\n"
						case "a conditional include":
							settings = "[core]\n\tbare = true\n[includeIf \"gitdir:" + dir + "\"]\n\tpath = more\n"
						}
						before, err := Open(dir, true) // the settings come later, past the refusal
						if err != nil {
							t.Fatal(err)
						}
						for file, data := range map[string]string{"config": settings, "more": strings.ReplaceAll(fmt.Sprintf(url+text, name, at, name), "CANARY", canary), "refs/heads/main": head + "\n"} {
							if err := os.WriteFile(filepath.Join(dir, file), []byte(data), 0o600); err != nil {
								t.Fatal(err)
							}
						}
						before.git("cat-file", "-t", strings.Repeat("1", 40))
						before.Close()
						checker, err := Open(dir, true)
						if err == nil {
							t.Error("it is read")
							_, _ = checker.Check(time.Now())
							checker.Close()
						}
						if _, err := os.Stat(canary); err == nil {
							t.Error("git started a program")
						}
					})
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}
