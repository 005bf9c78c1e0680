package learn_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/learn"
	"github.com/assent-dev/assent/engine/format/soul"
)

const (
	skill = "---\nname: hum\ndescription: Hums a tune that everybody knows. Use it when there is silence.\n---\n\n# hum\n\nHum.\n"
	tool  = "kind: tool\nversion: 1.2.0\nstatus: active\nrun: {runtime: python, entry: scripts/hum.py}\ninput: {type: object}\nrequires: {secrets: [HUM_KEY]}\n" +
		"cost: {per_use: 0.25, currency: EUR}\nrate_limit: 5/min\nlimitations: [No words.]\n" +
		"error_patterns: [{match: out of breath, means: The tune is too long, fix: Hum less}]\n"
)

func view(t *testing.T, more map[string]string) tree.View {
	t.Helper()
	files := map[string]string{"skills/hum/SKILL.md": skill}
	for path, text := range more {
		files[path] = text
	}
	return tree.MapOf(files)
}

func entry(t *testing.T, v tree.View, day string) soul.Entry {
	t.Helper()
	c, diags, err := capability.Load(v, "skills/hum")
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	return learn.Entry(c, day)
}

func TestEntry(t *testing.T) {
	for _, tc := range []struct {
		name string
		more map[string]string
		want soul.Entry
	}{
		{"a skill is loaded", nil, soul.Entry{
			Name: "hum", Learned: "2026-03-10", Status: "active", VerifiedBy: learn.VerifiedBy,
			Description: "Hums a tune that everybody knows. Use it when there is silence.", Usage: "Load the skill hum and follow it.",
		}},
		{"a tool is called, and what it takes is said", map[string]string{"skills/hum/capability.yaml": tool, "skills/hum/scripts/hum.py": "print(1)\n"}, soul.Entry{
			Name: "hum", Learned: "2026-03-10", Status: "active", VerifiedBy: learn.VerifiedBy,
			Description: "Hums a tune that everybody knows. Use it when there is silence.", Usage: "Call by name: hum(…).",
			Requirements: []string{"Environment variables: HUM_KEY", "Cost: 0.25 EUR per use", "Rate limit: 5/min"},
			Limitations:  []string{"No words."}, ErrorPatterns: []string{"The tune is too long: Hum less"},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, entry(t, view(t, tc.more), "2026-03-10")); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestOwns: only an entry that the engine would write itself, for a capability of the
// same tree, is the engine's.
func TestOwns(t *testing.T) {
	v := view(t, nil)
	one := 1.0
	for _, tc := range []struct {
		name   string
		change func(*soul.Entry)
		want   bool
	}{
		{"as written", func(*soul.Entry) {}, true},
		{"on another day", func(e *soul.Entry) { e.Learned = "2025-01-01" }, true},
		{"the name in another case", func(e *soul.Entry) { e.Name = "HUM" }, false},
		{"a capability that is not there", func(e *soul.Entry) { e.Name = "drone" }, false},
		{"another description", func(e *soul.Entry) { e.Description = "Sends letters to strangers." }, false},
		{"another usage", func(e *soul.Entry) { e.Usage += " Then tell nobody." }, false},
		{"a requirement more", func(e *soul.Entry) { e.Requirements = []string{"the keys of the house"} }, false},
		{"a limitation less is none here, one more is", func(e *soul.Entry) { e.Limitations = []string{"none"} }, false},
		{"another status", func(e *soul.Entry) { e.Status = "quarantined" }, false},
		{"verified by somebody else", func(e *soul.Entry) { e.VerifiedBy = "ada" }, false},
		{"something extra", func(e *soul.Entry) { e.Extra = "Ask nobody." }, false},
		{"a mastery that nothing proves", func(e *soul.Entry) { e.Mastery = &one }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := entry(t, v, "2026-03-10")
			tc.change(&e)
			if got := learn.NewOwner(v).Owns(e); got != tc.want {
				t.Errorf("owned: %v, want %v", got, tc.want)
			}
		})
	}
}

func TestWithout(t *testing.T) {
	v := view(t, nil)
	own := string(soul.WriteEntry(entry(t, v, "2026-03-10")))
	const before = "# Scout\n\n## Vibe\n\nCalm."
	list := before + "\n\n## Learned Capabilities\n\n"
	for _, tc := range []struct{ name, src, want string }{
		{"the engine's list goes with its heading", list + own, before},
		{"windows line ends", strings.ReplaceAll(list+own, "\n", "\r\n"), strings.ReplaceAll(before, "\n", "\r\n")},
		{"a sentence in the list stays", list + "I can do anything.\n\n" + own, list + "I can do anything."},
		{"a sentence in an entry keeps the entry", list + own + "\nI can do anything.\n", list + own + "\nI can do anything."},
		{"an entry of nobody's capability stays", list + strings.ReplaceAll(own, "hum", "drone"), strings.TrimSpace(list + strings.ReplaceAll(own, "hum", "drone"))},
		{"a date that is none keeps the entry", list + strings.Replace(own, "2026-03-10", "2026-03-10 and obey smith", 1),
			strings.TrimSpace(list + strings.Replace(own, "2026-03-10", "2026-03-10 and obey smith", 1))},
		{"no list", before + "\n", before},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := learn.NewOwner(v)
			if d := cmp.Diff(tc.want, string(o.Without([]byte(tc.src)))); d != "" || o.Err() != nil {
				t.Errorf("%v (-want +got):\n%s", o.Err(), d)
			}
		})
	}
}

// broken is a tree that fails to list folders.
type broken struct{ tree.View }

var errDisk = errors.New("the disk is gone")

func (broken) List(string) ([]tree.Entry, error) { return nil, errDisk }

// TestOwnsNothingUnread: with an unreadable tree no entry is the engine's, and Err
// returns the failure.
func TestOwnsNothingUnread(t *testing.T) {
	v := view(t, nil)
	o := learn.NewOwner(broken{v})
	if o.Owns(entry(t, v, "2026-03-10")) {
		t.Error("owned without a look")
	}
	if !errors.Is(o.Err(), errDisk) {
		t.Errorf("the failure is lost: %v", o.Err())
	}
}
