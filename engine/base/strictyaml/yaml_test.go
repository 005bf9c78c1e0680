package strictyaml_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

type span time.Duration

func (s *span) UnmarshalNode(n strictyaml.Node) error {
	text, _ := n.Text()
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%q is no duration such as 30s", text)
	}
	*s = span(d)
	return nil
}

type base struct {
	Kind string `yaml:"kind"`
}

type format struct {
	base `yaml:",inline"`

	Name   string            `yaml:"name"`
	Weight float64           `yaml:"weight,omitempty"`
	Count  int               `yaml:"count"`
	On     *bool             `yaml:"on"`
	Tags   []string          `yaml:"tags"`
	Meta   map[string]string `yaml:"meta"`
	Run    struct {
		Timeout span `yaml:"timeout"`
	} `yaml:"run"`
	Input any             `yaml:"input"`
	Raw   strictyaml.Node `yaml:"raw"`
	Level diag.Severity   `yaml:"level"`
	skip  string          //nolint:unused // a field that is not exported is no key
}

func problems(ds diag.List) []string {
	var out []string
	for _, d := range ds {
		out = append(out, fmt.Sprintf("%d:%d %s", d.Line, d.Column, d.Rule))
	}
	return out
}

func TestDecode(t *testing.T) {
	src := "kind: tool\nname: a b\nweight: 1\ncount: -3\non: true\ntags: [x, \"no\", '1']\nmeta:\n  1.0: v\n" +
		"run: {timeout: 30s}\ninput:\n  n: 1\n  f: 1.5\n  b: false\n  z: ~\n  l: [a, {k: \"2\"}]\nraw: {q: 1}\nlevel: note\n"
	doc, ds := strictyaml.Parse("f.yaml", []byte(src), 1, strictyaml.DefaultLimits())
	var got format
	doc.Decode(&got, &ds)
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	yes := true
	want := format{base: base{"tool"}, Name: "a b", Weight: 1, Count: -3, On: &yes, Tags: []string{"x", "no", "1"},
		Meta: map[string]string{"1.0": "v"}, Level: diag.Note,
		Input: map[string]any{"n": int64(1), "f": 1.5, "b": false, "z": nil, "l": []any{"a", map[string]any{"k": "2"}}}}
	want.Run.Timeout = span(30 * time.Second)
	if key, _ := got.Raw.Entry(0); key.Key() != "q" || got.Raw.Pos().Line != 16 {
		t.Errorf("raw node %v", got.Raw.Pos())
	}
	got.Raw = strictyaml.Node{}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(format{}, base{}, strictyaml.Node{})); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeReportsEverything(t *testing.T) {
	src := "kind: no\nname: 1.0\nweight: heavy\ncount: 1.5\non: yes\ntags: a\nmeta: [a]\nrun:\n  timout: 1s\n  timeout: soon\n" +
		"input: {d: 2026-01-02, h: 0x1F}\nlevel: loud\nnamee: x\nzzzzzzzz: 1\nskip: x\n"
	doc, ds := strictyaml.Parse("f.yaml", []byte(src), 11, strictyaml.DefaultLimits())
	doc.Decode(&format{}, &ds)
	want := []string{
		"11:7 yaml-ambiguous", "12:7 yaml-type", "13:9 yaml-type", "14:8 yaml-type", "15:5 yaml-type", "16:7 yaml-type", "17:7 yaml-type",
		"19:3 yaml-unknown", "20:12 yaml-value", "21:12 yaml-ambiguous", "21:27 yaml-ambiguous", "22:8 yaml-value",
		"23:1 yaml-unknown", "24:1 yaml-unknown", "25:1 yaml-unknown",
	}
	if diff := cmp.Diff(want, problems(ds)); diff != "" {
		t.Error(diff)
	}
	if ds[7].Fix != `did you mean "timeout"?` || ds[12].Fix != `did you mean "name"?` || ds[0].Fix != `write "no" in quotes` {
		t.Errorf("fixes: %q %q %q", ds[7].Fix, ds[12].Fix, ds[0].Fix)
	}
	if !strings.HasPrefix(ds[8].Message, "run.timeout: ") || !strings.HasPrefix(ds[9].Message, "input.d: ") {
		t.Errorf("messages: %q %q", ds[8].Message, ds[9].Message)
	}
}

func TestDecodeLenient(t *testing.T) {
	src := "name: 2026-01-02\nkind: no\nextra: 1\nrun:\n  timeout: 1s\n  more: x\n"
	doc, ds := strictyaml.Parse("f.yaml", []byte(src), 1, strictyaml.DefaultLimits())
	var got format
	unknown := doc.DecodeLenient(&got, &ds)
	if len(ds) > 0 || got.Name != "2026-01-02" || got.Kind != "no" {
		t.Errorf("%v %+v", ds, got)
	}
	if len(unknown) != 2 || unknown[0].Path != "extra" || unknown[1].Path != "run.more" || unknown[1].Pos.Line != 6 {
		t.Errorf("unknown: %+v", unknown)
	}
}

func TestParseRefuses(t *testing.T) {
	tight := strictyaml.Limits{Bytes: 400, Depth: 4, Nodes: 40, Entries: 60, Scalar: 20, AliasExpansion: 8}
	for _, tc := range []struct{ name, src, want string }{
		{"empty", "", "1:1 yaml-documents"},
		{"comment only", "# x\n", "1:1 yaml-documents"},
		{"two documents", "a: 1\n---\nb: 2\n", "2:1 yaml-documents"},
		{"duplicate", "a: 1\nb: {c: 1, c: 2}\na: 2\n", "3:1 yaml-duplicate"},
		{"duplicate by quotes", "a: 1\n\"a\": 2\n", "2:1 yaml-duplicate"},
		{"merge key", "a: &x {b: 1}\nc:\n  <<: *x\n", "3:3 yaml-key"},
		{"list as key", "? [a]\n: 1\n", "1:3 yaml-key"},
		{"null key", "~: 1\n", "1:1 yaml-key"},
		{"tag", "a: !!binary aGk=\n", "1:4 yaml-tag"},
		{"object tag", "a: !!python/object:os.system x\n", "1:4 yaml-tag"},
		{"deep", "[[[[[a]]]]]\n", "1:5 yaml-depth"},
		{"too many", "[" + strings.Repeat("a,", 50) + "]\n", "1:80 yaml-size"},
		{"long value", "a: " + strings.Repeat("x", 21) + "\n", "1:4 yaml-size"},
		{"too big", strings.Repeat("x", 401), "1:1 yaml-size"},
		{"alias bomb", "a: &a [1,2]\nb: &b [*a,*a]\nc: [*b,*b]\n", "3:5 yaml-alias"},
		{"alias of itself", "a: &a [*a]\n", "1:8 yaml-alias"},
		{"byte order mark", "\uFEFFa: 1\n", "1:1 yaml-encoding"},
		{"not UTF-8", "a: 1\nb: \xff\n", "2:4 yaml-encoding"},
		{"control", "a: 1\nb: \"\x07\"\n", "2:5 yaml-encoding"},
		{"colon in text", "name: x\ndescription: Use when: y\nother: z\n", "2:0 yaml-syntax"},
		{"bad indentation", "a: 1\nb:\n  - x\n c: 2\nd: 3\n", "4:0 yaml-syntax"},
		{"tab", "a:\n\tb: 1\n", "2:0 yaml-syntax"},
		{"open quote", "a: 1\nb: \"x\nc: 2\nd: 3\n", "2:0 yaml-syntax"},
		{"unknown anchor", "a: 1\nb: *x\n", "2:0 yaml-syntax"},
		{"at sign", "a: @x\n", "1:0 yaml-syntax"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, ds := strictyaml.Parse("f", []byte(tc.src), 1, tight)
			if got := problems(ds); len(got) == 0 || got[0] != tc.want && got[len(got)-1] != tc.want {
				t.Errorf("got %v (%v), want %s", got, ds, tc.want)
			}
			var v any
			doc.Decode(&v, &ds) // must not panic or hang
		})
	}
}

func TestPos(t *testing.T) {
	_, ds := strictyaml.Parse("f", []byte("run:\n  entry: é: x\n"), 1, strictyaml.DefaultLimits())
	if !ds.HasErrors() {
		t.Error("a colon in plain text was taken")
	}
	doc, _ := strictyaml.Parse("f", []byte("run: {entry: x}\ncases:\n  - name: a\n  - é: 1\n    name: b\n\"ü\": {q: 1}\n"), 5, strictyaml.DefaultLimits())
	for _, tc := range []struct {
		path []any
		want string
	}{
		{nil, "f:5:1"}, {[]any{"run", "entry"}, "f:5:7"}, {[]any{"cases", 1, "name"}, "f:9:5"}, {[]any{"cases", 1}, "f:8:5"},
		{[]any{"cases", 7, "name"}, "f:6:1"}, {[]any{"cases", 0, "nope", 3}, "f:7:5"}, {[]any{"ü", "q"}, "f:10:8"},
	} {
		if got := doc.Pos(tc.path...).String(); got != tc.want {
			t.Errorf("Pos(%v) = %s, want %s", tc.path, got, tc.want)
		}
	}
	if got := doc.ValuePos("cases", 1, "name").String(); got != "f:9:11" {
		t.Errorf("ValuePos = %s", got)
	}
}

func TestEntries(t *testing.T) {
	most := strictyaml.DefaultLimits().Entries
	for name, src := range map[string]func(n int) string{
		"a list":    func(n int) string { return "a: [" + strings.Repeat("x,", n) + "]\n" },
		"a mapping": func(n int) string { return "a:\n" + strings.Join(numbered(n), "") },
	} {
		t.Run(name, func(t *testing.T) {
			if _, ds := strictyaml.Parse("f", []byte(src(most)), 1, strictyaml.DefaultLimits()); len(ds) > 0 {
				t.Errorf("as many as are allowed: %v", ds[:1])
			}
			_, ds := strictyaml.Parse("f", []byte(src(most+1)), 1, strictyaml.DefaultLimits())
			if len(ds) != 1 || ds[0].Rule != strictyaml.RuleSize || ds[0].Line == 0 {
				t.Errorf("one more: %v", ds)
			}
		})
	}
}

func numbered(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf(" k%d: x\n", i)
	}
	return lines
}

// The place of every entry is found by reading a mapping once.
func TestLookup(t *testing.T) {
	doc, ds := strictyaml.Parse("f", []byte("a:\n"+strings.Join(numbered(300), "")+"b: {a: 1}\n"), 1, strictyaml.DefaultLimits())
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	for i := range 300 {
		if pos := doc.Pos("a", fmt.Sprintf("k%d", i)); pos.Line != i+2 {
			t.Errorf("entry %d is on line %d", i, pos.Line)
		}
	}
	if pos := doc.Pos("b", "k1"); pos.Line != 302 || doc.Root().Get("b").Get("k1").Kind() != strictyaml.Absent {
		t.Errorf("a key of another mapping: %v", pos)
	}
}
