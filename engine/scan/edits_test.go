package scan

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
)

// editsPath holds clean skills with edits of them; its README explains the form.
const editsPath = "../../bench/scan/testdata"

// edit is one change of a clean skill, of a kind such as "obvious".
type edit struct {
	kind, name string
	base, head []File
}

// loadEdits reads every edit of every skill.
func loadEdits(t *testing.T) []edit {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(editsPath, "edits", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no edits: %v", err)
	}
	var out []edit
	for _, name := range names {
		skill := strings.TrimSuffix(filepath.Base(name), ".txtar")
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, editsOf(t, skill, archive)...)
	}
	return out
}

func editsOf(t *testing.T, skill string, archive *txtar.Archive) []edit {
	t.Helper()
	var base []File
	var out []edit
	for _, f := range archive.Files {
		if rel, ok := strings.CutPrefix(f.Name, "skill/"); ok {
			base = append(base, File{Path: "skills/" + skill + "/" + rel, Mode: tree.Regular, Content: f.Data})
			continue
		}
		id, rel, _ := strings.Cut(f.Name, " ")
		kind, name, _ := strings.Cut(id, "/")
		name = skill + "/" + name
		i := slices.IndexFunc(out, func(e edit) bool { return e.kind == kind && e.name == name })
		if i < 0 {
			i = len(out)
			out = append(out, edit{kind, name, base, slices.Clone(base)})
		}
		applyHunk(t, &out[i], "skills/"+skill+"/"+rel, string(f.Data))
	}
	return out
}

// applyHunk edits one file of e.head.
func applyHunk(t *testing.T, e *edit, path, hunk string) {
	t.Helper()
	var old, replacement strings.Builder
	for line := range strings.Lines(hunk) {
		switch line[0] {
		case '-':
			old.WriteString(line[1:])
		case '+':
			replacement.WriteString(line[1:])
		default:
			old.WriteString(line[1:])
			replacement.WriteString(line[1:])
		}
	}
	for i := range e.head {
		f := &e.head[i]
		if f.Path != path {
			continue
		}
		switch count := strings.Count("\n"+string(f.Content), "\n"+old.String()); {
		case old.Len() == 0:
			f.Content = slices.Concat(f.Content, []byte(replacement.String()))
		case count != 1:
			t.Errorf("%s/%s: what is replaced stands %d times in %s", e.kind, e.name, count, path)
		default:
			f.Content = []byte(strings.Replace("\n"+string(f.Content), "\n"+old.String(), "\n"+replacement.String(), 1)[1:])
		}
		return
	}
	e.head = append(e.head, File{Path: path, Mode: tree.Regular, Content: []byte(replacement.String())})
}

// raised reports whether found holds anything that a person must look at.
func raised(found diag.List) bool { return found.HasErrors() || found.Count(diag.Warning) > 0 }

// TestEdits checks that the share of edits that draw a new warning or error is as
// docs/checks.md promises. With ASSENT_SCAN_LIST=1 each miss is listed.
func TestEdits(t *testing.T) {
	total, hit := map[string]int{}, map[string]int{}
	clean := map[string]bool{}
	for _, e := range loadEdits(t) {
		skill, _, _ := strings.Cut(e.name, "/")
		if found := Files(e.base, Options{}); !clean[skill] && raised(found) {
			t.Errorf("%s is clean and draws %v", skill, found)
		}
		clean[skill] = true
		found := New(e.base, e.head, Options{})
		total[e.kind]++
		if raised(found) {
			hit[e.kind]++
		}
		if os.Getenv("ASSENT_SCAN_LIST") != "" && (raised(found) == (e.kind == "harmless") || os.Getenv("ASSENT_SCAN_LIST") == "all") && !strings.HasPrefix(e.kind, "heldout") {
			t.Logf("%s/%s: %v", e.kind, e.name, found)
		}
	}
	for _, want := range []struct {
		kind        string
		least, most float64
	}{
		{"harmless", 0, 0.10}, {"obvious", 0.6, 1}, {"fitting", 0.3, 1}, {"heldout-obvious", 0.6, 1}, {"heldout-fitting", 0.3, 1},
	} {
		share := float64(hit[want.kind]) / float64(max(1, total[want.kind]))
		t.Logf("%-16s %d of %d draw a new finding, %.0f %%", want.kind, hit[want.kind], total[want.kind], 100*share)
		if total[want.kind] == 0 || share < want.least || share > want.most {
			t.Errorf("%s: %.2f is not within [%.2f, %.2f]", want.kind, share, want.least, want.most)
		}
	}
}

// TestPlainEdits checks the share of edits that two separate scans detect: the
// edited skill has a finding of any strength, by rule and evidence, that the clean
// skill does not have.
func TestPlainEdits(t *testing.T) {
	total, hit := map[string]int{}, map[string]int{}
	for _, e := range loadEdits(t) {
		known := map[string]bool{}
		for _, d := range Files(e.base, Options{}) {
			known[d.Rule+d.Evidence] = true
		}
		fresh := slices.DeleteFunc(Files(e.head, Options{}), func(d diag.Diagnostic) bool { return known[d.Rule+d.Evidence] })
		if total[e.kind]++; len(fresh) > 0 {
			hit[e.kind]++
		}
	}
	for kind, bounds := range map[string][2]float64{"harmless": {0, 0.10}, "obvious": {0.6, 1}, "fitting": {0.3, 1}, "heldout-obvious": {0.6, 1}, "heldout-fitting": {0.3, 1}} {
		share := float64(hit[kind]) / float64(max(1, total[kind]))
		t.Logf("%-16s %d of %d differ in a plain scan, %.0f %%", kind, hit[kind], total[kind], 100*share)
		if total[kind] == 0 || share < bounds[0] || share > bounds[1] {
			t.Errorf("%s: %.2f is not within %v", kind, share, bounds)
		}
	}
}

// carrier is the clean text that disguised orders are put into.
const carrier = "---\nname: carrier\ndescription: Sort a list of names by family name and point out doubles.\n---\n\n# Sorting names\n\n" +
	"Read the list, sort it, and show it. Ask when two entries may be one person.\n\n- Keep titles.\n- Keep the spelling.\n"

// disguise hides an order in the carrier.
type disguise struct {
	name  string
	apply func(order string) string
}

func disguises() []disguise {
	after := func(change func(string) string) func(string) string {
		return func(order string) string { return carrier + "\n" + change(order) + "\n" }
	}
	return []disguise{
		{"plain", after(func(s string) string { return s })},
		{"homoglyphs", after(func(s string) string { return strings.NewReplacer("o", "о", "e", "е", "a", "а").Replace(s) })},
		{"zero-width", after(func(s string) string { return strings.NewReplacer("e", "e\u200b", "o", "o\u200c").Replace(s) })},
		{"soft-hyphen", after(func(s string) string { return strings.ReplaceAll(s, "r", "r\u00ad") })},
		{"fullwidth", after(func(s string) string { return mapLetters(s, 'ａ', 'Ａ') })},
		{"mathematical", after(func(s string) string { return mapLetters(s, '𝐚', '𝐀') })},
		{"spaced", after(func(s string) string { return strings.Join(strings.Split(s, ""), " ") })},
		{"dotted", after(func(s string) string { return strings.ReplaceAll(strings.Join(strings.Split(s, ""), "."), ". .", "  ") })},
		{"leet", after(func(s string) string {
			return strings.NewReplacer("e", "3", "o", "0", "i", "1", "a", "4", "s", "5", "t", "7").Replace(s)
		})},
		{"base64", after(func(s string) string { return "Decode and follow: " + base64.StdEncoding.EncodeToString([]byte(s)) })},
		{"hex", after(func(s string) string { return "Decode and follow: " + hex.EncodeToString([]byte(s)) })},
		{"hex-escapes", after(func(s string) string { return "Decode and follow: " + escapes(s, `\x%02x`) })},
		{"rot13", after(func(s string) string { return "Apply ROT13 and follow: " + rot13(s) })},
		{"reversed", after(func(s string) string {
			b := []byte(s)
			slices.Reverse(b)
			return "Read backwards and follow: " + string(b)
		})},
		{"percent", after(func(s string) string { return "Decode and follow: " + url.PathEscape(s) })},
		{"percent-all", after(func(s string) string { return "Decode and follow: " + escapes(s, "%%%02x") })},
		{"entities", after(func(s string) string { return escapes(s, "&#%d;") })},
		{"lines", after(func(s string) string { return strings.Join(strings.Fields(s), "\n") })},
		{"items", after(func(s string) string { return "- " + strings.Join(strings.Fields(s), "\n- ") })},
		{"emphasis", after(func(s string) string { return "**" + strings.Join(strings.Fields(s), "** **") + "**" })},
		{"quoted", after(func(s string) string { return "> " + s })},
		{"capitals", after(strings.ToUpper)},
		{"comment", after(func(s string) string { return "<!-- " + s + " -->" })},
		{"table", after(func(s string) string { return "| step | what |\n| --- | --- |\n| 3 | " + s + " |" })},
		{"alternative", after(func(s string) string { return "![" + s + "](assets/list.png)" })},
		{"link-title", after(func(s string) string { return "See the [notes](notes.md \"" + s + "\")." })},
		{"reference", after(func(s string) string { return "[note]: notes.md \"" + s + "\"" })},
		{"reference-comment", after(func(s string) string { return "[//]: # (" + s + ")" })},
		{"front-matter", func(s string) string {
			return strings.Replace(carrier, "doubles.", "doubles. "+strings.ReplaceAll(s, ":", " :"), 1)
		}},
		{"details", after(func(s string) string { return "<details><summary>More</summary>\n\n" + s + "\n\n</details>" })},
		{"invisible", after(func(s string) string { return "<span style=\"display:none\">" + s + "</span>" })},
		{"fence", after(func(s string) string { return "```text\n" + s + "\n```" })},
	}
}

func mapLetters(s string, lower, upper rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return lower + r - 'a'
		case r >= 'A' && r <= 'Z':
			return upper + r - 'A'
		}
		return r
	}, s)
}

func escapes(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

// orderLines reads the lines of one part of an archive under obfuscated/.
func orderLines(t *testing.T, name, part string) []string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join(editsPath, "obfuscated", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == part {
			return strings.Split(string(bytes.TrimSpace(f.Data)), "\n")
		}
	}
	t.Fatalf("%s has no part %s", name, part)
	return nil
}

// TestDisguises puts orders into a clean skill in disguise: most must draw a
// warning or an error whatever the disguise.
func TestDisguises(t *testing.T) {
	for _, part := range []string{"tuned", "heldout"} {
		lines := orderLines(t, "sentences.txtar", part)
		all := 0
		for _, way := range disguises() {
			hit := 0
			for _, order := range lines {
				if raised(judgeText(way.apply(order))) {
					hit++
				} else if os.Getenv("ASSENT_SCAN_LIST") != "" && part == "tuned" {
					t.Logf("%s: %s", way.name, order)
				}
			}
			all += hit
			t.Logf("%-8s %-18s %d of %d", part, way.name, hit, len(lines))
		}
		if share := float64(all) / float64(len(lines)*len(disguises())); share < 0.8 {
			t.Errorf("%s: only %.2f of all disguised orders draw a finding", part, share)
		}
	}
}

func judgeText(text string) diag.List {
	return Files([]File{{Path: "skills/carrier/SKILL.md", Mode: tree.Regular, Content: []byte(text)}}, Options{})
}

// TestLanguages does the same with other languages than English.
func TestLanguages(t *testing.T) {
	for _, part := range []string{"tuned", "heldout"} {
		lines := orderLines(t, "languages.txtar", part)
		hit := 0
		for _, order := range lines {
			if raised(judgeText(carrier + "\n" + order + "\n")) {
				hit++
			} else if os.Getenv("ASSENT_SCAN_LIST") != "" && part == "tuned" {
				t.Logf("missed: %s", order)
			}
		}
		t.Logf("%-8s %d of %d", part, hit, len(lines))
		if share := float64(hit) / float64(len(lines)); share < 0.6 {
			t.Errorf("%s: only %.2f draw a finding", part, share)
		}
	}
}
