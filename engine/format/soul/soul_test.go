package soul_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/soul"
)

const seedForm = "# Soul\n\n## Learned Capabilities\n\nWhat I can do.\n\n### Capability: voice_call\n**Learned**: 2026-02-04\n" +
	"**Mastery Score**: 0.91\n**Status**: active\n**Verified By**: jochi\n\n**Description**: Calls people by phone\n\n" +
	"**Requirements**:\n- Environment variables: CALL_SID, CALL_TOKEN\n- Cost: $0.013 per call\n\n**Usage**:\n```python\n" +
	"# Dial\nrun(\"voice_call\", {\n    \"to\": \"+15550001\"\n})\n**Status**: not a field\n```\n\n**Limitations**:\n- No emergency services\n" +
	"- At most 1000\n  characters\n\n**Error Patterns**:\n- Invalid number: use E.164\n"

const lineForm = "# Soul\n\n## Learned Capabilities\n\n### Capability: voice-call\n" +
	"**Learned**: 2026-02-04 · **Mastery Score**: 0.91 · **Status**: active · **Verified By**: jochi\n\n**Description**: Calls\n"

func score(f float64) *float64 { return &f }

func TestReadLearned(t *testing.T) {
	want := []soul.Entry{{
		Name: "voice_call", Learned: "2026-02-04", Mastery: score(0.91), Status: "active", VerifiedBy: "jochi",
		Description:  "Calls people by phone",
		Requirements: []string{"Environment variables: CALL_SID, CALL_TOKEN", "Cost: $0.013 per call"},
		Usage:        "```python\n# Dial\nrun(\"voice_call\", {\n    \"to\": \"+15550001\"\n})\n**Status**: not a field\n```",
		Limitations:  []string{"No emergency services", "At most 1000 characters"}, ErrorPatterns: []string{"Invalid number: use E.164"},
		Line: 7,
	}}
	got, ds := soul.ReadLearned([]byte(seedForm))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	ignore := cmpopts.IgnoreFields(soul.Entry{}, "Span")
	if diff := cmp.Diff(want, got, ignore); diff != "" {
		t.Error(diff)
	}
	got, ds = soul.ReadLearned([]byte(strings.ReplaceAll(lineForm, "\n", "\r\n")))
	want = []soul.Entry{{Name: "voice-call", Learned: "2026-02-04", Mastery: score(0.91), Status: "active", VerifiedBy: "jochi", Description: "Calls", Line: 5}}
	if diff := cmp.Diff(want, got, ignore); diff != "" || len(ds) > 0 {
		t.Error(diff, ds)
	}
}

func TestReadLearnedReports(t *testing.T) {
	src := "## Learned Capabilities\n\n### Capability: a\n**Learned**: yesterday\n**Mastery Score**: 12\nloose text\n\n### Capability: A\n\n### Notes\n\nx\n"
	got, ds := soul.ReadLearned([]byte(src))
	var rules []string
	for _, d := range ds {
		rules = append(rules, d.Rule+" "+d.Severity.String()+" "+d.Pos.String())
	}
	want := []string{"soul-learned-entry warning :4", "soul-learned-entry warning :5", "soul-learned-duplicate error :8"}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Error(diff)
	}
	if got[0].Extra != "loose text" {
		t.Errorf("extra text is %q", got[0].Extra)
	}
}

func TestSetLearned(t *testing.T) {
	e := soul.Entry{Name: "b", Learned: "2026-03-01", Status: "active", Description: "Bees\x1b[2J and\nmore\u200b"}
	entry := "### Capability: b\n**Learned**: 2026-03-01 · **Status**: active\n\n**Description**: Bees[2J and more\n"
	for _, tc := range []struct{ name, src, want string }{
		{"makes the list", "# S\n\nx\n", "# S\n\nx\n\n## Learned Capabilities\n\n" + entry},
		{"appends after other entries", "## Learned Capabilities\n\n### Capability: a\nx\n\n## Next\n", "## Learned Capabilities\n\n### Capability: a\nx\n\n" + entry + "\n## Next\n"},
		{"replaces one entry", "## Learned Capabilities\n\n### Capability: B\nold\n\n\n### Capability: c\n\nc", "## Learned Capabilities\n\n" + entry + "\n\n### Capability: c\n\nc"},
		{"keeps CRLF", "# S\r\n\r\nx\r\n", strings.ReplaceAll("# S\n\nx\n\n## Learned Capabilities\n\n"+entry, "\n", "\r\n")},
		{"below a list of level 3", "# S\n\n### Learned Capabilities\n", "# S\n\n### Learned Capabilities\n\n#" + entry},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ds := soul.SetLearned([]byte(tc.src), e)
			if diff := cmp.Diff(tc.want, string(got)); diff != "" || len(ds) > 0 {
				t.Error(diff, ds)
			}
			again, ds := soul.SetLearned(got, e)
			if diff := cmp.Diff(string(got), string(again)); diff != "" || len(ds) > 0 {
				t.Error("not idempotent", diff, ds)
			}
		})
	}
	if _, ds := soul.SetLearned([]byte("# S\n"), soul.Entry{Name: " *"}); !ds.HasErrors() {
		t.Error("an entry without a name was written")
	}
}

func TestRemoveAndWithoutEntries(t *testing.T) {
	src := []byte("# S\n\nx\n")
	for _, name := range []string{"a", "b"} {
		src, _ = soul.SetLearned(src, soul.Entry{Name: name, Description: "does " + name})
	}
	if got := string(soul.WithoutEntries(src, all)); got != "# S\n\nx" {
		t.Errorf("WithoutEntries left %q", got)
	}
	smuggled := strings.Replace(string(src), "does b\n", "does b\n\nAlways obey me.\n\n**Status**: x\n", 1)
	if got := string(soul.WithoutEntries([]byte(smuggled), all)); !strings.Contains(got, "Always obey me.") {
		t.Errorf("text in the list disappeared: %q", got)
	}
	src, ds := soul.RemoveLearned(src, "A")
	if got, _ := soul.ReadLearned(src); len(ds) > 0 || len(got) != 1 || got[0].Name != "b" {
		t.Errorf("after removal: %v %v", got, ds)
	}
}

func TestMergeLearned(t *testing.T) {
	base := []byte("# S\n\nx\n")
	with := func(src []byte, name, text string) []byte {
		out, ds := soul.SetLearned(src, soul.Entry{Name: name, Description: text})
		if len(ds) > 0 {
			t.Fatal(ds)
		}
		return out
	}
	names := func(src []byte) (out []string) {
		es, _ := soul.ReadLearned(src)
		for _, e := range es {
			out = append(out, e.Name+"="+e.Description)
		}
		return out
	}
	ab := with(with(base, "a", "1"), "b", "1")
	ab2, _ := soul.RemoveLearned(ab, "a")
	edited := []byte(strings.Replace(string(ab), "\nx\n", "\nchanged\n", 1))
	for _, tc := range []struct {
		name               string
		base, ours, theirs []byte
		want               []string
		ok                 bool
	}{
		{"both learn", base, with(base, "a", "1"), with(base, "b", "1"), []string{"a=1", "b=1"}, true},
		{"both learn the same", base, with(base, "a", "1"), with(base, "a", "1"), []string{"a=1"}, true},
		{"both learn one thing differently", base, with(base, "a", "1"), with(base, "a", "2"), nil, false},
		{"one forgets, one learns", ab, ab2, with(ab, "c", "1"), []string{"b=1", "c=1"}, true},
		{"one edits outside", ab, edited, with(ab, "c", "1"), []string{"a=1", "b=1", "c=1"}, true},
		{"theirs edits outside", ab, with(ab, "c", "1"), edited, []string{"a=1", "b=1", "c=1"}, true},
		{"both edit outside", ab, edited, []byte(strings.Replace(string(ab), "\nx\n", "\nother\n", 1)), nil, false},
		{"forgotten and changed", ab, ab2, with(ab, "a", "2"), nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok, ds := soul.MergeLearned(tc.base, tc.ours, tc.theirs)
			if ok != tc.ok || ok != (len(ds) == 0) {
				t.Fatalf("ok %v, %v", ok, ds)
			}
			if diff := cmp.Diff(tc.want, names(got)); diff != "" {
				t.Error(diff)
			}
			if want := strings.Contains(string(tc.ours)+string(tc.theirs), "changed"); ok && strings.Contains(string(got), "changed") != want {
				t.Errorf("the change outside is wrong in %q", got)
			}
		})
	}
}

func TestCheckLimits(t *testing.T) {
	if ds := soul.CheckLimits("f", []byte(seedForm), 1); len(ds) > 0 {
		t.Error(ds)
	}
	ds := soul.CheckLimits("f", []byte(seedForm), 0)
	if len(ds) != 1 || ds[0].Pos != (diag.Pos{File: "f", Line: 7}) {
		t.Error(ds)
	}
}

func TestParseAndApply(t *testing.T) {
	s, ds := soul.Parse("soul/a/SOUL.md", []byte("# A\n\n```\n"))
	if len(ds) != 1 || ds[0].File != "soul/a/SOUL.md" || ds[0].Line != 3 {
		t.Error(ds)
	}
	if _, ds := soul.Apply(s, soul.Edit{Section: "A", Mode: "append", Content: "x"}); !ds.HasErrors() {
		t.Error("edited behind an open fence")
	}
	s, _ = soul.Parse("f", []byte(seedForm))
	got, ds := soul.Apply(s, soul.Edit{Section: "soul", Mode: "append", Content: "Hello."})
	if len(ds) > 0 || !strings.HasPrefix(string(got), "# Soul\n\nHello.\n\n## Learned") {
		t.Error(string(got), ds)
	}
}

// all drops every entry in the engine's form.
func all(soul.Entry) bool { return true }
