package strictyaml_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1\n", "a: &a [*a]", "? [a]\n: {b: \"\\x07\"}", "a: |\n  x\r\n\u2028y: 'z", "- - - -\t", "%YAML 1.2\n---\na", "{a: b, c: [d, e]}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, ds := strictyaml.Parse("f", src, 1, strictyaml.Limits{Bytes: 1 << 14, Depth: 32, Nodes: 2000, Entries: 1000, Scalar: 4096, AliasExpansion: 100})
		clean := !ds.HasErrors()
		var v any
		doc.Decode(&v, &ds)
		doc.Decode(&format{}, &ds)
		lines := bytes.Split(src, []byte("\n"))
		for _, d := range ds {
			if d.Line < 1 || d.Line > len(lines) || d.Column > len(lines[d.Line-1])+1 {
				t.Errorf("%v lies outside the source", d)
			}
			if d.Fix == "" && d.Rule != strictyaml.RuleValue && d.Rule != strictyaml.RuleType {
				t.Errorf("%v has no fix", d)
			}
		}
		if clean {
			roundTrip(t, doc)
		}
	})
}

// roundTrip encodes a clean document and decodes it again.
func roundTrip(t *testing.T, doc *strictyaml.Doc) {
	t.Helper()
	ds := new(diag.List)
	v := doc.Root().Value(ds)
	if ds.HasErrors() {
		return
	}
	checkMarshal(t, v)
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

func checkMarshal(t fataler, v any) {
	t.Helper()
	out, err := strictyaml.Marshal(v)
	if err != nil {
		t.Fatalf("%#v: %v", v, err)
	}
	doc, ds := strictyaml.Parse("out", out, 1, strictyaml.DefaultLimits())
	if got := doc.Root().Value(&ds); len(ds) > 0 || !cmp.Equal(v, got) {
		t.Fatalf("%#v was written as\n%s\nwhich reads as %#v with %v", v, out, got, ds)
	}
}

func TestMarshalReadsBack(t *testing.T) {
	text := rapid.OneOf(
		rapid.StringOf(rapid.RuneFrom([]rune("ab -:#'\"\\\n\t{}[],&*!|>%@`~?=1.0eyn\u00e9\u2028\u200b\u0085\r"))),
		rapid.SampledFrom([]string{"", "no", "yes", "true", "null", "~", "1.0", "0x1F", "1_000", "2026-01-02", "12:30", "<<", "=", ".inf", "- a", "a: b", " x", "x\n", "\nx", "a\n\n", "é 你好 🚀", "---", "..."}),
		rapid.String(),
	)
	leaf := rapid.OneOf(text.AsAny(), rapid.Int64().AsAny(), rapid.Bool().AsAny(), rapid.Just(any(nil)), rapid.Just(any(1.5)))
	value := rapid.Deferred(func() *rapid.Generator[any] {
		return rapid.OneOf(leaf, rapid.SliceOfN(leaf, 0, 3).AsAny(), rapid.MapOfN(text, leaf, 0, 3).AsAny())
	})
	rapid.Check(t, func(t *rapid.T) { checkMarshal(t, value.Draw(t, "value")) })
}

func TestMarshalForm(t *testing.T) {
	out, err := strictyaml.Marshal(struct {
		Name string   `yaml:"name"`
		Tags []string `yaml:"tags"`
		None []string `yaml:"none"`
		Text string   `yaml:"text"`
		Skip string   `yaml:"skip,omitempty"`
		Meta any      `yaml:"meta"`
	}{"no", []string{"a b", "1.0"}, []string{}, "one\ntwo\n", "", map[string]any{"b": 1, "a": "x: y"}})
	want := "name: \"no\"\ntags:\n  - a b\n  - \"1.0\"\nnone: []\ntext: |\n  one\n  two\nmeta:\n  a: \"x: y\"\n  b: 1\n"
	if diff := cmp.Diff(want, string(out)); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, bad := range []any{func() {}, make(chan int), "\xff"} {
		if out, err := strictyaml.Marshal(bad); err == nil {
			t.Errorf("%T was written as %q", bad, out)
		}
	}
}
