package capability_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

func skillOf(edits []tree.Edit) []byte {
	for _, e := range edits {
		if e.Path == capability.SkillFile {
			return e.Content
		}
	}
	return nil
}

// checkImported checks the facts that hold for every import that is not skipped.
func checkImported(t testing.TB, im capability.Imported) capability.Skill {
	t.Helper()
	var placed []tree.Edit
	for _, e := range im.Edits {
		e.Path = "skills/" + im.Name + "/" + e.Path
		placed = append(placed, e)
	}
	c, ds, err := capability.Load(tree.NewMap(placed...), "skills/"+im.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range ds {
		if d.Severity == diag.Error && !strings.HasSuffix(d.File, ".yaml") && !strings.HasSuffix(d.File, ".json") {
			t.Errorf("what was imported is not valid: %v\n%s", d, skillOf(im.Edits))
		}
	}
	again := capability.Import(im.Name, im.Edits)
	if len(again.Changes) > 0 || again.Skipped || !cmp.Equal(again.Edits, im.Edits) {
		t.Errorf("importing it again changes it: %v %v", again.Changes, again.Diags)
	}
	original := c.Skill.Metadata[capability.OriginalKey]
	if bytes.Equal(skillOf(im.Edits), im.Original.Content) == (original == tree.BlobHash(im.Original.Content).String()) && !strings.Contains(string(im.Original.Content), capability.OriginalKey) {
		t.Errorf("original hash %q of a file that is identical: %v", original, bytes.Equal(skillOf(im.Edits), im.Original.Content))
	}
	return c.Skill
}

func TestImport(t *testing.T) {
	long := strings.Repeat("many words ", 120)
	for name, c := range map[string]struct {
		folder, front string
		want          capability.Skill // Metadata without the original's hash
		identical     bool
	}{
		"nothing to do":                       {"my-skill", "name: my-skill\ndescription: d", capability.Skill{Name: "my-skill", Description: "d"}, true},
		"a valid name wins over the folder's": {"folder", "name: declared\ndescription: d", capability.Skill{Name: "declared", Description: "d"}, true},
		"an odd name, a good folder":          {"my-skill", "name: My Skill\ndescription: d", capability.Skill{Name: "my-skill", Description: "d"}, false},
		"an odd name, an odd folder":          {"My_Skill", "name: My Skill!\ndescription: d", capability.Skill{Name: "my-skill", Description: "d"}, false},
		"no name":                             {"My_Skill", "description: d", capability.Skill{Name: "my-skill", Description: "d"}, false},
		"a name that traverses":               {"ok", "name: ../../pwn\ndescription: d", capability.Skill{Name: "ok", Description: "d"}, false},
		"a name that YAML reads as no":        {"x", "name: no\ndescription: d", capability.Skill{Name: "no", Description: "d"}, false},
		"other clients' keys": {"x", "name: x\ndescription: d\nversion: 1.0\ntriggers: [a, b]\ndeep: {k: [1, yes]}\nflag: true",
			capability.Skill{Name: "x", Description: "d", Metadata: map[string]string{"version": "1.0", "triggers": "a, b", "deep": `{"k":[1,"yes"]}`, "flag": "true"}}, false},
		"a key that metadata has too": {"x", "name: x\ndescription: d\nversion: 2.0.0\nmetadata:\n  version: 1.0.0",
			capability.Skill{Name: "x", Description: "d", Metadata: map[string]string{"version": "1.0.0", "skill-version": "2.0.0"}}, false},
		"the same key and value in metadata": {"x", "name: x\ndescription: d\nversion: 2.0.0\nmetadata:\n  version: 2.0.0",
			capability.Skill{Name: "x", Description: "d", Metadata: map[string]string{"version": "2.0.0"}}, false},
		"metadata that is no text": {"x", "name: x\ndescription: d\nmetadata: {n: 1, deep: {a: b}, ok: fine, none: null}",
			capability.Skill{Name: "x", Description: "d", Metadata: map[string]string{"n": "1", "deep": `{"a":"b"}`, "ok": "fine", "none": ""}}, false},
		"metadata that is no mapping":  {"x", "name: x\ndescription: d\nmetadata: some text", capability.Skill{Name: "x", Description: "d", Metadata: map[string]string{"metadata": "some text"}}, false},
		"a list of tools":              {"x", "name: x\ndescription: d\nallowed-tools:\n  - Read\n  - Bash(git add:*)", capability.Skill{Name: "x", Description: "d", AllowedTools: "Read Bash(git add:*)"}, false},
		"empty values":                 {"x", "name: x\ndescription: d\nlicense:\nallowed-tools: []\nmetadata:", capability.Skill{Name: "x", Description: "d"}, false},
		"an unquoted colon":            {"x", "name: x\ndescription: Use when: (1) asked # not a comment\nlicense: MIT", capability.Skill{Name: "x", Description: "Use when: (1) asked # not a comment", License: "MIT"}, false},
		"an unquoted colon, continued": {"x", "description: Use when: a\n  and b\nname: x", capability.Skill{Name: "x", Description: "Use when: a and b"}, false},
		"an unquoted bracket":          {"x", "name: x\ndescription: d\nargument-hint: [--a <x>] [--b]", capability.Skill{Name: "x", Description: "d", Metadata: map[string]string{"argument-hint": "[--a <x>] [--b]"}}, false},
		"a description too long":       {"x", "name: x\ndescription: " + long, capability.Skill{Name: "x", Description: long[:1022], Metadata: map[string]string{"description-rest": strings.TrimRight(long[1022:], " ")}}, false},
		"a number as description":      {"x", "name: x\ndescription: 42", capability.Skill{Name: "x", Description: "42"}, false},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			src := strings.ReplaceAll("---\n"+c.front+"\n---\n\n# Body: keep  \n\n```\n---\n```\nno newline at the end", "\n", eol)
			im := capability.Import(c.folder, []tree.Edit{{Path: "SKILL.md", Content: []byte(src)}})
			if im.Skipped {
				t.Errorf("%s: skipped: %v", name, im.Diags)
				continue
			}
			got := checkImported(t, im)
			if !strings.HasSuffix(string(skillOf(im.Edits)), src[strings.LastIndex(src, eol+"# Body"):]) {
				t.Errorf("%s: the body changed", name)
			}
			if bytes.Equal(skillOf(im.Edits), []byte(src)) != c.identical || (len(im.Changes) == 0) != c.identical {
				t.Errorf("%s: identical is not %v: %v", name, c.identical, im.Changes)
			}
			delete(got.Metadata, capability.OriginalKey)
			if len(got.Metadata) == 0 {
				got.Metadata = nil
			}
			got.Body, got.BodyLine = "", 0
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

func TestImportSkips(t *testing.T) {
	for name, c := range map[string]struct{ src, says string }{
		"no description":    {"---\nname: x\n---\n", "no description"},
		"empty description": {"---\nname: x\ndescription:\n---\n", "no description"},
		"no front matter":   {"# Title\n", "no front matter"},
		"unclosed":          {"---\nname: x\ndescription: d\n", "closing ---"},
		"unfinished merge":  {"---\nname: x\n<<<<<<< HEAD\ndescription: d\n=======\n---\n", "unfinished merge"},
		"two values":        {"---\nname: x\nname: y\ndescription: d\n---\n", "is repeated"},
		"not UTF-8":         {"---\nname: x\ndescription: \xff\n---\n", "UTF-8"},
		"empty":             {"", "no front matter"},
		"hopeless YAML":     {"---\n{{{{\n---\n", "YAML"},
	} {
		im := capability.Import("x", []tree.Edit{{Path: "SKILL.md", Content: []byte(c.src)}, {Path: "a.md", Content: []byte("a")}})
		if !im.Skipped || len(im.Edits) > 0 || !im.Diags.HasErrors() || !strings.Contains(im.Diags[0].Message, c.says) || im.Diags[0].Fix == "" {
			t.Errorf("%s: skipped %v, %v", name, im.Skipped, im.Diags)
		}
		if string(im.Original.Content) != c.src {
			t.Errorf("%s: the original is lost", name)
		}
	}
	if im := capability.Import("x", []tree.Edit{{Path: "README.md"}}); !im.Skipped || !im.Diags.HasErrors() {
		t.Errorf("a folder without SKILL.md: %+v", im)
	}
}

func TestImportFiles(t *testing.T) {
	good := []byte(skillText("x"))
	im := capability.Import("x", []tree.Edit{
		{Path: "skill.md", Content: good},
		{Path: "scripts/run.sh", Mode: tree.Executable, Content: []byte("a\r\n")},
		{Path: "run.sh", Mode: tree.Executable, Content: []byte("b")},
		{Path: "link", Mode: tree.Symlink, Content: []byte("/etc/passwd")},
		{Path: ".git/config", Content: []byte("c")},
		{Path: "a\nb", Content: []byte("d")},
		{Path: "README.md", Content: []byte("e")},
		{Path: "readme.md", Content: []byte("f")},
		{Path: "gone", Remove: true},
	})
	if im.Skipped {
		t.Fatal(im.Diags)
	}
	checkImported(t, im)
	var got []string
	for _, e := range im.Edits {
		got = append(got, e.Path+" "+max(e.Mode, tree.Regular).String()+" "+string(e.Content[:1]))
	}
	want := []string{"README.md 100644 e", "SKILL.md 100644 -", "run.sh 100644 b", "scripts/run.sh 100755 a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !bytes.Equal(skillOf(im.Edits), good) {
		t.Error("a renamed SKILL.md changed")
	}
	for _, path := range []string{"link", ".git/config", "a\nb", "readme.md"} {
		if !slices.ContainsFunc(im.Diags, func(d diag.Diagnostic) bool {
			return d.File == path && d.Rule == capability.RuleImportFile && d.Severity == diag.Warning
		}) {
			t.Errorf("%q was left out without a word: %v", path, im.Diags)
		}
	}
	if len(im.Changes) != 6 {
		t.Errorf("%d changes: %q", len(im.Changes), im.Changes)
	}
}

func TestImportMendsBeginnings(t *testing.T) {
	for _, before := range []string{"\uFEFF", "\n\n", "\uFEFF\r\n"} {
		im := capability.Import("x", []tree.Edit{{Path: "SKILL.md", Content: []byte(before + skillText("x"))}})
		if im.Skipped {
			t.Errorf("%q: %v", before, im.Diags)
			continue
		}
		checkImported(t, im)
	}
}

// TestImportIsStable: with any front matter, the imported skill is valid, and importing
// it again changes nothing.
func TestImportIsStable(t *testing.T) {
	value := rapid.SampledFrom([]string{"text", "a: b", "1", "yes", "[a, b]", "{a: {b: 1}}", "\"quoted\"", "'it''s'", "|\n  block\n  text", ">-\n  folded", "", "null", "# only a comment", "\"open", "[open", "@at", "*star", strings.Repeat("long ", 300), "2026-01-02", "é 数据"})
	key := rapid.SampledFrom([]string{"name", "description", "license", "compatibility", "metadata", "allowed-tools", "version", "metadata.x", "tags", "assent-original"})
	rapid.Check(t, func(t *rapid.T) {
		src := "---\n"
		for range rapid.IntRange(1, 6).Draw(t, "fields") {
			src += key.Draw(t, "key") + ": " + value.Draw(t, "value") + "\n"
		}
		src += "---\nbody\n"
		if rapid.Bool().Draw(t, "crlf") {
			src = strings.ReplaceAll(src, "\n", "\r\n")
		}
		im := capability.Import(rapid.SampledFrom([]string{"x", "My Skill", "con", "数据"}).Draw(t, "folder"), []tree.Edit{{Path: "SKILL.md", Content: []byte(src)}})
		if im.Skipped {
			if !im.Diags.HasErrors() {
				t.Fatalf("skipped without a reason: %q", src)
			}
			return
		}
		again := capability.Import(im.Name, im.Edits)
		if len(again.Changes) > 0 || again.Skipped || !cmp.Equal(again.Edits, im.Edits) {
			t.Fatalf("not stable: %q\nbecame %q\nthen %v %v", src, skillOf(im.Edits), again.Changes, again.Diags)
		}
		if _, ds := capability.ParseSkill("skills/"+im.Name+"/SKILL.md", skillOf(im.Edits)); ds.HasErrors() {
			t.Fatalf("not valid: %v", ds)
		}
	})
}
