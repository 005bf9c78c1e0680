package suite_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
)

func TestCause(t *testing.T) {
	for name, c := range map[string]struct {
		outcome suite.Outcome
		want    string
	}{
		"traceback":               {exited(1, "", traceback), "ValueError: no such text"},
		"traceback after text":    {exited(1, "partial\n", "warning: x\n"+traceback+"left over\n"), "ValueError: no such text"},
		"chained tracebacks":      {exited(1, "", traceback+"\nDuring handling of the above exception, another exception occurred:\n\n"+strings.Replace(traceback, "ValueError: no such text", "app.Refused: later", 1)), "app.Refused: later"},
		"exception without text":  {exited(1, "", strings.Replace(traceback, "ValueError: no such text", "KeyboardInterrupt", 1)), "KeyboardInterrupt"},
		"lower-case exception":    {exited(1, "", strings.Replace(traceback, "ValueError: no such text", "socket.timeout: timed out", 1)), "socket.timeout: timed out"},
		"node":                    {exited(1, "", "/x.js:1\nnull.x\n     ^\n\nTypeError: Cannot read properties of null\n    at Object.<anonymous> (/x.js:1:6)\n    at node:internal/main:1:2\n\nNode.js v20.0.0\n"), "TypeError: Cannot read properties of null"},
		"node, with causes":       {exited(1, "", "node:internal/x\n  ^\n\nTypeError: fetch failed\n    at node:internal/x:1:2\n    at file:///code/scripts/main.mjs:3:9 {\n  [cause]: Error: later told\n      at y (z.js:1:1) {\n    [cause]: Error [X]: connect EACCES 192.0.2.1:443 - Local (0.0.0.0:0)\n        at z (z.js:1:1) {\n      errno: -13\n"), "TypeError: fetch failed: connect EACCES 192.0.2.1:443 - Local (0.0.0.0:0)"},
		"argparse":                {exited(2, "", "usage: main.py [-h] --name NAME\n               [--more]\nmain.py: error: the following arguments are required: --name\n"), "main.py: error: the following arguments are required: --name"},
		"click":                   {exited(2, "", "Usage: main.py [OPTIONS]\nTry 'main.py --help' for help.\n\nError: Missing option '--name'.\n"), "Error: Missing option '--name'."},
		"usage alone":             {exited(2, "", "usage: main.sh FILE\nnothing else\n"), "usage: main.sh FILE"},
		"syntax before no output": {exited(0, "", "noise\n  SyntaxError: invalid syntax\n"), "SyntaxError: invalid syntax"},
		"syntax of a shell":       {exited(2, "", "main.sh: line 2: syntax error near unexpected token `('\n"), "main.sh: line 2: syntax error near unexpected token `('"},
		"no output":               {exited(0, "\n", "chatter\n"), "exited with 0 and wrote nothing to standard output"},
		"error object":            {exited(1, `{"error":{"message":"told"}}`, "noise"), "told"},
		"first line":              {exited(1, "out\n", "\n  first \nsecond\n"), "first"},
		"only standard output":    {exited(1, "\nout\n", ""), "out"},
		"nothing at all":          {exited(3, "", ""), "exited with 3 and said nothing"},
		"time":                    {suite.Outcome{Ended: suite.TimedOut, Stderr: "waiting\n"}, "did not end in its time: waiting"},
		"denied":                  {suite.Outcome{Ended: suite.Denied, Message: "host example.org:443"}, "was stopped for something that it may not do: host example.org:443"},
		"not run":                 {suite.Outcome{}, "was not run"},
		"cap":                     {suite.Outcome{Ended: suite.NotRun, Message: "100 executions are used up"}, "was not run: 100 executions are used up"},
		"addresses":               {exited(1, "", "object at 0x7f00deadbeef\n"), "object at 0x…"},
		"control characters":      {exited(1, "", "a\x1b[31m\tb\xff\n"), "a [31m b\uFFFD"},
	} {
		if got := suite.Cause(c.outcome); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	long := suite.Cause(exited(1, "", strings.Repeat("ä", 500)))
	if utf8.RuneCountInString(long) != suite.MaxCause || !strings.HasSuffix(long, "…") {
		t.Errorf("%d characters", utf8.RuneCountInString(long))
	}
}

func TestEnding(t *testing.T) {
	for name, c := range map[string]struct {
		outcome suite.Outcome
		want    string
	}{
		"last line":            {exited(1, "out\n", "look\n\nlast\r\n\n"), "last"},
		"only standard output": {exited(1, "look at a\nlook at b\n", "\n"), "look at b"},
		"nothing at all":       {exited(3, "", ""), "exited with 3 and said nothing"},
		"traceback":            {exited(1, "", "look\n"+traceback), "ValueError: no such text"},
		"handled traceback":    {exited(1, "", traceback+"2 files failed\n"), "2 files failed"},
		"node":                 {exited(1, "", "/x.js:1\n\nTypeError: none\n    at Object.<anonymous> (/x.js:1:6)\n\nNode.js v20.0.0\n"), "TypeError: none"},
		"syntax of a shell":    {exited(2, "", "look\na: line 3: syntax error near unexpected token `fi'\na: line 3: `fi'\n"), "a: line 3: syntax error near unexpected token `fi'"},
		"long":                 {exited(1, "", strings.Repeat("x", 500)), strings.Repeat("x", suite.MaxCause-1) + "…"},
	} {
		if got := suite.Ending(c.outcome); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestRemedy(t *testing.T) {
	for name, c := range map[string]struct {
		outcome suite.Outcome
		want    string
	}{
		"no network":       {exited(1, "", strings.Replace(traceback, "ValueError: no such text", "urllib.error.URLError: <urlopen error [Errno -2] Name or service not known>", 1)), "requires.hosts"},
		"node, no network": {exited(1, "", "Error: getaddrinfo ENOTFOUND example.org\n    at x (y.js:1:1)\n"), "requires.hosts"},
		"curl, no network": {exited(6, "", "curl: (6) Could not resolve host: example.org\n"), "requires.hosts"},
		"a socket":         {exited(1, "", strings.Replace(traceback, "ValueError: no such text", "PermissionError: [Errno 13] Permission denied", 1)), "$HTTPS_PROXY"},
		"fetch of node 20": {exited(1, "", "TypeError: fetch failed\n    at node:internal/x:1:2\n    at file:///main.mjs:3:9 {\n  [cause]: Error: connect EACCES 192.0.2.1:443 - Local (0.0.0.0:0)\n"), "version 24"},
		"a file":           {exited(1, "", strings.Replace(traceback, "ValueError: no such text", "PermissionError: [Errno 13] Permission denied: '/proc/1/mem'", 1)), ""},
		"memory":           {exited(1, "", strings.Replace(traceback, "ValueError: no such text", "MemoryError", 1)), "run.memory"},
		"killed for it":    {suite.Outcome{Ended: suite.OverMemory}, "run.memory"},
		"forks":            {suite.Outcome{Ended: suite.TimedOut, Stderr: "main.sh: fork: retry: Resource temporarily unavailable\n"}, "processes"},
		"forks in Python":  {exited(1, "", strings.Replace(traceback, "ValueError: no such text", "BlockingIOError: [Errno 11] Resource temporarily unavailable", 1)), "processes"},
		"forks, told":      {exited(1, "", "fork: [Errno 11] Resource temporarily unavailable after 63\n"), "processes"},
		"an address":       {exited(1, "", strings.Replace(traceback, "ValueError: no such text", "urllib.error.URLError: <urlopen error [Errno 13] Permission denied>", 1)), "requires.hosts"},
		"writes":           {exited(1, "", "main.sh: line 1: /scratch/x: No such file or directory\n"), "run.write"},
		"writes in Python": {exited(1, "", strings.Replace(traceback, "ValueError: no such text", "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/x'", 1)), "run.write"},
		"time":             {suite.Outcome{Ended: suite.TimedOut}, "run.timeout"},
		"output":           {suite.Outcome{Ended: suite.OverOutput}, "1 MiB"},
		"silence":          {exited(0, "", ""), "standard output"},
		"another error":    {exited(1, "", traceback), ""},
		"an answer":        {exited(0, "{}", ""), ""},
		"words of one":     {exited(0, "Read-only file system\n", ""), ""},
		"told in one":      {exited(0, `{"error": "Read-only file system"}`, ""), "run.write"},
		"not run":          {suite.Outcome{}, ""},
	} {
		if got := suite.Remedy(c.outcome); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestExplain(t *testing.T) {
	patterns := []capability.ErrorPattern{
		{Match: "(", Means: "broken"}, {Match: "", Means: "empty"},
		{Match: "no such (text|file)", Means: "there is none", Fix: "make one", Resolved: true},
		{Match: "such", Means: "later"},
	}
	c := expecting(t, "{succeeds: true}")
	r := suite.Judge(suite.Subject{Patterns: patterns}, []suite.Case{c}, [][]suite.Outcome{{exited(1, "", traceback)}}).Cases[0]
	if r.Means != "there is none" || r.Fix != "make one" || !r.Returned {
		t.Errorf("%+v", r)
	}
	if _, ok := suite.Explain(patterns, "all is well"); ok {
		t.Error("an error is seen where none is")
	}
}

// TestRemedyOfACase: the remedy depends on the demand. A capability that should have
// refused is not advised to print an answer.
func TestRemedyOfACase(t *testing.T) {
	report := judged(t, tool(t, "", ""), program(func(map[string]any) suite.Outcome { return suite.Outcome{Ended: suite.Exited} }).run)
	for _, r := range report.Cases {
		want := "it prints its answer"
		if r.Kind == suite.MissingRequired || r.Kind == suite.ErrorHandling {
			want = "it refuses by another exit code than 0"
		}
		if r.Kind != suite.InvalidType && r.Kind != suite.InvalidValue && !strings.HasPrefix(r.Fix, want) {
			t.Errorf("%s: %q, want %q", r.Name, r.Fix, want)
		}
	}
}
