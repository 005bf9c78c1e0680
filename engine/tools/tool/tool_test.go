package tool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// view is a tree whose capabilities are found by name.
type view struct {
	tree.View
	capability.Namer
}

// files adds a capability to a tree.
func files(to map[string]string, name, record string, more map[string]string) {
	dir := "skills/" + name + "/"
	to[dir+"SKILL.md"] = "---\nname: " + name + "\ndescription: Does what a test needs. Use it in tests.\n---\n\n# Test\n"
	to[dir+"capability.yaml"] = record
	for file, text := range more {
		to[dir+file] = text
	}
}

const record = "kind: tool\nversion: 1.0.0\ninput: {type: object}\n"

func program(runtime, entry string) string {
	return record + "run: {runtime: " + runtime + ", entry: scripts/" + entry + ", timeout: 20s}\n"
}

// engine returns an Engine over a tree. On a machine that cannot isolate, a test skips when it
// needs isolation.
func engine(t *testing.T, files map[string]string) *Engine {
	t.Helper()
	if files["policies/autonomy.yaml"] == "" {
		files["policies/autonomy.yaml"] = "executables: [tool, mcp]\n"
	}
	m := tree.MapOf(files)
	policies, found := policy.Load(m)
	if found.HasErrors() {
		t.Fatal(found)
	}
	return &Engine{
		View: view{m, capability.NamerOf(m)}, Policies: policies, Session: "s", Ledger: calls.NewLedger(t.TempDir(), "w"), Now: time.Now,
		Secret:     func(string) (string, bool, error) { return "", false, nil },
		SecretHint: func(string) string { return "" },
		Packages:   t.TempDir(),
		Runner: func(ctx context.Context) (sandbox.Runner, error) {
			b, err := sandbox.New(ctx)
			if refused := (*sandbox.Refusal)(nil); errors.As(err, &refused) {
				t.Skip(err)
			}
			return b, err
		},
	}
}

func do(t *testing.T, e *Engine, name, input string) Result {
	t.Helper()
	res, err := e.Do(t.Context(), Call{Name: name, Input: json.RawMessage(input)})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return res
}

// TestRefuses checks that a forbidden call never starts, and the account stays as it is. The
// runner fails the test if it is called.
func TestRefuses(t *testing.T) {
	all := map[string]string{
		"policies/security.yaml": "sandbox: {hosts: [\"*.example.org:443\"]}\n",
		"policies/autonomy.yaml": "executables: [tool]\n",
	}
	run := "run: {runtime: bash, entry: scripts/main.sh}\n"
	script := map[string]string{"scripts/main.sh": "echo 1\n"}
	for name, more := range map[string]string{
		"testing": "status: testing\n", "retired": "status: retired\n", "denied": "agents: {deny: [scout]}\n",
		"others": "agents: {allow: [smith]}\n", "hosts": "requires: {hosts: [\"a.example.org:443\", \"evil.example.net:443\"]}\n",
		"secret": "requires: {secrets: [TOKEN]}\n", "euros": "cost: {per_use: 0.1, currency: EUR}\n", "dear": "cost: {per_use: 1.01, currency: USD}\n",
		"schema": "", "bins": "requires: {bins: [no-such-program]}\n",
	} {
		files(all, name, record+run+more, script)
	}
	files(all, "strict", "kind: tool\nversion: 1.0.0\ninput: {type: object, required: [a/b], properties: {a/b: {type: string}}, additionalProperties: false}\n"+run, script)
	files(all, "server", "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-stdio}\n", map[string]string{"server.json": "{}"})
	files(all, "spec", "kind: tool\nversion: 1.0.0\nstatus: researching\ninput: {type: object}\n", nil)
	files(all, "damaged", "kind: tool\nversion: 1.0.0\n"+run, script)
	e := engine(t, all)
	e.Agent = "scout"
	e.Runner = func(context.Context) (sandbox.Runner, error) {
		t.Error("something started")
		return nil, errors.New("no")
	}
	for _, tc := range []struct {
		name, input string
		want        ErrorType
		says        string
	}{
		{"nothing", "{}", NotFound, ""}, {"schema__method", "{}", NotFound, "of kind tool"},
		{"testing", "{}", NotActive, ""}, {"retired", "{}", NotActive, ""},
		{"denied", "{}", NotAllowed, ""}, {"others", "{}", NotAllowed, ""}, {"server__add", "{}", NotAllowed, "no capability of kind mcp"},
		{"spec", "{}", NotCallable, ""}, {"damaged", "{}", NotCallable, "needs a schema of its input"},
		{"hosts", "{}", HostRefused, "evil.example.net:443"}, {"secret", "{}", MissingSecret, "TOKEN"}, {"bins", "{}", NotAvailable, "no-such-program is not installed on this machine"},
		{"euros", "{}", CostCap, "EUR"}, {"dear", "{}", CostCap, ""},
		{"strict", "{}", InvalidInput, "missing property 'a/b'"}, {"strict", `{"a/b":1}`, InvalidInput, "/a~1b: got number, want string"},
		{"schema", "[]", InvalidInput, "no object"}, {"schema", "{", InvalidInput, "no JSON"}, {"schema", "{} {}", InvalidInput, "more than one"},
		{"schema", `{"a":"` + strings.Repeat("x", MaxInput) + `"}`, InvalidInput, "more than"},
		{"schema", "{\"a\":\"\xff\"}", InvalidInput, "UTF-8"}, {"schema", `{"a":1,"b":[{"c":{},"c":2}]}`, InvalidInput, `"c" occurs twice`},
	} {
		res := do(t, e, tc.name, tc.input)
		if res.Success || res.Type != tc.want || !strings.Contains(res.Error, tc.says) || res.Type.Started() {
			t.Errorf("%s %.40s: %s %s, want %s", tc.name, tc.input, res.Type, res.Error, tc.want)
		}
		at, err := ObstacleTo(e, tc.name)
		if input := tc.want == InvalidInput || strings.HasPrefix(tc.name, "schema"); err != nil || input != (at == nil) || at != nil && (at.Type != tc.want || !strings.Contains(at.Error, tc.says)) {
			t.Errorf("%s: the obstacle is %+v, %v, want %s", tc.name, at, err, tc.want)
		}
	}
	e.Agent = "" // a caller without a name is not admitted
	if res := do(t, e, "others", "{}"); res.Type != NotAllowed || !strings.Contains(res.Error, "smith; and no agent is named") {
		t.Errorf("nobody: %s %s", res.Type, res.Error)
	}
	e.Agent = "scout"
	if s, err := e.Ledger.Session("s"); err != nil || s != (calls.Spent{}) {
		t.Errorf("%v was taken, %v", s, err)
	}
	// A test shows nothing if the machine lacks a program that the capability names.
	c, _, err := capability.Load(e.View, "skills/bins")
	if err != nil {
		t.Fatal(err)
	}
	runner, err := NewTrial(e.View, e.Policies, nil, e.Now, "").Runner(c)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := runner(t.Context(), suite.Call{}); err != nil || out.Ended != suite.NotRun || !strings.Contains(out.Message, "no-such-program") {
		t.Errorf("a test without the program: %v, %v", out, err)
	}
}

// TestPrograms checks how programs of each runtime end.
func TestPrograms(t *testing.T) {
	all := map[string]string{}
	for name, p := range map[string][3]string{
		"py":      {"python", "main.py", "import sys; print(sys.argv[1])"},
		"sh":      {"bash", "main.sh", `printf '%s' "$1"`},
		"js":      {"node", "main.js", "console.log(process.argv[2])"},
		"text":    {"bash", "main.sh", "echo plain words"},
		"silent":  {"bash", "main.sh", "exit 0"},
		"broken":  {"bash", "main.sh", "echo 'no paper' >&2; exit 7"},
		"hangs":   {"bash", "main.sh", "sleep 1000"},
		"floods":  {"bash", "main.sh", "yes"},
		"assets":  {"bash", "main.sh", "cat assets/a.txt; ! cat SKILL.md 2>/dev/null && ! cat tests.yaml 2>/dev/null"},
		"writes":  {"bash", "main.sh", "echo x > scripts/main.sh || echo '\"refused\"'"},
		"tells":   {"bash", "main.sh", `echo '{"error": {"code": 7, "message": "no paper"}}'`},
		"none":    {"bash", "main.sh", `echo '{"error": "", "n": 1}'`},
		"twofold": {"bash", "main.sh", `cmp -s <(printf '%s' "$1") - && echo true`},
	} {
		files(all, name, program(p[0], p[1]), map[string]string{"scripts/" + p[1]: p[2], "assets/a.txt": `["a"]`, "tests.yaml": "cases: [{name: one, input: {}, expect: {contains: paper}}]\n"})
	}
	files(all, "wrong", program("bash", "main.sh")+"output: {type: object, properties: {n: {type: integer}}}\n", map[string]string{"scripts/main.sh": `echo '{"n":"one"}'`})
	files(all, "cut", program("bash", "main.sh")+"output: {type: object}\n", map[string]string{"scripts/main.sh": `echo '{"n": 1'`})
	files(all, "chatty", program("bash", "main.sh")+"output: {type: object}\n", map[string]string{"scripts/main.sh": "echo '{} done'"})
	e := engine(t, all)
	if _, err := e.Runner(t.Context()); err != nil { // skips here, and not within a subtest
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, input, want string
		kind              ErrorType
	}{
		{"py", `{"n": 12345678901234567890, "a": 1.50, "é": "<&>"}`, `{"a":1.50,"n":12345678901234567890,"é":"<&>"}`, ""},
		{"sh", `{"a": "'$(id)"}`, `{"a":"'$(id)"}`, ""}, {"js", `{"a":[]}`, `{"a":[]}`, ""},
		{"text", `{}`, `"plain words"`, ""}, {"assets", `{}`, `["a"]`, ""}, {"writes", `{}`, `"refused"`, ""}, {"twofold", `{"a":1}`, "true", ""},
		{"silent", `{}`, "exited with 0 and wrote nothing to standard output", InvalidAnswer},
		{"tells", `{}`, "no paper", Failed}, {"none", `{}`, `{"error":"","n":1}`, ""},
		{"broken", `{}`, "no paper", Failed}, {"floods", `{}`, "writes more than it may", TooMuchOutput},
		{"wrong", `{}`, "the answer does not fit the schema of wrong: /n: got string, want integer", InvalidOutput},
		{"cut", `{}`, "the answer does not fit the schema of cut: got string, want object (the output is no JSON: unexpected EOF)", InvalidAnswer},
		{"chatty", `{}`, "the answer does not fit the schema of chatty: got string, want object (the output is no JSON: more than one JSON value)", InvalidAnswer},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := do(t, e, tc.name, tc.input)
			if res.Type == NotAvailable {
				t.Skip(res.Error)
			}
			if got := string(res.Result) + res.Error; got != tc.want || res.Type != tc.kind || res.Success != (tc.kind == "") {
				t.Errorf("answers %s (%s), want %s", got, res.Type, tc.want)
			}
		})
	}
	res, err := e.Do(t.Context(), Call{Name: "hangs", Timeout: 300 * time.Millisecond})
	if err != nil || res.Type != TimedOut {
		t.Errorf("what hangs: %s %s, %v", res.Type, res.Error, err)
	}
}

// TestSecrets checks that no spelling of JSON restores a secret removed from a program's output.
func TestSecrets(t *testing.T) {
	const secret = `pa"ss&wörd-1`
	all := map[string]string{}
	needs := "requires: {secrets: [TOKEN]}\n"
	spelt := `import json, os; s = "".join("\\u%04x" % ord(c) for c in os.environ["TOKEN"])` + "\n"
	files(all, "library", program("python", "main.py")+needs, map[string]string{"scripts/main.py": "import json, os\nprint(json.dumps({'a': [os.environ['TOKEN']]}))\n"})
	files(all, "spelt", program("python", "main.py")+needs, map[string]string{"scripts/main.py": spelt + `print('{"%s": ["%s"]}' % (s, s))`})
	files(all, "unfit", program("python", "main.py")+needs+"output: {type: object, additionalProperties: false}\n", map[string]string{"scripts/main.py": spelt + `print('{"%s": 1}' % s)`})
	server, err := os.ReadFile("testdata/server.py")
	if err != nil {
		t.Fatal(err)
	}
	told := strings.NewReplacer(`"Fails"`, `os.environ["TOKEN"]`, `"the notes are lost"`, `os.environ["TOKEN"]`).Replace(string(server))
	files(all, "told", "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-stdio, entry: scripts/main.py, timeout: 20s}\n"+needs, map[string]string{"server.json": "{}", "scripts/main.py": told})
	e := engine(t, all)
	e.Secret = func(string) (string, bool, error) { return secret, true, nil }
	for name, want := range map[string]string{
		"library": `{"a":["[redacted:TOKEN]"]}`, "spelt": `{"[redacted:TOKEN]":["[redacted:TOKEN]"]}`,
		"unfit": "[redacted:TOKEN]", "told__fail": "[redacted:TOKEN]",
	} {
		res := do(t, e, name, "{}")
		if res.Type == NotAvailable {
			t.Skip(res.Error)
		}
		if got := string(res.Result) + res.Error; !strings.Contains(got, want) || strings.Contains(got, secret) || strings.Contains(got, `pa\"ss`) {
			t.Errorf("%s answers %s, want %s", name, got, want)
		}
		for _, f := range res.Faults {
			if strings.Contains(f.String(), "wörd") {
				t.Errorf("%s says %s", name, f)
			}
		}
	}
	given, err := json.Marshal(map[string]any{"key": secret, secret: []string{secret}})
	if err != nil {
		t.Fatal(err)
	}
	if res := do(t, e, "unfit", string(given)); string(res.Input) != `{"[redacted:TOKEN]":["[redacted:TOKEN]"],"key":"[redacted:TOKEN]"}` {
		t.Errorf("the input of a failed call is reported as %s", res.Input)
	}
	methods, _, err := e.Methods(t.Context(), Call{Name: "told"})
	if err != nil || len(methods) != 9 || methods[2].Description != "[redacted:TOKEN]" {
		t.Errorf("lists %v, %v", methods, err)
	}
}

// TestSecretsOfTrials: a trial, which is published, holds no form of a secret that the answer is cleared of.
func TestSecretsOfTrials(t *testing.T) {
	const secret = "hunter22" // its digits are too few to look like a secret
	all := map[string]string{"policies/retention.yaml": "trials: {summaries: short}\n"}
	files(all, "hexed", program("python", "main.py")+"requires: {secrets: [TOKEN]}\n", map[string]string{"scripts/main.py": `import os; s = "".join("\\u%04x" % ord(c) for c in os.environ["TOKEN"].encode().hex())` + "\n" + `print('{"%s": 1}' % s)`})
	e := engine(t, all)
	e.Secret = func(string) (string, bool, error) { return secret, true, nil }
	var said string
	dir := t.TempDir()
	e.Health = store(t, dir)
	res := do(t, e, "hexed", "{}")
	if res.Type == NotAvailable {
		t.Skip(res.Error)
	}
	repo, err := gitstore.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = triallog.New(repo, strings.Repeat("1", 40), time.Now).Visit(0, func(k triallog.Kept) bool {
		said = k.OutputSummary
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(res.Result), "[redacted:TOKEN]") || !strings.Contains(said, "[redacted:TOKEN]") {
		t.Errorf("%s is recorded as %s", res.Result, said)
	}
}

// TestConcurrent: calls side by side do not overrun the session together.
func TestConcurrent(t *testing.T) {
	all := map[string]string{"policies/limits.yaml": "executions_per_session: 3\n"}
	files(all, "star", record+"layer: composed\nrun: {runtime: starlark, entry: scripts/main.star}\n", map[string]string{"scripts/main.star": "def main(input):\n  return 1\n"})
	shared := engine(t, all).Ledger
	var mu sync.Mutex
	count := map[ErrorType]int{}
	var all8 sync.WaitGroup
	for range 8 {
		e := engine(t, all)
		e.Ledger = shared
		all8.Go(func() {
			res, err := e.Do(t.Context(), Call{Name: "star"})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			count[res.Type]++
			mu.Unlock()
		})
	}
	all8.Wait()
	if count[""] != 3 || count[ExecutionsCap] != 5 {
		t.Errorf("of 8 calls with 3 executions: %v", count)
	}
}

// TestComposed checks the limits of composed tools: depth, caps, time and rates.
func TestComposed(t *testing.T) {
	all := map[string]string{}
	composed := func(name, body, more string) {
		timeout := map[bool]string{true: "1s", false: "30s"}[name == "busy"]
		files(all, name, record+"layer: composed\nrun: {runtime: starlark, entry: scripts/main.star, timeout: "+timeout+"}\n"+more, map[string]string{"scripts/main.star": "def main(input):\n  " + body + "\n"})
	}
	for i := range maxDepth + 2 {
		composed("deep"+string(rune('a'+i)), "return tools.deep"+string(rune('b'+i))+"()", "")
	}
	composed("loop", "return tools.loop()", "")
	composed("busy", "for i in range(1 << 40):\n    pass", "")
	composed("greedy", "return 'x' * (1 << 29)", "")
	composed("seldom", "return 1", "rate_limit: 2/d\n")
	composed("often", "return [tools.seldom() for i in range(3)]", "")
	composed("one", "return 1", "")
	composed("many", "return len([tools.one() for i in range(100)])", "")
	composed("more", "return len([tools.many() for i in range(11)])", "")
	composed("gone", "return tools.nothing()", "")
	composed("wrong", "return tools.seldom(1)", "")
	e := engine(t, all)
	for name, want := range map[string][3]string{
		"deepa": {"failed", "depth_cap", "compose less deeply"}, "loop": {"failed", "depth_cap", ""},
		"greedy": {"limits_exceeded", "a text of", "values of 64 MiB"}, "often": {"failed", "rate_limited", "rate_limit in capability.yaml"},
		"gone": {"failed", "not_found", "assent find"}, "wrong": {"failed", "takes named arguments", ""},
	} {
		if res := do(t, e, name, "{}"); string(res.Type) != want[0] || !strings.Contains(res.Error, want[1]) || !strings.Contains(res.Hint, want[2]) {
			t.Errorf("%s: %s %s (%s), want %v", name, res.Type, res.Error, res.Hint, want)
		}
	}
	e.Session, e.Policies.Limits.ExecutionsPerSession = "many", 2
	if res := do(t, e, "many", "{}"); !res.Success || res.Spent.Executions != 1 {
		t.Errorf("100 calls below one: %s, %+v", res.Error, res.Spent)
	}
	if res := do(t, e, "more", "{}"); !strings.Contains(res.Error, "more than 1000 calls") {
		t.Errorf("1100 calls below one: %s", res.Error)
	}
	if res := do(t, e, "one", "{}"); res.Type != ExecutionsCap {
		t.Errorf("the third execution of two: %s", res.Type)
	}
	e.Session = "other"
	if plan, err := e.Plan(Call{Name: "seldom"}); err != nil || plan.Type != RateLimited {
		t.Errorf("a third start in a day is planned as %v, %v", plan, err)
	}
	if res := do(t, e, "busy", "{}"); res.Type != TimedOut && res.Type != LimitsExceeded {
		t.Errorf("busy: %s %s", res.Type, res.Error)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if res, err := e.Do(ctx, Call{Name: "busy"}); err == nil && res.Type != Interrupted {
		t.Errorf("interrupted: %s %s", res.Type, res.Error)
	}
	plan, err := e.Plan(Call{Name: "often"})
	if err != nil || strings.Join(plan.Calls, " ") != "seldom" {
		t.Errorf("plans %v, %v", plan, err)
	}
	if plan, err := e.Plan(Call{Name: "loop"}); err != nil || plan.Type != NotCallable || !strings.Contains(plan.Error, "closes a circle") {
		t.Errorf("plans %v, %v", plan, err)
	}
}

// TestServer talks to a server inside of the sandbox.
func TestServer(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	t.Setenv("ASSENT_TOOL_TEST", "of the parent")
	src, err := os.ReadFile("testdata/server.py")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	server := "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-stdio, entry: scripts/main.py, timeout: 20s}\n"
	files(all, "notes", server, map[string]string{"server.json": "{}", "scripts/main.py": string(src), "assets/notes.txt": "buy paper"})
	files(all, "mute", server, map[string]string{"server.json": "{}", "scripts/main.py": "import sys\nprint('hello', flush=True)\nsys.stdin.read()\nsys.exit('ValueError: no key')\n"})
	files(all, "remote", "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-http}\nrequires: {hosts: [\"far.example.org:443\"], secrets: [FAR]}\n", map[string]string{"server.json": "{}"})
	files(all, "sum", record+"layer: composed\nrun: {runtime: starlark, entry: scripts/main.star}\n", map[string]string{"scripts/main.star": "def main(input):\n  return tools.notes__add(a = 1, b = 2)[\"sum\"]\n"})
	e := engine(t, all)
	methods, res, err := e.Methods(t.Context(), Call{Name: "notes"})
	if err != nil || !res.Success || len(methods) != 9 || methods[0].Name != "add" {
		t.Fatalf("lists %v, %v, %v", methods, res, err)
	}
	if methods, res, err := e.Methods(t.Context(), Call{Name: "sum"}); err != nil || methods != nil || res.Type != NotCallable || res.Spent != nil {
		t.Errorf("of a tool: %v, %+v, %v", methods, res, err)
	}
	if _, res, err := e.Methods(t.Context(), Call{Name: "notes", Timeout: time.Nanosecond}); err != nil || res.Type != TimedOut {
		t.Errorf("in no time: %+v, %v", res, err)
	}
	if plan, err := e.PlanMethods(Call{Name: "notes"}); err != nil || plan.Type != "" || plan.Runtime != capability.MCPStdio || plan.Spent.Executions != 2 {
		t.Errorf("would list: %+v, %v", plan, err)
	}
	for _, tc := range []struct {
		name, input, want string
		kind              ErrorType
	}{
		{"notes__add", `{"a": 1, "b": 2.5}`, `{"sum":3.5}`, ""},
		{"notes__read_notes", "", `"buy paper"`, ""},
		{"notes__reach", "", `{"home":false,"parent":""}`, ""},
		{"notes__add", `{"a": 1}`, "the input does not fit the schema of notes__add: missing property 'b'", InvalidInput},
		{"notes__nothing", "", `the server notes has no method "nothing"`, NotFound},
		{"notes__fail", "", "the notes are lost", Failed},
		{"notes__die", "", "RuntimeError: out of paper", Crashed},
		{"notes__garble", "", `the server's answer is not a JSON-RPC message: call garble: calling "tools/call": invalid character 'l' looking for beginning of value`, Crashed},
		{"notes__leave", "", "the server ended before it answered", Crashed},
		{"notes__circle", "", "the input of notes__circle has no usable schema: $ref #/properties/a refers back to itself, so no value can be validated", NotCallable},
		{"notes", "", "notes is a server: what is called is one of its methods, by server__method", NotFound},
		{"sum__add", "", "sum is of kind tool: it has no methods, and is called by its name", NotFound},
		{"mute__x", "", "ValueError: no key", Crashed},
		{"remote__x", "", "remote is a server at an address and has no methods.yaml", Unreviewed},
		{"sum", "", "3", ""},
	} {
		res := do(t, e, tc.name, tc.input)
		if got := string(res.Result) + res.Error; got != tc.want || res.Type != tc.kind {
			t.Errorf("%s answers %s (%s), want %s", tc.name, got, res.Type, tc.want)
		}
		if strings.Contains(res.Hint, "notes__") || res.Type == Crashed && !strings.Contains(res.Hint, "messages of the protocol") {
			t.Errorf("%s advises %q", tc.name, res.Hint)
		}
	}
	if res, err := e.Do(t.Context(), Call{Name: "notes__hang", Timeout: time.Second}); err != nil || res.Type != TimedOut || !strings.HasPrefix(res.Error, "did not end in its time: it had to ") {
		t.Errorf("what hangs: %s %s, %v", res.Type, res.Error, err)
	}
	if s, err := e.Ledger.Session("s"); err != nil || s.Cost != 0.5 {
		t.Errorf("two calls that say 0.25 came to %v, %v", s, err)
	}
}

// TestCosts: a cost is a number as languages print it, alone on its line.
func TestCosts(t *testing.T) {
	for _, tc := range []struct {
		said, rest string
		sum        float64
	}{
		{said: "assent-cost: 0.02\n", sum: 0.02},
		{said: "assent-cost: 1e-05\r\nassent-cost: 2E+1 ", sum: 20.00001}, // as Python prints 0.00001
		{said: "before\nassent-cost: 0.30000000000000004\nafter\n", rest: "before\nafter\n", sum: 0.30000000000000004},
		{said: "assent-cost: 0.02 USD\n", rest: "assent-cost: 0.02 USD\n"},
		{said: "assent-cost: -1\nassent-cost: nan\nassent-cost: 1e400\n", rest: "assent-cost: -1\nassent-cost: nan\nassent-cost: 1e400\n"},
		{said: "the assent-cost: 1\n", rest: "the assent-cost: 1\n"},
	} {
		if rest, sum := costs(tc.said); rest != tc.rest || sum != tc.sum {
			t.Errorf("%q: %v and %q", tc.said, sum, rest)
		}
	}
}

// TestOutcome checks that every end of a program shows that it ran.
func TestOutcome(t *testing.T) {
	for ended, want := range map[sandbox.Ended]suite.Ended{
		sandbox.NotRun: suite.NotRun, sandbox.Exited: suite.Exited, sandbox.Killed: suite.Killed, sandbox.TimedOut: suite.TimedOut,
		sandbox.TooMuchOutput: suite.OverOutput, sandbox.TooMuchMemory: suite.OverMemory, sandbox.Cancelled: suite.Killed,
	} {
		if got := outcome(sandbox.Result{Ended: ended}).Ended; got != want {
			t.Errorf("%s: %s, want %s", ended, got, want)
		}
	}
}

// TestKeyTwice: only a key of the same object counts.
func TestKeyTwice(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"a":2}`: "a", `{"a":{"b":[1,{"x":1,"y":2,"x":3}]}}`: "x", `{"a":{},"\u0061":1}`: "a", `{"a":[],"b":{"a":1},"a":0}`: "a",
		`{"a":{"a":{"a":1}},"b":["a","a"]}`: "", `{"a":"b","b":"a"}`: "", `[{"a":1},{"a":2}]`: "", `{}`: "",
	} {
		if key, twice := keyTwice([]byte(text)); key != want || twice != (want != "") {
			t.Errorf("%s: %q, %v", text, key, twice)
		}
	}
}
