package attacks_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// No file name leaves its folder or equals another name on some system.
func TestAttackNames(t *testing.T) {
	for _, a := range []struct{ what, name, rule string }{
		{"upwards", "../../../.bashrc", names.RuleTraversal},
		{"absolute", "/etc/passwd", names.RuleUnclean},
		{"a newline", "notes\n.md", names.RuleControl},
		{"a NUL", "notes\x00.md", names.RuleControl},
		{"Git's folder", ".git/config", names.RuleDotGit},
		{"Git's folder in capitals", ".GIT/hooks/post-checkout", names.RuleDotGit},
		{"Git's folder as a short name", "GIT~1/config", names.RuleDotGit},
		{"Git's folder with a space", ".git /config", names.RuleDotGit},
		{"Git's folder with what nobody sees", ".g\u200cit/config", names.RuleDotGit},
		{"Git's folder as a stream", ".git::$INDEX_ALLOCATION/config", names.RuleDotGit},
		{"another case", "skill.md", names.RuleCollision},
		{"another normal form", "notes-e\u0301.md", names.RuleNFC},
		{"a device", "aux.md", names.RuleDevice},
		{"a device with a number", "COM1", names.RuleDevice},
		{"too long", strings.Repeat("n", 300), names.RuleLength},
		{"a look-alike", "n\u043etes.md", names.RuleLookalike},
		{"a short name", "NOTES~1.MD", names.RuleShortName},
		{"a backslash", `..\..\notes.md`, names.RuleBackslash},
		{"an option", "-rf", names.RuleEdge},
		{"a turned direction", "notes\u202egnp.md", names.RuleInvisible},
		{"encoded", "%2e%2e%2fnotes", names.RuleEncoded},
		{"a colon", "notes:secret.md", names.RuleCharacter},
	} {
		attack(t, a.what, func(d *world) {
			path := "skills/clove-hitch/" + a.name
			d.refusedOpening(d.request("kublai", skill("clove-hitch"), file(path, "x\n")), a.rule)
			if d.Failed() || strings.Contains(a.name, "\x00") {
				return
			}
			p := d.proposed("kublai", skill("clove-hitch"))
			d.refusedPush(p, d.smuggled(p, strings.Split(path, "/"), "100644", d.object("blob", []byte("x\n"))), a.rule)
		})
	}
	attack(t, "a governed folder in capitals", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.refusedPush(p, d.smuggled(p, []string{"Policies", "roles.yaml"}, "100644", d.object("blob", []byte("x\n"))), validate.RulePathArea)
	})
	attack(t, "a device that everybody signs for", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		d.ok(d.smuggled(p, []string{"skills", "clove-hitch", "aux.md"}, "100644", d.object("blob", []byte("x\n"))))
		d.approved2(p.ID, "ada", "bob")
		d.holds(p.ID, "validation found 1 error")
	})
	attack(t, "one name twice", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		list := d.entries(d.treeOf(p.Head).String())
		for _, e := range list {
			if e.name == "policies" {
				list = append(list, raw{"100644", "policies", d.object("blob", []byte("x\n"))})
			}
		}
		if d.smuggledTree(p, d.tree(list)) == nil {
			d.succeeds("a tree with a file and a folder of one name is read")
		}
		d.unchanged()
	})
}

// Only files are stored, and only scripts are executable.
func TestAttackModes(t *testing.T) {
	blob := func(d *world) string { return d.object("blob", []byte("../../../etc/passwd")) }
	for _, a := range []struct {
		what, path, mode, rule string
		hash                   func(*world) string
	}{
		{"a symbolic link", "skills/clove-hitch/notes.md", "120000", names.RuleMode, blob},
		{"a symbolic link for a folder", "skills/clove-hitch/scripts", "120000", names.RuleMode, blob},
		{"a submodule", "skills/clove-hitch/vendor", "160000", names.RuleMode, func(d *world) string { return d.main().String() }},
		{"an executable text", "skills/clove-hitch/notes.md", "100755", names.RuleExecBit, blob},
		{"an executable policy", "policies/limits.yaml", "100755", names.RuleExecBit, blob},
		{"a device", "skills/clove-hitch/notes.md", "20666", names.RuleMode, blob},
		{"set user id", "skills/clove-hitch/notes.md", "104755", names.RuleMode, blob},
		{"group may write", "skills/clove-hitch/notes.md", "100664", names.RuleMode, blob},
	} {
		attack(t, a.what, func(d *world) {
			p := d.proposed("kublai", skill("clove-hitch"))
			d.refusedPush(p, d.smuggled(p, strings.Split(a.path, "/"), a.mode, a.hash(d)), a.rule)
		})
	}
}

// YAML has one meaning and bounded cost.
func TestAttackYAML(t *testing.T) {
	suite := func(input string) string {
		return "cases:\n  - name: one\n    input: " + input + "\n    expect: {equals: holds}\n"
	}
	bomb := "[&a [x, x, x, x, x, x, x, x, x, x], &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a], &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b], *c, *c]"
	for _, a := range []struct{ what, text, rule string }{
		{"aliases that multiply", suite(bomb), strictyaml.RuleAlias},
		{"an alias of itself", suite("&a [*a]"), strictyaml.RuleAlias},
		{"a key twice", suite("{knot: bowline, knot: granny}"), strictyaml.RuleDuplicate},
		{"a key twice at the top", suite("x") + "cases: []\n", strictyaml.RuleDuplicate},
		{"nested deeply", suite(strings.Repeat("[", 100) + "x" + strings.Repeat("]", 100)), strictyaml.RuleDepth},
		{"one huge value", suite(strings.Repeat("x", 300<<10)), strictyaml.RuleSize},
		{"a hundred thousand values", suite("[" + strings.Repeat("x, ", 100_000) + "x]"), strictyaml.RuleSize},
		{"a tag", suite("!!binary aGVsbG8="), strictyaml.RuleTag},
		{"a tag of a language", suite("!!python/object/apply:os.system [id]"), strictyaml.RuleTag},
		{"a merge key", suite("{<<: {a: b}}"), strictyaml.RuleKey},
		{"a second document", suite("x") + "---\ncases: []\n", strictyaml.RuleDocuments},
		{"no for false", suite("{required: no}"), strictyaml.RuleAmbiguous},
		{"a date", suite("{at: 2026-03-10}"), strictyaml.RuleAmbiguous},
		{"a number in base 60", suite("{at: 12:30:45}"), strictyaml.RuleAmbiguous},
		{"a byte order mark", "\uFEFF" + suite("x"), strictyaml.RuleEncoding},
		{"a control character", suite("\"a\x1b[31m\""), strictyaml.RuleEncoding},
	} {
		attack(t, a.what, func(d *world) {
			d.refusedOpening(d.request("kublai", skill("clove-hitch"), file("skills/clove-hitch/capability.yaml", toolRecord),
				file("skills/clove-hitch/tests.yaml", a.text)), a.rule)
		})
	}
}

// A suite only grows, and each of its cases can fail.
func TestAttackSuites(t *testing.T) {
	const at = "skills/splice/tests.yaml"
	for _, a := range []struct {
		what string
		edit func(*world) tree.Edit
		rule string
	}{
		{"a changed expectation", func(d *world) tree.Edit { return d.altered(at, "equals: slips", "equals: holds") }, capability.RuleSuiteAppend},
		{"a changed input", func(d *world) tree.Edit { return d.altered(at, "knot: granny", "knot: bowline") }, capability.RuleSuiteAppend},
		{"a case that is not required any more", func(d *world) tree.Edit {
			return d.altered(at, "expect: {equals: slips}", "expect: {equals: slips}\n    required: false")
		}, capability.RuleSuiteAppend},
		{"a case that weighs little", func(d *world) tree.Edit {
			return d.altered(at, "expect: {equals: slips}", "expect: {equals: slips}\n    weight: 0.001")
		}, capability.RuleSuiteAppend},
		{"a case less", func(d *world) tree.Edit {
			first, _, _ := strings.Cut(toolTests, "  - name: a granny")
			return file(at, first)
		}, capability.RuleSuiteAppend},
		{"another name", func(d *world) tree.Edit { return d.altered(at, "a granny slips", "a granny holds") }, capability.RuleSuiteAppend},
		{"no suite", func(*world) tree.Edit { return tree.Edit{Path: at, Remove: true} }, capability.RuleSuiteAppend},
		{"a case that expects nothing", func(*world) tree.Edit {
			return file(at, toolTests+"  - name: new\n    input: {}\n    expect: {}\n")
		}, capability.RuleSuiteExpect},
		{"a case that matches everything", func(*world) tree.Edit {
			return file(at, toolTests+"  - name: new\n    input: {}\n    expect: {matches: \".*\"}\n")
		}, capability.RuleSuiteExpect},
		{"a case that contains nothing", func(*world) tree.Edit {
			return file(at, toolTests+"  - name: new\n    input: {}\n    expect: {contains: \"\"}\n")
		}, capability.RuleSuiteExpect},
	} {
		attack(t, a.what, func(d *world) {
			d.refusedOpening(d.request("kublai", a.edit(d)), a.rule)
		})
	}
}
