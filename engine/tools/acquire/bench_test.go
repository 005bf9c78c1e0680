package acquire_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/acquire"
)

// bench tries code in the real sandbox, with nothing in force.
func bench(box func(context.Context) (sandbox.Runner, error)) acquire.Bench {
	var p policy.Policies
	p.Autonomy.Executables = []string{"tool"}
	return acquire.Bench{
		Box: box, Policies: p, Now: time.Now, Known: capability.NamerOf(tree.NewMap()),
		Same: func(capability.Acquired) (string, error) { return "", nil },
	}
}

func offer(name, code string) acquire.Offer {
	return acquire.Offer{
		Name: name, File: "main.py", Code: []byte(code), Payload: []byte(`{"text": "a"}`),
		Schema: []byte(`{"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}`),
	}
}

// The machine is not used before the code is fit to run, and a machine that cannot isolate gives
// no result.
func TestNothingRunsBefore(t *testing.T) {
	asked := 0
	no := &sandbox.Refusal{Why: "bubblewrap is not installed", Fix: "install it"}
	b := bench(func(context.Context) (sandbox.Runner, error) { asked++; return nil, no })
	for _, name := range []string{"", "../../pwn", "..", "/etc/passwd", "a/b", `a\b`, "a.py", "a b", "a\x00b", "a\nb", "$HOME", "~", "a;b", "é", "а", "a\u200b", "-a", "con", "_", "1abc", "1-a", strings.Repeat("a", 65), "%2e%2e", "a--b"} {
		if res, found, err := b.Try(t.Context(), offer(name, "print(1)")); err != nil || !found.HasErrors() || res.Edits != nil {
			t.Errorf("%q: %v %v", name, found, err)
		}
	}
	for what, change := range map[string]func(*acquire.Offer){
		"no JSON":              func(o *acquire.Offer) { o.Payload = []byte("text") },
		"no object":            func(o *acquire.Offer) { o.Payload = []byte("[1]") },
		"two values":           func(o *acquire.Offer) { o.Payload = []byte("{} {}") },
		"what does not fit":    func(o *acquire.Offer) { o.Payload = []byte(`{"text": 1}`) },
		"a schema of a list":   func(o *acquire.Offer) { o.Schema = []byte(`[]`) },
		"a schema that is bad": func(o *acquire.Offer) { o.Schema = []byte(`{"type": "spell"}`) },
		"a remote schema":      func(o *acquire.Offer) { o.Schema = []byte(`{"$ref": "https://example.org/s.json"}`) },
		"a schema of a text":   func(o *acquire.Offer) { o.Schema = []byte(`{"type": "string"}`) },
		"a schema of nothing":  func(o *acquire.Offer) { o.Schema = []byte(`{}`) },
		"a circle of schemas":  func(o *acquire.Offer) { o.Schema = []byte(`{"type": "object", "allOf": [{"$ref": "#"}]}`) },
		"another language":     func(o *acquire.Offer) { o.File = "main.rb" },
	} {
		o := offer("x", "print(1)")
		change(&o)
		if _, found, err := b.Try(t.Context(), o); err != nil || !found.HasErrors() || found[0].Rule != acquire.RuleInput {
			t.Errorf("%s: %v %v", what, found, err)
		}
	}
	if asked != 0 {
		t.Errorf("the machine was asked %d times", asked)
	}
	res, _, err := b.Try(t.Context(), offer("x", "print(1)"))
	if !errors.Is(err, no) || res.Edits != nil || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}

// box returns the isolation for the tests.
func box(t *testing.T) func(context.Context) (sandbox.Runner, error) {
	t.Helper()
	b, err := sandbox.New(t.Context())
	var no *sandbox.Refusal
	if errors.As(err, &no) && os.Getenv("CI") == "" {
		t.Skip(no)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("python3"); err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	return func(context.Context) (sandbox.Runner, error) { return b, nil }
}

// Real code gives the cause if it does not pass, and the case if it does.
func TestTry(t *testing.T) {
	b := bench(box(t))
	for _, w := range []struct{ name, code, want string }{
		{"text", "print('one')", "equals: one"},
		{"a list", "print([1, 2])", "equals:"},
		{"null", "print('null')", "equals: null"},
		{"a large number", "print(12345678901234567890)", "type: number"},
		{"large", "print('x' * 20000)", "type: string"},
		{"another each time", "import os\nprint(os.urandom(8).hex() + 'x')", "type: string"},
		{"another object each time", "import os, json\nprint(json.dumps({'a': os.urandom(8).hex(), os.urandom(8).hex(): 1}))", "- a\n"},
		{"the payload", "import sys, json\nprint(json.loads(sys.argv[1])['text'] + sys.stdin.read())", `equals: a{"text":"a"}`},
		{"exit", "import sys\nprint('x')\nsys.exit(3)", "error: x"},
		{"spaces", "print(' ')", "error: exited with 0 and wrote nothing"},
		{"no UTF-8", "import sys\nsys.stdout.buffer.write(b'\\xff')", "error: what it prints is not UTF-8"},
		{"an error", `print('{"error": "no key"}')`, "error: fails: no key"},
		{"no error", `print('{"error": null}')`, "error: null"},
		{"killed", "import os\nos.kill(os.getpid(), 9)", "error: "},
		{"a file of the machine", "print(open('/etc/shadow').read())", "error: "},
		{"not parsing", "def", "error: the code does not parse as python: "},
		{"a null byte", "print(1)\x00", "error: the code does not parse as python: "},
	} {
		t.Run(w.name, func(t *testing.T) {
			res, found, err := b.Try(t.Context(), offer("x", w.code))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, e := range res.Edits {
				if strings.HasSuffix(e.Path, capability.SuiteFile) {
					got = string(e.Content)
				}
			}
			if found.HasErrors() {
				got = "error: " + found[0].Message
			}
			if !strings.Contains(got, w.want) {
				t.Errorf("%s", got)
			}
		})
	}
}

// A later refusal by the gate is reported at once: a failed required standard case as an error,
// any other as a note. An input that no call has is no case.
func TestTryRunsTheTests(t *testing.T) {
	b := bench(box(t))
	for _, w := range []struct{ name, required, want, note string }{
		{"a member is left out that the schema lets out", `[]`, "standard: error handling: KeyError: 'text'", ""},
		{"a member is left out that the schema asks for", `["text"]`, "", "standard: long input does not pass"},
	} {
		o := offer("x", "import sys, json\nprint(json.loads(sys.argv[1])['text'])")
		o.Schema = []byte(`{"type": "object", "required": ` + w.required + `, "properties": {"text": {"type": "string"}}}`)
		res, found, err := b.Try(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		told := ""
		for _, d := range found {
			if d.Severity == diag.Error {
				told += d.Message
			}
		}
		if told != w.want || !strings.Contains(strings.Join(res.Notes, "\n"), w.note) {
			t.Errorf("%s: %q, %q", w.name, told, res.Notes)
		}
	}
}

// Each parser reports the line, in the original code, that does not parse.
func TestTryTellsTheLine(t *testing.T) {
	b := bench(box(t))
	for _, w := range []struct {
		file, code string
		line       int
	}{
		{"x.py", "a = 1\n\ndef f(:\n  pass\n", 3},
		{"x.sh", "echo a\necho )\necho b\n", 2},
		{"x.js", "const a = 1;\nlet b = ;\n", 2},
		{"x.py", "<![CDATA[\ndef f(:\n]]>\n", 3},
		{"x.py", "print(1)\x00", 0},
	} {
		o := offer("x", w.code)
		o.File = w.file
		_, found, err := b.Try(t.Context(), o)
		if err != nil || len(found) != 1 || found[0].Rule != acquire.RuleCode || found[0].Pos.Line != w.line {
			t.Errorf("%s %q: %v, %v, want line %d", w.file, w.code, found, err, w.line)
		}
	}
}
