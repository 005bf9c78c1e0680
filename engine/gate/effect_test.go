package gate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/learn"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate"
)

const opened, today = "2026-11-21", "2026-11-25"

func day(t *testing.T, s string) time.Time {
	at, err := time.Parse(time.DateOnly, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func named(name string) string { return strings.ReplaceAll(skillText, "greet", name) }

func learns(t *testing.T, src string, files map[string]string, name, on string) string {
	c, diags, err := capability.Load(tree.MapOf(files), "skills/"+name)
	if err != nil || diags.HasErrors() {
		t.Fatal(diags, err)
	}
	out, diags := soul.SetLearned([]byte(src), learn.Entry(c, on))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return string(out)
}

// change is a base with two learned skills, and a head as the engine makes it.
func change(t *testing.T) (base, head map[string]string) {
	base = map[string]string{"skills/hum/SKILL.md": named("hum"), "skills/wave/SKILL.md": named("wave"), "docs/a.md": "a\n"}
	text := soulText
	for _, name := range []string{"hum", "wave"} {
		text = learns(t, text, base, name, "2026-10-01")
	}
	base[soulFile] = text + "\n## Boundaries\n\nNone.\n"
	head = maps.Clone(base)
	head[skillFile], head["skills/greet/notes.md"] = skillText, ""
	head[soulFile] = learns(t, base[soulFile], head, "greet", opened)
	file, err := proposal.Format(proposal.Proposal{ID: "greet-k3v9q2mt", Kind: proposal.Add, Agent: "scout", Goal: "greet",
		Files: []string{"skills/greet/SKILL.md", "skills/greet/notes.md", soulFile}, Body: "# Why\n\nPolite.\n"})
	if err != nil {
		t.Fatal(err)
	}
	head[propFile] = string(file)
	return base, head
}

func effect(t *testing.T, base, head map[string]string) gate.Effect {
	t.Helper()
	e, err := gate.EffectOf(tree.MapOf(base), tree.MapOf(head), day(t, today))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The engine's own writing invalidates no approval: all three digests are equal, and those
// that engines up to 0.4.0 signed are still valid.
func TestEffectOfWhatTheEngineWrote(t *testing.T) {
	base, head := change(t)
	if e := effect(t, base, head); e.Digest != e.Plain || e.Settled != e.Plain {
		t.Errorf("%+v", e)
	}
	moved := maps.Clone(base) // main learned something else meanwhile
	moved["skills/nod/SKILL.md"] = named("nod")
	moved[soulFile] = learns(t, base[soulFile], moved, "nod", "2026-11-22")
	rebased := maps.Clone(moved)
	for _, path := range []string{skillFile, "skills/greet/notes.md", propFile} {
		rebased[path] = head[path]
	}
	rebased[soulFile] = learns(t, moved[soulFile], rebased, "greet", opened)
	if effect(t, moved, rebased).Digest != effect(t, base, head).Digest {
		t.Error("a rebase by the engine costs the reviews")
	}
}

// An approval given before the engine wrote its entry is valid for the result, on any base,
// and for nothing else. An approval of the result is not valid for the earlier content.
func TestEffectBeforeTheEngineWrote(t *testing.T) {
	base, head := change(t)
	early := maps.Clone(head)
	early[soulFile] = base[soulFile]
	file, err := proposal.Format(proposal.Proposal{ID: "greet-k3v9q2mt", Kind: proposal.Add, Agent: "scout", Goal: "greet",
		Files: []string{"skills/greet/SKILL.md", "skills/greet/notes.md"}, Body: "# Why\n\nPolite.\n"})
	if err != nil {
		t.Fatal(err)
	}
	early[propFile] = string(file)
	approved, written := effect(t, base, early), effect(t, base, head)
	if approved.Digest == written.Digest || approved.Digest != written.Unwritten || approved.Unwritten != "" {
		t.Errorf("approved %+v\nwritten %+v", approved, written)
	}
	for name, mutated := range mutations(head) {
		if !maps.Equal(mutated, head) && effect(t, base, mutated).Unwritten == approved.Digest {
			t.Errorf("%s: the approval holds", name)
		}
	}
}

// mutations are all small changes of the head's files.
func mutations(head map[string]string) map[string]map[string]string {
	out := map[string]map[string]string{}
	put := func(name, path, text string, keep bool) {
		m := maps.Clone(head)
		if m[path] = text; !keep {
			delete(m, path)
		}
		out[name] = m
	}
	for _, path := range slices.Sorted(maps.Keys(head)) {
		lines := strings.SplitAfter(head[path], "\n")
		for i, l := range lines {
			for name, now := range map[string]string{
				"blank": "\n" + l, "space": strings.TrimSuffix(l, "\n") + " \n", "comment": "# obey me\n" + l, "note": "<!-- obey -->\n" + l,
				"gone": "", "twice": l + l, "carriage": strings.ReplaceAll(l, "\n", "\r\n"), "yaml": strings.TrimSuffix(l, "\n") + " # obey\n",
			} {
				put(fmt.Sprintf("%s:%d %s", path, i, name), path, strings.Join(lines[:i], "")+now+strings.Join(lines[i+1:], ""), true)
			}
			if i > 0 {
				put(fmt.Sprintf("%s:%d swapped", path, i), path, strings.Join(lines[:i-1], "")+l+lines[i-1]+strings.Join(lines[i+1:], ""), true)
			}
		}
		put(path+" removed", path, "", false)
		put(path+" moved", path+"x", head[path], true)
	}
	text := head[soulFile]
	list := strings.Index(text, "## "+soul.LearnedTitle)
	end := strings.Index(text, "## Boundaries")
	items := soul.ListItems([]byte(text))
	put("the list is gone", soulFile, text[:list]+text[end:], true)
	put("the list is elsewhere", soulFile, text[:list]+text[end:]+"\n"+text[list:end], true)
	put("the list is empty", soulFile, text[:list]+"## "+soul.LearnedTitle+"\n\n"+text[end:], true)
	for i := 1; i < len(items); i++ {
		put(fmt.Sprintf("entry %d is gone", i), soulFile, strings.Replace(text, items[i]+"\n\n", "", 1), true)
		put(fmt.Sprintf("entry %d is the last", i), soulFile, strings.Replace(text, items[i]+"\n\n", "", 1)[:end-len(items[i])-2]+items[i]+"\n\n"+text[end:], true)
		for _, d := range []string{"2026-10-02", "2026-11-20", "2026-11-22", today, "2099-01-01"} {
			dated := strings.Replace(items[i], "2026-1", "DATE1", 1)
			at := strings.Index(dated, "DATE1")
			put(fmt.Sprintf("entry %d is of %s", i, d), soulFile, strings.Replace(text, items[i], dated[:at]+d+dated[at+len("DATE1x-xx")-1+1:], 1), true)
		}
	}
	return out
}

// After an approval no byte changes without a change of the digest.
func TestEffectBindsEveryByte(t *testing.T) {
	base, head := change(t)
	want := effect(t, base, head).Digest
	tried, plain := 0, 0
	for name, mutated := range mutations(head) {
		if maps.Equal(mutated, head) {
			continue
		}
		tried++
		e := effect(t, base, mutated)
		if e.Digest == want {
			t.Errorf("%s: the digest stays", name)
		}
		if e.Plain == want {
			plain++
		}
	}
	if tried < 300 || plain < 20 {
		t.Errorf("%d variants; the digest of 0.4.0 misses %d: too few to show anything", tried, plain)
	}
	t.Logf("%d variants; the digest of 0.4.0 misses %d", tried, plain)
}

// Modes are bytes too.
func TestEffectBindsModes(t *testing.T) {
	base, head := change(t)
	want := effect(t, base, head).Digest
	for path := range head {
		var edits []tree.Edit
		for p, text := range head {
			e := tree.Edit{Path: p, Content: []byte(text)}
			if p == path {
				e.Mode = tree.Executable
			}
			edits = append(edits, e)
		}
		e, err := gate.EffectOf(tree.MapOf(base), tree.NewMap(edits...), day(t, today))
		if err != nil || e.Digest == want {
			t.Errorf("%s is executable: %v", path, err)
		}
	}
}

// An engine up to 0.4.0 dated an entry on the day of a rebase; that alone is settled.
func TestEffectOfAnOlderEngine(t *testing.T) {
	base, head := change(t)
	for on, settled := range map[string]bool{"2026-11-23": true, today: true, "2026-11-20": false, "2026-11-26": false} {
		other := maps.Clone(head)
		other[soulFile] = learns(t, base[soulFile], head, "greet", on)
		e := effect(t, base, other)
		if e.Digest == e.Plain || (e.Settled == e.Plain) != settled {
			t.Errorf("%s: %+v", on, e)
		}
	}
}
