package composed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// errBroken is the error of a tool that fails.
var errBroken = errors.New("the disk is full")

// echo is a caller that returns the input; the tool broken fails.
func echo(_ context.Context, name string, input json.RawMessage) (json.RawMessage, error) {
	if name == "broken" {
		return nil, errBroken
	}
	return input, nil
}

func parse(t testing.TB, src string) *Program {
	t.Helper()
	p, found := Parse("skills/a/scripts/main.star", []byte(src))
	if len(found) > 0 {
		t.Fatalf("%s: %v", src, found)
	}
	return p
}

func body(lines string) string {
	return "def main(input):\n  " + strings.ReplaceAll(lines, "\n", "\n  ") + "\n"
}

// TestRun checks answers: the rewritten program has the meaning of its text.
func TestRun(t *testing.T) {
	for _, tc := range []struct{ src, input, want string }{
		{"return input", `{"a":[1,2.5,null,true,"é<"],"b":{}}`, `{"a":[1,2.5,null,true,"é<"],"b":{}}`},
		{"return 1 + 2 * 3 - 4 // 3", `{}`, `6`},
		{"return [1 < 2, 2 <= 1, 1 == 1, 1 != 1, 3 in [1, 3], 3 not in (1, 3), not True, 1 and 2, 0 or 5]", `{}`, `[true,false,true,false,true,false,false,2,5]`},
		{"x = [1]\ny = x\nx += [2]\nreturn [x, y]", `{}`, `[[1,2],[1,2]]`},
		{"x = [1]\nx += x\nreturn x", `{}`, `[1,1]`},
		{"x = 1\nx += 2\nx *= 5\nx -= 1\nx //= 3\nx %= 3\nx <<= 4\nx |= 1\nreturn x", `{}`, `17`},
		{"d = {'a': 1}\ne = d\nd |= {'b': 2}\nreturn [d, e]", `{}`, `[{"a":1,"b":2},{"a":1,"b":2}]`},
		{"d = {'a': [1]}\nd['a'] += [2]\nd['b'] = 0\nd['b'] += 7\nl = [1, 2]\nl[-1] += 5\nreturn [d, l]", `{}`, `[{"a":[1,2],"b":7},[1,7]]`},
		{"n = []\ndef next():\n  n.append(1)\n  return 0\nl = [10]\nl[next()] += 1\nreturn [l, len(n)]", `{}`, `[[11],1]`},
		{"return '%s-%d' % ('a', 3) + '{}/{}'.format(1, 2) + ','.join(['x', 'y']) + 'aXb'.replace('X', '--')", `{}`, `"a-31/2x,ya--b"`},
		{"return [x * y for x in range(3) for y in (1, 2) if x != 1]", `{}`, `[0,0,2,4]`},
		{"return {k: v for k, v in [('a', 1)]}", `{}`, `{"a":1}`},
		{"d = dict([('a', 1)], b=2)\nd.update([(str(i), i) for i in range(2)], a=3)\nd.update({'c': 4})\nd.update()\nreturn [d, dict(), dict(d) | {'a': 0}]", `{}`,
			`[{"a":3,"b":2,"0":0,"1":1,"c":4},{},{"a":0,"b":2,"0":0,"1":1,"c":4}]`},
		{"d = dict([(i, i) for i in range(1000)])\nreturn [len(d), d[999]]", `{}`, `[1000,999]`},
		{"return sorted(input['l'], key=lambda x: -x)[1:]", `{"l":[1,3,2]}`, `[2,1]`},
		{"def f(*a, **k):\n  return [list(a), k]\nreturn f(*[1, 2], **{'x': 3})", `{}`, `[[1,2],{"x":3}]`},
		{"return tools.echo(text=input['t'], n=1)", `{"t":"a"}`, `{"text":"a","n":1}`},
		{"return tools.echo({'not-a-name': 1})", `{}`, `{"not-a-name":1}`},
		{"return tools.echo()", `{}`, `{}`},
		{"return json.decode(json.encode({'a': (1, 2)}))", `{}`, `{"a":[1,2]}`},
		{"return [list('ab'.elems()), [c for c in 'äb'.codepoints()], 'ab'.elem_ords()]", `{}`, `[["a","b"],["ä","b"],[97,98]]`},
		{"return [getattr('a,b', 'split')(','), getattr('a', 'nothing', 1)]", `{}`, `[["a","b"],1]`},
		{"return 12345678901234567890 + input['n']", `{"n":1}`, `12345678901234567891`},
		{"if input['a']:\n  return 'yes'\nelif 1 + 1 == 3:\n  return 'odd'\nelse:\n  return 'no'", `{"a":[]}`, `"no"`},
		{"(a, [b, c]) = (1, [2, 3])\nx = [0]\nfor x[0] in [4, 5]:\n  pass\nreturn [a, b, c, x]", `{}`, `[1,2,3,[5]]`},
		{"pass", `{}`, `null`},
	} {
		out, err := parse(t, body(tc.src)).Run(t.Context(), json.RawMessage(tc.input), DefaultLimits(), echo)
		if err != nil || string(out.Output) != tc.want {
			t.Errorf("%s\nanswers %s, %v; want %s", tc.src, out.Output, err, tc.want)
		}
	}
}

// TestInterruptWithin: adversarial keys make each insertion compare with all earlier
// ones, so one call of dict or json.decode could take hours. These calls check for
// interruption.
func TestInterruptWithin(t *testing.T) {
	done := make(chan struct{})
	close(done)
	thread := &starlark.Thread{Name: "main"}
	thread.SetLocal(meterLocal, &meter{memory: 1 << 20, limit: 1 << 20, done: done})
	thread.SetMaxExecutionSteps(1 << 20)
	m := meterOf(thread)
	pairs := starlark.NewList([]starlark.Value{starlark.Tuple{starlark.MakeInt(1), starlark.None}})
	full := starlark.NewDict(1)
	if err := full.SetKey(starlark.MakeInt(1), starlark.None); err != nil {
		t.Fatal(err)
	}
	update, err := new(starlark.Dict).Attr("update")
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func() (starlark.Value, error){
		"dict": func() (starlark.Value, error) { return guards()["dict"](thread, nil, starlark.Tuple{pairs}, nil) },
		"update": func() (starlark.Value, error) {
			return measured("update", new(starlark.Dict), update.(*starlark.Builtin))(thread, nil, starlark.Tuple{full}, nil)
		},
		"|":           func() (starlark.Value, error) { return binary(thread, syntax.PIPE, full, full) },
		"|=":          func() (starlark.Value, error) { return inplace(thread, syntax.PIPE, new(starlark.Dict), full) },
		"json.decode": func() (starlark.Value, error) { return m.decode([]byte(`{"a":1}`)) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), interrupted) {
			t.Errorf("%s went on: %v", name, err)
		}
	}
}

// TestFails checks messages and positions of failures.
func TestFails(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		{"fail('the header is missing')", "main.star:2:7: the header is missing"},
		{"x = 1\nreturn x + 'a'", "main.star:3:12: unknown binary op: int + string"},
		{"return input['nothing']", `main.star:2:15: key "nothing" not in dict`},
		{"return [].nothing", "main.star:2:12: list has no .nothing field or method"},
		{"return main(input)", "called recursively"},
		{"return lambda: 1", "no form in JSON"},
		{"return {1: 2}", "key of type int has no form in JSON"},
		{"return float('nan')", "no form in JSON"},
		{"return tools.broken()", "main.star:2:22: tools.broken: the disk is full"},
		{"return tools.echo(1)", "takes named arguments or one dictionary"},
		{"return tools.echo(1, 2)", "takes named arguments or one dictionary"},
		{"return json.decode('{')", "no JSON"},
		{"d = {}\nd['a'] += 1", `key "a" not in dict`},
		{"x = [1]\nx[4] += 1", "out of range"},
		{"'x'.y += 1", "string has no .y field or method"},
	} {
		_, err := parse(t, body(tc.src)).Run(t.Context(), json.RawMessage(`{}`), DefaultLimits(), echo)
		var f *Failure
		if !errors.As(err, &f) || !strings.Contains(err.Error(), tc.want) || f.Limit || f.Interrupted {
			t.Errorf("%s\nfails with %v, want %q", tc.src, err, tc.want)
		}
	}
	_, err := parse(t, body("return tools.broken()")).Run(t.Context(), json.RawMessage(`{}`), DefaultLimits(), echo)
	if !errors.Is(err, errBroken) {
		t.Errorf("%v does not wrap the tool's error", err)
	}
}

// greedy are programs that would take gigabytes, or run for hours, in few steps of the
// interpreter.
var greedy = []string{
	"x = 'x'\nfor i in range(60):\n  x += x",
	"x = 'x'\nfor i in range(60):\n  x = x + x",
	"x = 'x' * (1 << 29)",
	"x = (1 << 29) * 'x'",
	"x = [0] * (1 << 28)",
	"x = [0]\nfor i in range(60):\n  x += x",
	"x = [0]\nfor i in range(60):\n  x = x + x",
	"x = [0]\nfor i in range(60):\n  x.extend(x)",
	"x = (0,)\nfor i in range(60):\n  x *= 2",
	"x = 3\nfor i in range(60):\n  x = x * x",
	"x = 3\nfor i in range(100000):\n  x = x << 500",
	"x = 'x' * 1000\nfor i in range(60):\n  x = '%s%s' % (x, x)",
	"x = 'x' * 1000\nfor i in range(60):\n  x = '%(a)s%(a)s' % {'a': x}",
	"x = 'x' * 1000\nfor i in range(60):\n  x = '{}{}'.format(x, x)",
	"x = ('{0}' * 1000000).format('x' * 1000000)",
	"x = 'x' * 1000\nfor i in range(60):\n  x = x.replace('x', x)",
	"x = 'x' * 1000\nfor i in range(60):\n  x = x.join([x, x])",
	"x = 'x' * 100000\nx = x.join(['a'] * 100000)",
	"x = [0]\nfor i in range(60):\n  x = [x, x]\nstr(x)",
	"x = [0]\nfor i in range(60):\n  x = [x, x]\nprint(x)",
	"x = [0]\nfor i in range(60):\n  x = [x, x]\n'%s' % x",
	"x = [0]\nfor i in range(60):\n  x = [x, x]\n'{}'.format(x)",
	"x = [0]\nfor i in range(60):\n  x = [x, x]\njson.encode(x)",
	"x = [0]\nfor i in range(60):\n  x = [x, x]\nreturn x",
	"x = [0]\nfor i in range(60):\n  x = [x, x]\ntools.echo(x=x)",
	"x = [0]\nfor i in range(60):\n  x = [x, x]\nfail(x)",
	"x = ()\nfor i in range(60):\n  x = (x, x)\nreturn {x: 1}",
	"x = ()\nfor i in range(60):\n  x = (x, x)\nd = {}\nd[x] = 1",
	"x = ()\nfor i in range(60):\n  x = (x, x)\nd = {}\nd[x] += 1",
	"x = ()\nfor i in range(60):\n  x = (x, x)\nreturn x in {}",
	"x = ()\nfor i in range(60):\n  x = (x, x)\n{}.get(x)",
	"x = ()\nfor i in range(60):\n  x = (x, x)\nhash(str(x))",
	"x = ()\nfor i in range(60):\n  x = (x, x)\ndict([(x, 1)])",
	"x = ()\nfor i in range(60):\n  x = (x, x)\n{}.update([(x, 1)])",
	"x = ()\nfor i in range(60):\n  x = (x, x)\nd = {y: 1 for y in [x]}",
	"x = [0]\ny = [0]\nfor i in range(8):\n  x = [x] * 1000\n  y = [y] * 1000\nreturn x == y",
	"x = [0]\ny = [0]\nfor i in range(8):\n  x = [x] * 1000\n  y = [y] * 1000\nreturn x in [y]",
	"x = [0]\ny = [0]\nfor i in range(8):\n  x = [x] * 1000\n  y = [y] * 1000\nreturn max(x, y)",
	"x = [0]\ny = [0]\nfor i in range(8):\n  x = [x] * 1000\n  y = [y] * 1000\nreturn [x].index(y)",
	"x = [0]\ny = [0]\nfor i in range(8):\n  x = [x] * 1000\n  y = [y] * 1000\nreturn sorted([x, y])",
	"list(range(1 << 30))",
	"tuple(range(1 << 40))",
	"sorted(range(1 << 30))",
	"reversed(range(1 << 30))",
	"max(range(1 << 40))",
	"any(range(0, 1 << 40))",
	"all(range(1, 1 << 40))",
	"enumerate(range(1 << 30))",
	"zip(range(1 << 30), range(1 << 30))",
	"x = [0] * 100000\nzip(*([x] * 1000))",
	"bytes(range(1 << 40))",
	"def f(*a):\n  return a\nf(*range(1 << 30))",
	"def f(*a):\n  return a\nx = [0] * 100000\nreturn len([f(*x) for i in range(1000)])",
	"x = [0] * 100000\nreturn len([x[:] for i in range(10000)])",
	"x = [0] * 100000\nreturn len([list(x) for i in range(10000)])",
	"x = {i: i for i in range(10000)}\nreturn len([dict(x) for i in range(10000)])",
	"x = {i: i for i in range(10000)}\nreturn len([x | x for i in range(10000)])",
	"x = {i: i for i in range(10000)}\nreturn len([x.items() for i in range(10000)])",
	"x = {i: i for i in range(10000)}\ndef f():\n  d = {}\n  d.update(x)\n  return d\nreturn len([f() for i in range(10000)])",
	"x = {i: i for i in range(10000)}\ndef f():\n  d = {}\n  d |= x\n  return d\nreturn len([f() for i in range(10000)])",
	"return len([{} for i in range(10000000)])",
	"for i in range(1 << 40):\n  pass",
	"for i in range(1000):\n  ('x' * 4000000).codepoints()",
	"for i in range(1000):\n  (',' * 4000000).split(',')",
	"for i in range(1000):\n  ('\\n' * 4000000).splitlines()",
	"int('9' * 4000000)",
	"x = []\nfor i in range(1000):\n  x = [x]\nreturn x",
	"x = []\nx.append(x)\nreturn x",
	"for i in range(1000):\n  tools.echo()",
	"getattr('x' * 4000000, 'replace')('x', 'x' * 4000000)",
	"f = 'x'.replace\nx = 'x' * 4000000\nreturn x.replace('x', x)",
	"('x' * (1 << 40)).y += 1",
	"def f(a = 'x' * (1 << 29)):\n  pass",
	"f = lambda a = 'x' * (1 << 29): 1",
	"return 'x' * (1 << 29) if True else 1",
	"return {'x' * (1 << 29): 1}",
	"x = 1\nfor i in range(125):\n  x = x << 500\nreturn len([-x for i in range(100000)])",
	"x = 1\nfor i in range(125):\n  x = x << 500\nl = []\nfor i in range(100000):\n  l.append(~x)",
	"return ['\\0' * 4000000] * 12",
}

// TestBounds: each greedy program ends with a limit. The test would not end otherwise.
func TestBounds(t *testing.T) {
	small := Limits{Steps: 1_000_000, Memory: 8 << 20, Calls: 100}
	for _, src := range greedy {
		_, err := parse(t, body(src)).Run(t.Context(), json.RawMessage(`{}`), small, echo)
		var f *Failure
		if !errors.As(err, &f) || !f.Limit {
			t.Errorf("%s\nends with %v, want a limit", src, err)
		}
	}
}

// TestInterrupt interrupts a busy program.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	src := body("tools.started()\nfor i in range(1 << 40):\n  pass")
	lim := DefaultLimits()
	lim.Steps = 1 << 60
	_, err := parse(t, src).Run(ctx, json.RawMessage(`{}`), lim, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		cancel()
		return json.RawMessage(`null`), nil
	})
	var f *Failure
	if !errors.As(err, &f) || !f.Interrupted || !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// TestDeterministic: a program has access to nothing that differs between runs, and its
// printed output is bounded.
func TestDeterministic(t *testing.T) {
	src := body("d = {}\nfor i in range(100):\n  d[str(i)] = hash(str(i))\n  print('a' * 100)\nreturn d")
	p := parse(t, src)
	first, err := p.Run(t.Context(), json.RawMessage(`{}`), DefaultLimits(), echo)
	if err != nil || len(first.Printed) < 1000 || len(first.Printed) > maxPrinted+1 {
		t.Fatalf("%d bytes printed, %v", len(first.Printed), err)
	}
	for range 3 {
		again, err := p.Run(t.Context(), json.RawMessage(`{}`), DefaultLimits(), echo)
		if err != nil || string(again.Output) != string(first.Output) || again.Steps != first.Steps {
			t.Errorf("%d steps, then %d, %v", first.Steps, again.Steps, err)
		}
	}
}

// TestParse checks the diagnostics of invalid programs, with positions.
func TestParse(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		{"def main(input):\n  return 1 +\n", "main.star:2:13: composed-syntax"},
		{"def main(input):\n  return nothing\n", "main.star:2:10: composed-syntax"},
		{"def main(input):\n  while True:\n    pass\n", "composed-syntax"},
		{"load('other.star', 'x')\ndef main(input):\n  return x\n", "main.star:1:1: composed-syntax"},
		{"x = 1\n", "main.star: composed-main"},
		{"def main():\n  return 1\n", "main.star:1:1: composed-main"},
		{"def main(a, b):\n  return 1\n", "composed-main"},
		{"def main(*a):\n  return 1\n", "composed-main"},
		{"main = lambda input: 1\n", "composed-main"},
		{"def main(input):\n  return getattr(tools, input['n'])()\n", "main.star:2:18: composed-tools"},
		{"def main(input):\n  f = tools.parse_csv\n  return f()\n", "main.star:2:7: composed-tools"},
		{"def main(input):\n  t = tools\n  return t.parse_csv()\n", "composed-tools"},
		{"def main(input):\n  return [tools]\n", "composed-tools"},
		{"def main(input):\n  return (tools).a()\n", "composed-tools"},
		{"def main(tools):\n  return tools.a()\n", "composed-tools"},
		{"def f(tools):\n  return tools.a()\ndef main(input):\n  return f(1)\n", "composed-tools"},
		{"def main(input):\n  return set([1])\n", "composed-syntax"},
		{"def main(input):\n  return " + strings.Repeat("(", MaxSource) + "\n", "composed-syntax"},
	} {
		p, found := Parse("main.star", []byte(tc.src))
		var said []string
		for _, d := range found {
			said = append(said, fmt.Sprintf("%s: %s", d.Pos, d.Rule))
		}
		if p != nil || !strings.Contains(strings.Join(said, "\n"), tc.want) {
			t.Errorf("%.80s\nsays %q, want %q", tc.src, said, tc.want)
		}
	}
	p := parse(t, "def f(x):\n  return tools.b(x=tools.a_one())\ndef main(input):\n  return [tools.a_one(), f(1)]\n")
	var called []string
	for _, c := range p.Calls() {
		called = append(called, fmt.Sprintf("%s@%d", c.Name, c.Pos.Line))
	}
	if got := strings.Join(called, " "); got != "b@2 a_one@2 a_one@4" {
		t.Errorf("calls %s", got)
	}
}

// TestDocument runs the program that docs/tools.md shows.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "```python\n")
	src, _, _ := strings.Cut(after, "```")
	table := func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"columns":["a","b"],"rows":[["1","2"]],"problems":[]}`), nil
	}
	out, err := parse(t, src).Run(t.Context(), json.RawMessage(`{"text":"a,b\n1,2\n"}`), DefaultLimits(), table)
	if err != nil || string(out.Output) != `{"columns":2,"rows":1}` {
		t.Errorf("answers %s, %v", out.Output, err)
	}
}

// FuzzRun: no program panics or runs without end.
func FuzzRun(f *testing.F) {
	for _, src := range greedy {
		f.Add(body(src), `{"a":[1]}`)
	}
	f.Add(body("return input"), `[1e400]`)
	f.Fuzz(func(t *testing.T, src, input string) {
		p, found := Parse("main.star", []byte(src))
		if (p == nil) != found.HasErrors() {
			t.Fatalf("a program: %v, and %v", p != nil, found)
		}
		if p == nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		out, err := p.Run(ctx, json.RawMessage(input), Limits{Steps: 100_000, Memory: 4 << 20, Calls: 10}, echo)
		if ctx.Err() != nil {
			t.Fatal("it did not end in a minute")
		}
		if err == nil && !json.Valid(out.Output) {
			t.Fatalf("answers %q", out.Output)
		}
	})
}
