package prove_test

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/prove"
)

// view is a tree in memory.
type view struct {
	*tree.Map
	capability.Namer
}

func viewOf(files map[string]string) *view {
	m := tree.MapOf(files)
	return &view{m, capability.NamerOf(m)}
}

// folder is a capability's files; record are lines beside kind and version.
func folder(name, record, tests string, code ...string) map[string]string {
	dir := "skills/" + name + "/"
	out := map[string]string{
		dir + "SKILL.md":        "---\nname: " + name + "\ndescription: Does one thing. Use it when it is needed.\n---\n# X\n",
		dir + "capability.yaml": record,
	}
	if !strings.Contains(record, "kind:") {
		out[dir+"capability.yaml"] = "kind: tool\nversion: 1.0.0\n" + record
	}
	if tests != "" {
		out[dir+"tests.yaml"] = tests
	}
	for i := 0; i < len(code); i += 2 {
		out[dir+"scripts/"+code[i]] = code[i+1]
	}
	return out
}

// box returns the isolation for the tests.
func box(t *testing.T, programs ...string) sandbox.Runner {
	t.Helper()
	b, err := sandbox.New(t.Context())
	var no *sandbox.Refusal
	if errors.As(err, &no) {
		t.Skip(no)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip(err)
		}
	}
	return b
}

// admitting are policies that let code run.
func admitting() (p policy.Policies) {
	p.Autonomy.Executables = []string{"tool", "mcp"}
	return p
}

// proved tests the capability x of head, which changes base unless that is nil.
func proved(t *testing.T, b sandbox.Runner, head, base *view, repeat int, tags ...string) prove.Proof {
	t.Helper()
	target := prove.Target{View: head, Path: "skills/x"}
	if base != nil {
		target.Base = base
	}
	plan, err := prove.Plan([]prove.Target{target}, tags...)
	if err != nil {
		t.Fatal(err)
	}
	proofs, err := prove.Options{Runner: b, Policies: admitting(), Now: time.Now, Workers: 2, Repeat: repeat}.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range proofs[0].Diagnostics {
		t.Log(d)
	}
	return proofs[0]
}

// failing lists failing cases by id, with their causes.
func failing(p prove.Proof) map[string]string {
	out := map[string]string{}
	for _, k := range p.Report.Cases {
		if k.Verdict != suite.Pass {
			out[k.ID()] = string(k.Verdict) + ": " + k.Cause
		}
	}
	return out
}

const python = `run: {runtime: python, entry: scripts/main.py, timeout: 20s, memory: 256MiB}
`

const schema = `input: {type: object, required: [text], additionalProperties: false, properties: {text: {type: string, minLength: 1, maxLength: 40}, count: {type: integer, minimum: 1, maximum: 9}}}
output: {type: object, required: [text]}
`

// right validates its input as schema asks. A wrong tool is this one with a line replaced.
const right = `import json, sys
given = json.loads(sys.stdin.read() if sys.argv[1] == "-" else sys.argv[1])
def refuse(why):
    print(json.dumps({"error": why}))
    sys.exit(2)
if set(given) - {"text", "count"}: refuse("unknown member")
if "text" not in given: refuse("text is missing")
if type(given["text"]) is not str: refuse("text is no text")
if not 1 <= len(given["text"]) <= 40: refuse("text is too short or too long")
if type(given.get("count", 1)) is not int: refuse("count is no number")
if not 1 <= given.get("count", 1) <= 9: refuse("count is out of bounds")
print(json.dumps({"text": given["text"] * given.get("count", 1)}))
`

// Each kind of standard case catches, with a real process, a tool with that fault. An input that
// does not fit the schema is not tested: no call has one.
func TestStandardCasesCatchRealTools(t *testing.T) {
	b := box(t, "python3")
	for _, w := range []struct {
		name, line, instead string
		kinds               []suite.Kind
		cause               string
	}{
		{"right", "", "", nil, ""},
		{"another shape", `print(json.dumps({"text": given["text"] * given.get("count", 1)}))`, `print(json.dumps(["ok"]))`, []suite.Kind{suite.Happy, suite.LongInput}, "does not fit output"},
		{"reads its argument only", `sys.stdin.read() if sys.argv[1] == "-" else sys.argv[1]`, `sys.argv[1]`, []suite.Kind{suite.LongInput}, "JSONDecodeError"},
		{"breaks on what is missing", `if "text" not in given: refuse("text is missing")`, ``, nil, ""},
		{"takes what nobody knows", `if set(given) - {"text", "count"}: refuse("unknown member")`, `if "text" not in given and "invalid_param" in given: given = {"text": "x"}`, nil, ""},
		{"breaks on what is long", `if not 1 <= len(given["text"]) <= 40: refuse("text is too short or too long")`, "if not 1 <= len(given[\"text\"]) <= 40: refuse(\"text\")\nif len(given[\"text\"]) > 30: raise ValueError('long')", []suite.Kind{suite.Timeout, suite.Boundary}, "ValueError: long"},
		{"takes any type", `if type(given.get("count", 1)) is not int: refuse("count is no number")`, `if type(given.get("count", 1)) is not int: given["count"] = 1`, nil, ""},
		{"no upper bound", `if not 1 <= given.get("count", 1) <= 9: refuse("count is out of bounds")`, `if not 1 <= given.get("count", 1): refuse("count is out of bounds")`, nil, ""},
		{"one too few", `if not 1 <= given.get("count", 1) <= 9: refuse("count is out of bounds")`, `if not 1 <= given.get("count", 1) < 10 or 1 // (9 - given.get("count", 1)) < 0: refuse("count is out of bounds")`, []suite.Kind{suite.Boundary}, "ZeroDivisionError"},
	} {
		t.Run(w.name, func(t *testing.T) {
			code := strings.Replace(right, w.line, w.instead, 1)
			if w.line != "" && code == right {
				t.Fatal("the line is not there")
			}
			p := proved(t, b, viewOf(folder("x", python+schema, "", "main.py", code)), nil, 1)
			var kinds []suite.Kind
			for _, k := range p.Report.Cases {
				if k.Verdict == suite.Pass {
					continue
				}
				if !strings.Contains(k.Cause, w.cause) {
					t.Errorf("%s: %s", k.ID(), k.Cause)
				}
				if !slices.Contains(kinds, k.Kind) {
					kinds = append(kinds, k.Kind)
				}
			}
			if !slices.Equal(kinds, w.kinds) || len(p.Report.Cases) < 10 {
				t.Errorf("caught by %v of %d cases, want %v\n%v", kinds, len(p.Report.Cases), w.kinds, failing(p))
			}
		})
	}
}

const one = `cases: [{name: one, input: {text: a}, expect: {equals: {text: a}}, tags: [smoke]}]
`

// Real faults of tools, each reported in one line.
func TestCauses(t *testing.T) {
	b := box(t, "python3", "bash", "node")
	record := func(name, runtime, entry string) string {
		timeout := map[bool]string{true: "2s", false: "30s"}[name == "hangs"]
		return "run: {runtime: " + runtime + ", entry: scripts/" + entry + ", timeout: " + timeout + ", memory: 256MiB}\ninput: {type: object}\n"
	}
	for _, w := range []struct{ name, runtime, entry, code, want string }{
		{"right in bash", "bash", "main.sh", `[ "$1" = '{"text":"a"}' ] && echo "$1"`, ""},
		{"right in node", "node", "main.js", `console.log(process.argv[2])`, ""},
		{"hangs", "bash", "main.sh", "sleep 60", "fail: "},
		{"floods", "bash", "main.sh", "while :; do echo flood; done", "fail: "},
		{"silent", "bash", "main.sh", "exit 0", "fail: "},
		{"no JSON", "node", "main.js", "console.log('{text: a}')", "the output is no JSON"},
		{"a wrong shell line", "bash", "main.sh", "if then", "syntax error"},
		{"a traceback", "python", "main.py", "raise KeyError('a')", "fail: KeyError: 'a'"},
		{"a syntax error", "python", "main.py", "def", "SyntaxError"},
		{"the network", "python", "main.py", "import socket\nsocket.create_connection(('127.0.0.1', 1), 1)", "fail: "},
	} {
		t.Run(w.name, func(t *testing.T) {
			p := proved(t, b, viewOf(folder("x", record(w.name, w.runtime, w.entry), one, w.entry, w.code)), nil, 1, "smoke")
			got := failing(p)["own: one"]
			if (w.want == "") != (got == "") || !strings.Contains(got, w.want) || len([]rune(got)) > suite.MaxCause+10 || strings.Contains(got, "\n") {
				t.Errorf("%q, want %q", got, w.want)
			}
			t.Log(got)
		})
	}
}

// A case that passes only sometimes is found by repetition, and proves nothing.
func TestFlaky(t *testing.T) {
	b := box(t, "python3")
	dice := "import os\nprint('{\"text\": \"a\"}' if os.urandom(1)[0] < 128 else '{}')"
	p := proved(t, b, viewOf(folder("x", python+"input: {type: object}\n", one, "main.py", dice)), nil, 24, "smoke")
	if p.Held() || p.Report.State != suite.Failing || p.Report.Flaky != 1 || p.Report.Cases[0].Runs != 24 {
		t.Errorf("%+v", p.Report)
	}
	// Nothing is kept from one run to the next, so there is no second time to wait for.
	second := "import os, pathlib\nf = pathlib.Path(os.environ['HOME'], 'ran')\nprint('{\"text\": \"a\"}' if f.exists() else '{}')\nf.write_text('x')"
	record := "run: {runtime: python, entry: scripts/main.py, write: true}\ninput: {type: object}\n"
	p = proved(t, b, viewOf(folder("x", record, one, "main.py", second)), nil, 3, "smoke")
	if p.Held() || p.Report.Flaky != 0 || p.Report.Failed != 1 {
		t.Errorf("%+v", p.Report)
	}
}

// A test gets made-up secrets, which stand in nothing that it says.
func TestFakeSecrets(t *testing.T) {
	b := box(t, "python3")
	t.Setenv("ASSENT_SECRET_API_KEY", "the-real-one")
	code := "import json, os\nprint(json.dumps({'text': os.environ['API_KEY'], 'real': 'real' in os.environ['API_KEY'], 'long': len(os.environ['API_KEY']) > 8}))"
	cases := "cases: [{name: one, input: {}, expect: {equals: {text: '[redacted:API_KEY]', real: false, long: true}}}]\n"
	p := proved(t, b, viewOf(folder("x", python+"requires: {secrets: [API_KEY]}\ninput: {type: object}\n", cases, "main.py", code)), nil, 1)
	if got := failing(p)["own: one"]; got != "" {
		t.Error(got)
	}
}

// A new case has to fail on the tree in force; one that passed there has to pass.
func TestBase(t *testing.T) {
	b := box(t, "python3")
	upper := "import json, sys\nprint(json.dumps({'text': json.loads(sys.argv[1])['text'].upper()}))"
	lower := strings.ReplaceAll(upper, "upper", "lower")
	held := "cases:\n  - {name: digits, input: {text: '1'}, expect: {equals: {text: '1'}}}\n  - {name: letters, input: {text: b}, expect: {equals: {text: B}}}\n"
	base := viewOf(folder("x", python+"input: {type: object}\n", held, "main.py", upper))
	added := held + "  - {name: more digits, input: {text: '2'}, expect: {equals: {text: '2'}}}\n"
	p := proved(t, b, viewOf(folder("x", python+"input: {type: object}\n", added, "main.py", upper)), base, 1)
	if p.Held() || len(p.Diagnostics) != 1 || p.Diagnostics[0].Rule != suite.RuleUnproven || p.Base == nil {
		t.Errorf("a case that shows nothing: %v", p.Diagnostics)
	}
	p = proved(t, b, viewOf(folder("x", python+"input: {type: object}\n", held+"  - {name: small, input: {text: C}, expect: {equals: {text: c}}}\n", "main.py", lower)), base, 1)
	if p.Held() || !slices.ContainsFunc(rules(p), func(r string) bool { return r == suite.RuleRegression }) || slices.Contains(rules(p), suite.RuleUnproven) {
		t.Errorf("a case that passed: %v", p.Diagnostics)
	}
}

func rules(p prove.Proof) []string {
	var out []string
	for _, d := range p.Diagnostics {
		out = append(out, d.Rule)
	}
	return out
}

// A capability that supersedes another one has to pass the other's cases, also if the change
// removes that one.
func TestHistory(t *testing.T) {
	b := box(t, "python3")
	code := "print('{\"text\": \"b\"}')"
	old := folder("old", python+"input: {type: object}\n", one, "main.py", code)
	head := viewOf(folder("x", python+"supersedes: old\nchanges: [another answer]\ninput: {type: object}\n", "", "main.py", code))
	p := proved(t, b, head, viewOf(old), 1)
	if got := failing(p)["inherits old: one"]; !strings.HasPrefix(got, "fail: answers") || p.Held() {
		t.Errorf("%q of %v", got, failing(p))
	}
	if !slices.Contains(rules(p), suite.RuleRegression) {
		t.Errorf("the regression is not named: %v", p.Diagnostics)
	}
}

// A composed tool calls others as it would in use; a server's method is called by name.
func TestComposedAndServers(t *testing.T) {
	b := box(t, "python3")
	files := folder("x", "run: {runtime: starlark, entry: scripts/main.star}\nlayer: composed\ninput: {type: object}\n", one, "main.star", "def main(input):\n    return tools.echo(text = input[\"text\"])\n")
	for path, text := range folder("echo", python+"status: active\ninput: {type: object}\n", "", "main.py", "import sys\nprint(sys.argv[1])") {
		files[path] = text
	}
	if p := proved(t, b, viewOf(files), nil, 1, "smoke"); !p.Held() {
		t.Error(failing(p))
	}
	server := `import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    r = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}} if m["method"] == "initialize" else None
    if m["method"] == "tools/list": r = {"tools": [{"name": "double", "inputSchema": {"type": "object", "required": ["n"]}}]}
    if m["method"] == "tools/call":
        n = m["params"]["arguments"].get("n")
        r = {"content": [{"type": "text", "text": "n is missing"}], "isError": True} if n is None else {"content": [{"type": "text", "text": str(2 * n)}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r or {}}), flush=True)
`
	cases := `cases:
  - {name: doubles, input: {method: double, input: {n: 4}}, expect: {equals: 8}}
  - {name: asks for n, input: {method: double}, expect: {error: n}}
`
	files = folder("x", "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-stdio, entry: scripts/main.py}\n", cases, "main.py", server)
	files["skills/x/server.json"] = "{}"
	p := proved(t, b, viewOf(files), nil, 1)
	if !p.Held() || p.Report.Passed != 2 {
		t.Error(failing(p))
	}
	// An input that the server accepts is not refused for it: other clients call it too.
	files["skills/x/scripts/main.py"] = strings.Replace(server, `.get("n")`, `.get("n", 0)`, 1)
	if p := proved(t, b, viewOf(files), nil, 1); failing(p)["own: asks for n"] == "" {
		t.Error("a server that checks nothing:", failing(p))
	}
}

// A machine that cannot isolate runs nothing at all.
func TestRefusal(t *testing.T) {
	plan, err := prove.Plan([]prove.Target{{View: viewOf(folder("x", python+schema, "", "main.py", right)), Path: "skills/x"}})
	if err != nil {
		t.Fatal(err)
	}
	var no *sandbox.Refusal
	if _, err := (prove.Options{Runner: refusing{}, Policies: admitting(), Now: time.Now}).Run(t.Context(), plan); !errors.As(err, &no) {
		t.Error(err)
	}
}

type refusing struct{ sandbox.Runner }

func (refusing) Run(context.Context, sandbox.Spec) (sandbox.Result, error) {
	return sandbox.Result{}, &sandbox.Refusal{Why: "no"}
}
