package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/composed"
	"github.com/assent-dev/assent/engine/registry/index"
)

type fataler interface {
	Helper()
	Fatal(...any)
}

func open(t fataler, data []byte) *index.Segment {
	t.Helper()
	s, err := index.OpenSegment(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func build(t fataler, v tree.View, workers int) []byte {
	t.Helper()
	data, err := index.Build(v, treeOf(v), workers)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// treeOf names a tree in memory by its content without storing it.
func treeOf(v tree.View) tree.Hash {
	var all bytes.Buffer
	_ = tree.Files(v, "", func(e tree.Entry) error {
		fmt.Fprintln(&all, e.Path, e.Hash)
		return nil
	})
	return tree.BlobHash(all.Bytes())
}

func stack(t fataler, segments ...*index.Segment) *index.Index {
	t.Helper()
	x, err := index.New(segments...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func generated(n int) []tree.Edit {
	var edits []tree.Edit
	for batch := range (generate.Options{N: n, Seed: 3}).Batches(1000) {
		edits = append(edits, batch...)
	}
	return edits
}

// answers is everything that an index says about a few questions.
type answers struct {
	Len     int
	Entries []index.Entry
	Folders []capability.Folder
	Named   map[string][]capability.Folder
	Related map[string][]index.Entry
	Found   map[string][]index.Match
}

func ask(t fataler, x *index.Index, asked ...string) answers {
	t.Helper()
	a, err := answersOf(x, asked...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func answersOf(x *index.Index, asked ...string) (answers, error) {
	a := answers{Len: x.Len(), Named: map[string][]capability.Folder{}, Related: map[string][]index.Entry{}, Found: map[string][]index.Match{}}
	for e, err := range x.Entries() {
		if err != nil {
			return a, err
		}
		a.Entries = append(a.Entries, e)
	}
	for f, err := range x.Folders() {
		if err != nil {
			return a, err
		}
		a.Folders = append(a.Folders, f)
	}
	for _, q := range asked {
		var failed error
		a.Named[q], failed = x.Named(q)
		for _, r := range []index.Relation{index.Requires, index.AppliesTo, index.Enhances, index.Implements, index.Supersedes, index.Calls} {
			related, err := x.Related(r, q)
			a.Related[string(r)+q], failed = related, errors.Join(failed, err)
		}
		for _, kind := range []capability.Kind{"", capability.KindTool} {
			found, err := x.Find(index.Query{Words: q, Limit: 7, Kind: kind})
			a.Found[string(kind)+" "+q], failed = found, errors.Join(failed, err)
		}
		if failed != nil {
			return a, failed
		}
	}
	return a, nil
}

// An index says of each capability what reading it says.
func TestIndexIsWhatLoadSays(t *testing.T) {
	edits := append(generated(300),
		tree.Edit{Path: "skills/Odd_One/SKILL.md", Content: []byte("no front matter")},
		tree.Edit{Path: "skills/a/b/c/SKILL.md", Content: []byte("---\nname: c\n---\n")},
		tree.Edit{Path: "skills/x/tool/SKILL.md", Content: []byte("---\nname: tool\ndescription: [1]\nmetadata: {version: 2.0.0}\n---\n")},
		tree.Edit{Path: "skills/x/server/SKILL.md", Content: []byte("---\nname: server\ndescription: d\n---\n")},
		tree.Edit{Path: "skills/x/server/server.json", Content: []byte("{}")},
		tree.Edit{Path: "skills/x/server/capability.yaml", Content: []byte("kind: mcp\nversion: 1.0.0\nimplements: other\nagents: {deny: [scout]}\n")},
		tree.Edit{Path: "skills/x/script/SKILL.md", Content: []byte("---\nname: script\ndescription: d\n---\n")},
		tree.Edit{Path: "skills/x/script/scripts/deep/a.py", Content: []byte("pass\n")},
		tree.Edit{Path: "skills/x/joined/SKILL.md", Content: []byte("---\nname: joined\ndescription: d\n---\n")},
		tree.Edit{Path: "skills/x/joined/capability.yaml", Content: []byte("kind: tool\nversion: 1.0.0\nrun: {runtime: starlark, entry: scripts/main.star}\n")},
		tree.Edit{Path: "skills/x/joined/scripts/main.star", Content: []byte("def main(input):\n    return tools.server__read(x = tools.Odd_One(), y = tools.odd_one())\n")},
		tree.Edit{Path: "skills/x/broken/SKILL.md", Content: []byte("---\nname: broken\ndescription: d\n---\n")},
		tree.Edit{Path: "skills/x/broken/capability.yaml", Content: []byte("kind: [\n")},
	)
	v := tree.NewMap(edits...)
	folders, _, err := capability.Folders(v)
	if err != nil {
		t.Fatal(err)
	}
	got := ask(t, stack(t, open(t, build(t, v, 3))))
	if d := cmp.Diff(folders, got.Folders); d != "" {
		t.Fatal(d)
	}
	for i, f := range folders {
		c, _, err := capability.Load(v, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		calls, err := composed.Callees(v, c)
		if err != nil || (len(calls) > 0) != (f.Name == "joined") {
			t.Fatal(f, calls, err)
		}
		r := c.Record
		want := index.Entry{
			Folder: f, Kind: c.Kind, Version: c.Version, Status: c.Status, Description: c.Description, Category: c.Category, Tags: r.Tags,
			Implements: r.Implements, Supersedes: r.Supersedes, Requires: r.Requires.Capabilities, AppliesTo: r.AppliesTo, Enhances: r.Enhances, Models: r.Models, Calls: calls,
			Agents: r.Agents, Executable: c.Executable, SpecOnly: c.SpecOnly,
		}
		if d := cmp.Diff(want, got.Entries[i], cmpopts.EquateEmpty(), cmpopts.IgnoreFields(index.Entry{}, "Unsound")); d != "" {
			t.Errorf("%s (-load +index)\n%s", f.Path, d)
		}
		if unsound := slices.Contains([]string{"Odd_One", "tool", "broken"}, f.Name); got.Entries[i].Unsound != unsound {
			t.Errorf("%s: unsound %v, want %v", f.Path, got.Entries[i].Unsound, unsound)
		}
	}
	for _, name := range []string{"odd_one", "Server", "tool"} {
		read, err := composed.Callers(v, name)
		if err != nil {
			t.Fatal(err)
		}
		var known []capability.Folder
		related, err := stack(t, open(t, build(t, v, 3))).Related(index.Calls, name)
		for _, e := range related {
			known = append(known, e.Folder)
		}
		if d := cmp.Diff(read, known); d != "" || err != nil || (len(read) == 1) != (name != "tool") {
			t.Errorf("who calls %s (-read +index): %v\n%s", name, err, d)
		}
	}
}

// Names with the same hash are distinguished.
func TestCollidingNames(t *testing.T) {
	first := map[uint32]string{}
	for i := 0; ; i++ {
		name := fmt.Sprintf("k-%d", i)
		other, collides := first[index.NameKey(name)]
		if !collides {
			first[index.NameKey(name)] = name
			continue
		}
		v := tree.MapOf(map[string]string{"skills/" + name + "/SKILL.md": "", "skills/" + other + "/SKILL.md": ""})
		x := stack(t, open(t, build(t, v, 1)))
		for _, n := range []string{name, other} {
			if f, err := x.Named(n); err != nil || len(f) != 1 || f[0].Name != n {
				t.Errorf("%s: %v %v", n, f, err)
			}
		}
		return
	}
}

func TestNumberOfWorkersDoesNotShow(t *testing.T) {
	v := tree.NewMap(generated(200)...)
	if !bytes.Equal(build(t, v, 1), build(t, v, 5)) {
		t.Error("the bytes depend on how many workers read")
	}
}

// Whatever changes, and in however many steps, refreshed indexes answer as one that
// is built from the last tree.
func TestRefreshIsBuild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]tree.Edit{}
		for _, e := range generated(40) {
			files[e.Path] = e
		}
		view := func() tree.View {
			var edits []tree.Edit
			for _, e := range files {
				edits = append(edits, e)
			}
			return tree.NewMap(edits...)
		}
		before := view()
		segments, trees := []*index.Segment{open(t, build(t, before, 2))}, []tree.View{before}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			for range rapid.IntRange(0, 4).Draw(t, "edits") {
				edit(t, files)
			}
			now := view()
			x := stack(t, segments...)
			keep := x.Keep()
			segments, trees = segments[:keep], trees[:keep]
			below := stack(t, segments...)
			made, ok, err := index.Refresh(below, trees[keep-1], now, treeOf(now), 2)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				made, segments, trees = build(t, now, 2), nil, nil
			}
			segments, trees = append(segments, open(t, made)), append(trees, now)
			asked := []string{"parse-daily-invoices", "parse knot", "the file", "KNOT_0", "knot-1", generate.Name(rapid.IntRange(0, 50).Draw(t, "asked"))}
			want, got := ask(t, stack(t, open(t, build(t, now, 1))), asked...), ask(t, stack(t, segments...), asked...)
			if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
				t.Fatalf("with %d segments (-build +refresh)\n%s", len(segments), d)
			}
		}
	})
}

// edit makes one change that a proposal could make, or a strange one.
func edit(t *rapid.T, files map[string]tree.Edit) {
	dir := rapid.SampledFrom([]string{"skills/knot-0", "skills/g/knot-1", "skills/g/Knot_0", "skills/g", "skills/data-000/x/deep", generate.Path(3), generate.Path(17)}).Draw(t, "dir")
	name := rapid.SampledFrom([]string{"SKILL.md", "SKILL.md", "capability.yaml", "scripts/a.py", "skill.md"}).Draw(t, "file")
	path := dir + "/" + name
	if _, there := files[path]; there && rapid.Bool().Draw(t, "remove") {
		delete(files, path)
		return
	}
	text := rapid.SampledFrom([]string{"parse a knot", "the file of a knot, retired", "tie"}).Draw(t, "text")
	content := "---\nname: " + capability.FolderOf(dir).Name + "\ndescription: " + text + "\n---\n# " + text + "\n"
	if name == "capability.yaml" {
		content = "kind: tool\nversion: 1.0.0\nstatus: deprecated\nrequires: {capabilities: [knot-1]}\nimplements: knot_0\n"
	}
	files[path] = tree.Edit{Path: path, Content: []byte(content)}
}

// Better matches come first, and deprecated or retired ones last.
func TestRanking(t *testing.T) {
	skill := func(name, description, body string) tree.Edit {
		return tree.Edit{Path: "skills/" + name + "/SKILL.md", Content: []byte("---\nname: " + name + "\ndescription: " + description + "\n---\n" + body)}
	}
	status := func(name, status string) tree.Edit {
		return tree.Edit{Path: "skills/" + name + "/capability.yaml", Content: []byte("kind: tool\nversion: 1.0.0\nstatus: " + status + "\n")}
	}
	v := tree.NewMap(
		skill("parse-csv", "Reads tables.", ""), skill("read-tables", "Understands CSV.", ""), skill("notes", "Writes.", "# On csv\n"),
		skill("fenced", "Writes.", "```\n# csv\n```\n\nmore\n\ncsv\n"), skill("parse-csv-old", "Reads tables.", ""), status("parse-csv-old", "deprecated"),
		skill("parse-csv-gone", "Reads tables.", ""), status("parse-csv-gone", "retired"), skill("tafel", "Liest 表格 und Maße.", ""),
	)
	x := stack(t, open(t, build(t, v, 1)))
	for _, tc := range []struct {
		words string
		kind  capability.Kind
		want  []string
	}{
		{"CSV", "", []string{"parse-csv", "read-tables", "notes", "fenced", "parse-csv-old", "parse-csv-gone"}},
		{"csv csv", capability.KindTool, []string{"parse-csv-old", "parse-csv-gone"}},
		{"格", "", []string{"tafel"}},
		{"MASSE maße", "", []string{"tafel"}},
		{"knots", "", nil},
		{"-!-", "", nil},
	} {
		found, err := x.Find(index.Query{Words: tc.words, Limit: 9, Kind: tc.kind})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range found {
			got = append(got, m.Name)
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%q (-want +got)\n%s", tc.words, d)
		}
	}
	if none, err := x.Find(index.Query{Words: "csv"}); err != nil || len(none) > 0 {
		t.Errorf("a limit of 0 gives %d answers, %v", len(none), err)
	}
}

// A damaged byte anywhere is an error where it is looked at, or was not needed.
func TestDamageIsSeen(t *testing.T) {
	data := build(t, tree.NewMap(generated(60)...), 1)
	asked := []string{generate.Name(5), "the file"}
	want := ask(t, stack(t, open(t, data)), asked...)
	for at := 0; at < len(data); at += 97 {
		bad := bytes.Clone(data)
		bad[at] ^= 0x20
		survives(t, bad, &want, asked)
	}
	for _, n := range []int{0, 1, 255, 256, 257, len(data) / 2, len(data) - 1} {
		if _, err := index.OpenSegment(bytes.NewReader(data[:n]), int64(n)); !errors.Is(err, index.ErrDamaged) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
}

// survives asks an index that may be damaged; if it answers, the answers are right.
func survives(t *testing.T, data []byte, want *answers, asked []string) {
	t.Helper()
	s, err := index.OpenSegment(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return
	}
	x, err := index.New(s)
	if err != nil {
		return
	}
	got, err := answersOf(x, asked...)
	if err != nil || want == nil {
		return
	}
	if d := cmp.Diff(*want, got); d != "" {
		t.Errorf("damage changes answers:\n%s", d)
	}
}

// FuzzOpen: no bytes make the reader fall over, also where all checksums are right.
func FuzzOpen(f *testing.F) {
	small := build(f, tree.NewMap(generated(3)...), 1)
	f.Add(small, true)
	f.Add(small[:len(small)-9], false)
	f.Add(build(f, tree.NewMap(), 1), true)
	f.Fuzz(func(t *testing.T, data []byte, mend bool) {
		if mend {
			data = index.Mend(bytes.Clone(data))
		}
		survives(t, data, nil, []string{"the", generate.Name(0), "parse_daily_invoices"})
	})
}
