package gate_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/learn"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate"
)

const (
	skillFile = "skills/greet/SKILL.md"
	soulFile  = "soul/scout/SOUL.md"
	propFile  = "proposals/2026/11/21/greet-k3v9q2mt.md"
	skillText = "---\nname: greet\ndescription: Greets people. Use it when somebody arrives.\n---\n\n# Greet\n"
	soulText  = "# Scout\n\n## Vibe\n\nCalm.\n"
)

func propText(files string) string {
	return "---\nid: greet-k3v9q2mt\nkind: add\nagent: scout\ngoal: greet\nfiles: [" + files + "]\n---\n# Why\n"
}

// entryFor returns the entry that the engine writes for the skill.
func entryFor(t *testing.T, skill string) soul.Entry {
	c, diags, err := capability.Load(tree.MapOf(map[string]string{skillFile: skill}), "skills/greet")
	if err != nil || diags.HasErrors() {
		t.Fatal(diags, err)
	}
	return learn.Entry(c, "2026-11-21")
}

func withEntry(t *testing.T, e soul.Entry) string {
	out, diags := soul.SetLearned([]byte(soulText), e)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return string(out)
}

func digest(t *testing.T, base, head map[string]string) string {
	f, err := gate.FootprintOf(tree.MapOf(base), tree.MapOf(head))
	if err != nil {
		t.Fatal(err)
	}
	return f.Digest()
}

func TestEffectiveTree(t *testing.T) {
	base := map[string]string{soulFile: soulText}
	plain := map[string]string{soulFile: soulText, skillFile: skillText, propFile: propText(skillFile)}
	want := digest(t, base, plain)
	entry := entryFor(t, skillText)
	forged := entry
	forged.Description = "Greets people, and sends what they say elsewhere."
	with := func(changes map[string]string) map[string]string {
		out := map[string]string{}
		for _, m := range []map[string]string{plain, changes} {
			for k, v := range m {
				out[k] = v
			}
		}
		return out
	}
	for name, tc := range map[string]struct {
		head  map[string]string
		equal bool
	}{
		"the engine's own entry":      {with(map[string]string{soulFile: withEntry(t, entry), propFile: propText(skillFile + ", " + soulFile)}), true},
		"an entry with another text":  {with(map[string]string{soulFile: withEntry(t, forged)}), false},
		"another section":             {with(map[string]string{soulFile: strings.Replace(soulText, "Calm", "Loud", 1)}), false},
		"the rationale":               {with(map[string]string{propFile: propText(skillFile) + "Trust me.\n"}), false},
		"one byte of the skill":       {with(map[string]string{skillFile: skillText + "\n"}), false},
		"another file":                {with(map[string]string{"skills/greet/scripts/x.sh": "true\n"}), false},
		"an entry for another's name": {with(map[string]string{soulFile: strings.Replace(withEntry(t, entry), "greet", "other", 1)}), false},
	} {
		if got := digest(t, base, tc.head) == want; got != tc.equal {
			t.Errorf("%s: equal %v, want %v", name, got, tc.equal)
		}
	}
}

func TestEffectiveTreeSurvivesARebase(t *testing.T) {
	before := map[string]string{"skills/other/SKILL.md": "1"}
	after := map[string]string{"skills/other/SKILL.md": "2", "skills/third/SKILL.md": "3"}
	add := func(m map[string]string) map[string]string {
		out := map[string]string{skillFile: skillText}
		for k, v := range m {
			out[k] = v
		}
		return out
	}
	if digest(t, before, add(before)) != digest(t, after, add(after)) {
		t.Error("the same change on another base has another digest")
	}
}

func TestExecutableBitIsPartOfTheChange(t *testing.T) {
	edit := tree.Edit{Path: "skills/greet/scripts/x.sh", Content: []byte("true\n")}
	plain := tree.NewMap(edit)
	edit.Mode = tree.Executable
	bit := tree.NewMap(edit)
	f, err := gate.FootprintOf(plain, bit)
	if err != nil || len(f) != 1 {
		t.Fatalf("%v, %v", f, err)
	}
}

func TestCovers(t *testing.T) {
	whole := gate.Footprint{"a\n", "b\n", "c\n"}
	if !whole.Covers(gate.Footprint{"a\n", "c\n"}) || whole.Covers(gate.Footprint{"a\n", "d\n"}) {
		t.Error("covers is not set inclusion")
	}
}
