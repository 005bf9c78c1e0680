// Package clitest runs scripts of the program: with a home of their own, and with
// commands that compare exit codes, JSON and the answers of a daemon. A package that
// has scripts runs each of its folders below testdata with
//
//	testscript.Run(t, clitest.Params("script"))
//
// and its TestMain makes the test's binary the program. Apart from year, this package sees only the
// program's output and exit code. Packages divide the scripts by subject, so that each
// ends well within the ten minutes of go test.
//
// Every script gets a home, a Git configuration (Ada <ada@example.org>) and a
// folder for keys and state of its own, all below $WORK; $TESTDATA is the package's
// folder testdata itself. Beside testscript's commands there are:
//
//	exits CODE PROGRAM ARG...      run it and compare the exit code
//	json FILE PATH [VALUE]         compare the value at PATH of a JSON file; without
//	                               VALUE it must be there. FILE may be stdout or stderr
//	jsonmatch FILE PATH REGEXP     compare it with a regular expression
//	jsonenv NAME FILE PATH         put it into the environment variable NAME
//	until FILE REGEXP [NAME]       wait until FILE matches; the first group goes into NAME
//	get STATUS URL REGEXP          ask until the answer is like that
//	deliver STATUS URL SERVICE SECRET ID BODY
//	                               send a signed webhook and compare the answer's status
//	year FOLDER WORKSPACE          record a year of missions in a workspace, by its id
//
// A PATH is made of names and numbers joined by dots; [KEY=VALUE] picks an element
// of an array, len is its length: proposals.[id=x].files.len
package clitest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/cli"
	"github.com/assent-dev/assent/engine/cli/console"
)

// Main is the program as scripts run it: people's keys sign without a passphrase and without a
// terminal, unless TEST_ASSENT_ATTENDED is set. With TEST_ASSENT_KILL=FILE:TEXT it is killed when it asks
// for the time and a file that fits the pattern holds the text. With TEST_ASSENT_LATER=DURATION its clock is ahead.
func Main() int {
	w := console.Process()
	if os.Getenv("TEST_ASSENT_ATTENDED") == "" {
		w.Unattended = func() (bool, error) { return true, nil }
	}
	if ahead, err := time.ParseDuration(os.Getenv("TEST_ASSENT_LATER")); err == nil {
		now := w.Now
		w.Now = func() time.Time { return now().Add(ahead) }
	}
	if pattern, text, set := strings.Cut(os.Getenv("TEST_ASSENT_KILL"), ":"); set {
		now := w.Now
		w.Now = func() time.Time {
			files, _ := filepath.Glob(pattern)
			for _, f := range files {
				if data, err := os.ReadFile(f); err == nil && strings.Contains(string(data), text) {
					kill()
				}
			}
			return now()
		}
	}
	return cli.MainIn(w)
}

// kill ends the process as kill -9 does.
func kill() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {}
}

// GitConfig is the user's Git configuration: Ada's identity, and nothing of the machine's.
const GitConfig = `[user]
	name = Ada
	email = ada@example.org
[init]
	defaultBranch = main
[advice]
	detachedHead = false
`

// Params are those of the scripts in a folder below the package's testdata. The caller
// may add commands, and to the set-up.
func Params(folder string) testscript.Params {
	return testscript.Params{
		Dir:                 filepath.Join("testdata", folder),
		Setup:               surround,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": jsonIs, "jsonmatch": jsonMatches, "jsonenv": jsonEnv,
			"until": until, "get": get, "deliver": deliver, "year": year,
		},
	}
}

// surround gives a script its own home.
func surround(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	config := filepath.Join(home, ".gitconfig")
	if err := os.WriteFile(config, []byte(GitConfig), 0o600); err != nil {
		return err
	}
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		return err
	}
	for _, v := range [][2]string{
		{"TESTDATA", testdata},
		{"HOME", home}, {"USERPROFILE", home}, {"XDG_CONFIG_HOME", filepath.Join(home, ".config")},
		{"ASSENT_HOME", filepath.Join(home, "assent")}, {"ASSENT_AGENT", ""}, {"ASSENT_KEY", ""},
		{"GIT_CONFIG_GLOBAL", config}, {"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_TERMINAL_PROMPT", "0"},
		{"SSH_AUTH_SOCK", ""}, {"TZ", "UTC"}, {"LC_ALL", "C"},
		{"GOGC", "off"}, {"GOMEMLIMIT", "400MiB"}, // some thousand short processes, a sixth of whose time went into this
	} {
		env.Setenv(v[0], v[1])
	}
	return nil
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s ended with exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}
