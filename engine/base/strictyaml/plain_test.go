package strictyaml

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/diag"
)

// holdPlain compares plain with the library if plain parses its input, and reports whether it
// does.
func holdPlain(t interface {
	Helper()
	Errorf(string, ...any)
}, src []byte,
) bool {
	t.Helper()
	d := &Doc{lines: newLineIndex("f", src, 1)}
	var ds diag.List
	if d.checkEncoding(src, &ds); len(ds) > 0 {
		return false
	}
	got, answers := plain(src)
	if !answers {
		return false
	}
	want, ok := d.parse(src, &ds)
	if !ok {
		t.Errorf("plain reads %q, of which the library says %v", src, ds)
		return true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%q: the library, and plain:\n%s", src, diff)
	}
	return true
}

func FuzzPlain(f *testing.F) {
	for _, s := range plainAnswers {
		f.Add([]byte(s))
	}
	for _, s := range plainDeclines {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) { holdPlain(t, src) })
}

var plainAnswers = []string{
	"name: a\n", "name: a", "a:  b  \n", "a: it's \"b\" [c]:d#e, é\n", "a: 'b: #'\nc: \"\"\n", "on: 1.0\nnull: 2026-01-02\nn: 0x1F\n",
	"a:\n  b: c\n  d:\n      e: f\ng: h\n", "a: [b, 'c', \"d e\", [], {x: y}]\nb: { c: true,d: 1 }\n", "a: b\na: c\n", "a/b.c: d\n",
}

var plainDeclines = []string{
	"", "\n", "a", "a:\n", "a: \n", "a:b\n", "a: b: c\n", "a: b:\n", "a: b #c\n", "a: b\n  c\n", "a: b\n c: d\n", "a:\n  b: c\n d: e\n", "a: \"\\n\"\n",
	"a: 'b''c'\n", "a: 'b\n  c'\n", "a: |\n  b\n", "a: >\n", "a: *b\n", "a: &b c\n", "a: !!str b\n", "a: - b\n", "- a\n", "a:\n- b\n", "? a\n", "<<: a\n", "#\na: b\n",
	"a: b\n---\nc: d\n", "a: b\n...\n", "a: b\u2028c\n", "a: b\u0085\n", "a: b\r\n", "a:\tb\n", "a: b\tc\n", "a: [b\n", "a: [b,]\n", "a: [b: c]\n", "a: {b}\n", "a: {b:c}\n", "a: [é, b]\n",
	"a: ['é', b]\n", "a: [b] c\n", "a: 'b' c\n", "a: ~\n", "a: -1\n", "a: b\n\nc: d\n", "{a: b}\n", " a: b\nc: d\n", "a: b\nc\n", "a: [[[[[[[[[b]]]]]]]]]\n",
}

func TestPlain(t *testing.T) {
	for _, s := range plainAnswers {
		if !holdPlain(t, []byte(s)) {
			t.Errorf("the library has to be asked for %q", s)
		}
	}
	for _, s := range plainDeclines {
		if holdPlain(t, []byte(s)) {
			t.Errorf("plain answers for %q", s)
		}
	}
}

var nearlyPlain = []string{
	"a", "b: ", "key: ", "c:", ":", ": ", "\n", "\n  ", "\n    ", " ", "[", "]", "{", "}", ", ", ",", "'", "\"", "#", " #", "-", "- ", "?", "!", "&x ", "*x", "|", ">", "%", "@", "`",
	"é", "\u2028", "\u0085", "\t", "\r", "\\", "1", "-1", "1.0", "yes", "null", "~", "<<", "---", "...", ".", "/", "=", "2026-01-02", "_", "key: value\n", "key: [a, b]\n", "x: {y: z}\n", "key: 'v'\n",
}

// TestPlainFragments combines fragments that are nearly plain, which random bytes seldom are:
// every pair before, in and after a plain line, and longer combinations at random.
func TestPlainFragments(t *testing.T) {
	answered := 0
	for _, a := range nearlyPlain {
		for _, b := range nearlyPlain {
			for _, s := range []string{a + b + "key: value\n", "key: " + a + b + "\n", "key: value\n" + a + b} {
				if holdPlain(t, []byte(s)) {
					answered++
				}
			}
		}
	}
	if answered < 500 {
		t.Fatalf("plain answered %d times", answered)
	}
	fragment := rapid.SampledFrom(nearlyPlain)
	rapid.Check(t, func(t *rapid.T) {
		holdPlain(t, []byte(strings.Join(rapid.SliceOfN(fragment, 1, 12).Draw(t, "fragments"), "")))
	})
}

// TestPlainOfThisRepository reads every front matter and record of the repository.
func TestPlainOfThisRepository(t *testing.T) {
	files, answered := 0, 0
	root := os.DirFS("../../..")
	err := fs.WalkDir(root, ".", func(name string, _ fs.DirEntry, err error) error {
		base := path.Base(name)
		if err != nil || base != "SKILL.md" && base != "capability.yaml" {
			return err
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		text := string(src)
		if base == "SKILL.md" {
			text, _ = strings.CutPrefix(text, "---\n")
			text, _, _ = strings.Cut(text, "\n---\n")
		}
		files++
		if holdPlain(t, []byte(text)) {
			answered++
		} else {
			t.Logf("the library reads %s", name)
		}
		return nil
	})
	if err != nil || answered*2 < files {
		t.Errorf("plain answers for %d of %d files (%v)", answered, files, err)
	}
}

func BenchmarkPlain(b *testing.B) {
	src := []byte("name: parse-invoices\ndescription: Parses invoices, also encrypted ones. Use it when \"an invoice\" is mentioned.\nlicense: MIT\n")
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if _, ok := plain(src); !ok {
				b.Fatal("it is not plain")
			}
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			var n yaml.Node
			if err := yaml.Unmarshal(src, &n); err != nil {
				b.Fatal(err)
			}
		}
	})
}
