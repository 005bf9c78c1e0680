package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/cli"
)

// The scripts in testdata/script run the program itself, one behaviour each.
//
// Every script gets a home, a Git configuration (Ada <ada@example.org>) and a
// folder for keys and state of its own, all below $WORK; $TESTDATA is the folder
// testdata itself. Beside testscript's
// commands there are:
//
//	exits CODE PROGRAM ARG...      run it and compare the exit code
//	json FILE PATH [VALUE]         compare what stands at PATH of a JSON file; without
//	                               VALUE it must be there. FILE may be stdout or stderr
//	jsonmatch FILE PATH REGEXP     compare it with a regular expression
//	jsonenv NAME FILE PATH         put it into the environment variable NAME
//	until FILE REGEXP [NAME]       wait until FILE says so; the first group goes into NAME
//	get STATUS URL REGEXP          ask until the answer is like that
//	deliver STATUS URL SERVICE SECRET ID BODY
//	                               send a signed webhook and compare the answer's status
//
// A PATH is made of names and numbers joined by dots; [KEY=VALUE] picks an element
// of an array, len is its length: proposals.[id=x].files.len

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"assent": func() { os.Exit(cli.Main()) }})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		Setup:               surround,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": jsonIs, "jsonmatch": jsonMatches, "jsonenv": jsonEnv,
			"until": until, "get": get, "deliver": deliver,
		},
	})
}

const gitConfig = `[user]
	name = Ada
	email = ada@example.org
[init]
	defaultBranch = main
[advice]
	detachedHead = false
`

// surround gives a script its own home.
func surround(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	config := filepath.Join(home, ".gitconfig")
	if err := os.WriteFile(config, []byte(gitConfig), 0o600); err != nil {
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

func jsonIs(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 && len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH [VALUE]")
	}
	got, err := pick(ts.ReadFile(args[0]), args[1])
	if len(args) == 2 {
		if (err == nil) == neg {
			ts.Fatalf("%s: there is something: %v (%v)", args[1], err == nil, err)
		}
		return
	}
	ts.Check(err)
	if (got == args[2]) == neg {
		ts.Fatalf("%s is %s, compared with %s", args[1], got, args[2])
	}
}

func jsonMatches(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: jsonmatch FILE PATH REGEXP")
	}
	got, err := pick(ts.ReadFile(args[0]), args[1])
	ts.Check(err)
	re, err := regexp.Compile("(?s)" + args[2])
	ts.Check(err)
	if re.MatchString(got) == neg {
		ts.Fatalf("%s is %s, compared with %s", args[1], got, args[2])
	}
}

func jsonEnv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: jsonenv NAME FILE PATH")
	}
	got, err := pick(ts.ReadFile(args[1]), args[2])
	ts.Check(err)
	ts.Setenv(args[0], got)
}

// steps are the parts of a path; dots between brackets separate nothing.
var steps = regexp.MustCompile(`\[[^\]]*\]|[^.]+`)

// pick returns what stands at path: strings as they are, anything else as JSON.
func pick(text, path string) (string, error) {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return "", fmt.Errorf("not JSON: %w\n%s", err, text)
	}
	for _, step := range steps.FindAllString(path, -1) {
		next, err := descend(v, step)
		if err != nil {
			return "", fmt.Errorf("%s: at %q: %w", path, step, err)
		}
		v = next
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	out, err := json.Marshal(v)
	return string(out), err
}

func descend(v any, step string) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		if next, ok := v[step]; ok {
			return next, nil
		}
		return nil, errors.New("no such field")
	case []any:
		if step == "len" {
			return len(v), nil
		}
		if key, value, ok := strings.Cut(strings.Trim(step, "[]"), "="); ok {
			for _, e := range v {
				if m, ok := e.(map[string]any); ok && fmt.Sprint(m[key]) == value {
					return e, nil
				}
			}
			return nil, errors.New("no such element")
		}
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(v) {
			return nil, fmt.Errorf("no such element of %d", len(v))
		}
		return v[i], nil
	}
	return nil, errors.New("neither an object nor an array")
}
