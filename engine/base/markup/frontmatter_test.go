package markup_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/markup"
)

func TestSplitFrontMatter(t *testing.T) {
	for _, tc := range []struct {
		src, front string
		body       string
		bodyLine   int
		rule       string
	}{
		{"---\na: b\n---\nx", "a: b\n", "x", 4, ""}, {"--- \r\na: b\r\n---\r\nx", "a: b\r\n", "x", 4, ""}, {"---\n---\n", "", "", 3, ""},
		{"\uFEFF---\na: b\n---\nx", "a: b\n", "x", 4, markup.RuleByteOrderMark}, {"x\n---\n", "", "x\n---\n", 1, ""}, {"", "", "", 1, ""},
		{"---\na: b\n", "", "---\na: b\n", 1, markup.RuleFrontUnclosed}, {"----\na\n---\n", "", "----\na\n---\n", 1, ""}, {"---\na\n---", "a\n", "", 4, ""},
	} {
		fm, ds := markup.SplitFrontMatter([]byte(tc.src))
		rule := ""
		if len(ds) > 0 {
			rule = ds[0].Rule
		}
		if string(fm.Source) != tc.front || tc.src[fm.BodyOffset:] != tc.body || rule != tc.rule || fm.BodyLine != tc.bodyLine {
			t.Errorf("%q: %+v %v", tc.src, fm, ds)
		}
	}
}

func TestEditFrontMatter(t *testing.T) {
	const src = "---\n# who\nname: Old Name # wrong\n\ndescription: >\n  Does\n  things\n# meta\nmetadata:\n    a: x   # keep\nauthor: me\n---\nBody\r\n"
	for _, tc := range []struct {
		name, src string
		edits     []markup.KeyEdit
		want      string
	}{
		{"set", src, []markup.KeyEdit{{Key: "name", Value: "new-name"}}, "---\n# who\nname: new-name\n\ndescription: >\n  Does\n  things\n# meta\nmetadata:\n    a: x   # keep\nauthor: me\n---\nBody\r\n"},
		{"move under metadata", src, []markup.KeyEdit{{Key: "author", Remove: true}, {Key: "metadata", Sub: "author", Value: "no"}}, "---\n# who\nname: Old Name # wrong\n\ndescription: >\n  Does\n  things\n# meta\nmetadata:\n    a: x   # keep\n    author: \"no\"\n---\nBody\r\n"},
		{"replace a block", src, []markup.KeyEdit{{Key: "description", Value: "one\ntwo\n"}}, "---\n# who\nname: Old Name # wrong\n\ndescription: |\n  one\n  two\n# meta\nmetadata:\n    a: x   # keep\nauthor: me\n---\nBody\r\n"},
		{"rename", src, []markup.KeyEdit{{Key: "author", Rename: "license"}}, "---\n# who\nname: Old Name # wrong\n\ndescription: >\n  Does\n  things\n# meta\nmetadata:\n    a: x   # keep\nlicense: me\n---\nBody\r\n"},
		{"remove the last inside", src, []markup.KeyEdit{{Key: "metadata", Sub: "a", Remove: true}}, "---\n# who\nname: Old Name # wrong\n\ndescription: >\n  Does\n  things\n# meta\nauthor: me\n---\nBody\r\n"},
		{"replace inside", src, []markup.KeyEdit{{Key: "metadata", Sub: "a", Value: "y"}}, "---\n# who\nname: Old Name # wrong\n\ndescription: >\n  Does\n  things\n# meta\nmetadata:\n    a: y\nauthor: me\n---\nBody\r\n"},
		{"make front matter", "Body\r\n", []markup.KeyEdit{{Key: "name", Value: "x"}}, "---\r\nname: x\r\n---\r\nBody\r\n"},
		{"make metadata", "---\r\na: b\r\n---\r\n", []markup.KeyEdit{{Key: "metadata", Sub: "c", Value: "d"}}, "---\r\na: b\r\nmetadata:\r\n  c: d\r\n---\r\n"},
		{"metadata in braces", "---\nmetadata: {a: b}\n---\n", []markup.KeyEdit{{Key: "metadata", Sub: "c", Value: "d"}}, "---\nmetadata:\n  a: b\n  c: d\n---\n"},
		{"metadata in braces over lines", "---\nmetadata: {\n  a: b\n}\n---\n", []markup.KeyEdit{{Key: "metadata", Sub: "c", Value: "d"}}, "---\nmetadata:\n  a: b\n  c: d\n---\n"},
		{"remove what is not there", src, []markup.KeyEdit{{Key: "nope", Remove: true}}, src},
		{"a list at the margin", "---\ntags:\n- a\n- b\nname: x\n---\n", []markup.KeyEdit{{Key: "tags", Remove: true}}, "---\nname: x\n---\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ds := markup.EditFrontMatter("SKILL.md", []byte(tc.src), tc.edits...)
			if diff := cmp.Diff(tc.want, string(got)); diff != "" || len(ds) > 0 {
				t.Error(diff, ds)
			}
		})
	}
}

func TestEditFrontMatterRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		edit      markup.KeyEdit
	}{
		{"braces", "---\n{a: b, c: d}\n---\n", markup.KeyEdit{Key: "a", Value: "x"}},
		{"a list", "---\n- a\n---\n", markup.KeyEdit{Key: "a", Value: "x"}},
		{"not YAML", "---\na: b: c\n---\n", markup.KeyEdit{Key: "a", Value: "x"}},
		{"not closed", "---\na: b\n", markup.KeyEdit{Key: "a", Value: "x"}},
		{"rename to what is there", "---\na: b\nc: d\n---\n", markup.KeyEdit{Key: "a", Rename: "c"}},
		{"rename what is not there", "---\na: b\n---\n", markup.KeyEdit{Key: "x", Rename: "c"}},
		{"inside a text", "---\nmetadata: text\n---\n", markup.KeyEdit{Key: "metadata", Sub: "c", Value: "d"}},
		{"an anchor that is used", "---\na: &x b\nc: *x\n---\n", markup.KeyEdit{Key: "a", Value: "d"}},
		{"no exact form", "---\na: b\n---\n", markup.KeyEdit{Key: "a", Value: func() {}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ds := markup.EditFrontMatter("SKILL.md", []byte(tc.src), tc.edit)
			if !ds.HasErrors() || string(got) != tc.src {
				t.Errorf("%q %v", got, ds)
			}
		})
	}
}
