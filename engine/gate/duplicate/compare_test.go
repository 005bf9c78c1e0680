package duplicate_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/duplicate"
)

const (
	about = "Turns a table of comma separated values into records. Use when a file ends in csv and somebody asks what is in it."
	text  = `# Read tables

Look at the first line. If every field of it is a word, it names the columns; else number them from one.
Split the other lines at commas that stand outside quotation marks. Two quotation marks inside a quoted field are one.
A line with more fields than columns is an error: say its number, and what it holds, and go on with the next one.
At the end, count the records and name the columns, so that whoever asked sees at a glance whether something is missing.
`
	reworded = `# Read tables

Look at the first row. If every field of it is a word, it names the columns; otherwise number them from one.
Split the other rows at commas that stand outside quotes. Two quotes inside a quoted field are one.
A row with more fields than columns is a mistake: say its number, and what it holds, and carry on with the next one.
At the end, count the records and list the columns, so that whoever asked sees at once whether something is missing.
`
	other = `# Draw charts

Choose bars for amounts, a line for what changes over time, and never a pie for more than four parts. Label both axes with
their units. Start the scale at zero unless you say why not. Write the source and the day below. Ask for the palette of the
house before you choose colours of your own, and check that they can be told apart without seeing red.
`
	german = `# Tabellen lesen

Schau die erste Zeile an. Ist jedes Feld ein Wort, so benennt sie die Spalten; sonst nummeriere sie von eins an. Trenne die
übrigen Zeilen an Kommas, die nicht in Anführungszeichen stehen. Eine Zeile mit zu vielen Feldern ist ein Fehler: nenne ihre
Nummer und was sie enthält. Zähle am Ende die Datensätze und nenne die Spalten.
`
)

func sketch(t *testing.T, name, description, body string, beside ...tree.Edit) duplicate.Sketch {
	t.Helper()
	dir := "skills/" + name
	v := tree.NewMap(append([]tree.Edit{{Path: dir + "/SKILL.md", Content: []byte("---\nname: " + name + "\ndescription: " + description + "\n---\n\n" + body)}}, moved(dir, beside)...)...)
	c, _, err := capability.Load(v, dir)
	if err != nil {
		t.Fatal(err)
	}
	s := duplicate.Of(c)
	if err := s.Beside(v, dir); err != nil {
		t.Fatal(err)
	}
	return s
}

func moved(dir string, edits []tree.Edit) []tree.Edit {
	var out []tree.Edit
	for _, e := range edits {
		e.Path = dir + "/" + e.Path
		out = append(out, e)
	}
	return out
}

func TestCompare(t *testing.T) {
	code := func(content string) tree.Edit { return tree.Edit{Path: "scripts/main.py", Content: []byte(content)} }
	const program = "import csv\nimport sys\n\nfor record in csv.reader(sys.stdin):\n    print(record)\n"
	const another = "from subprocess import run\n\nrun(['sort', '--unique'], check=True)\n"
	record := func(content string) tree.Edit { return tree.Edit{Path: "capability.yaml", Content: []byte(content)} }
	have := sketch(t, "csv-parser", about, text, code(program))
	for _, tc := range []struct {
		name string
		with duplicate.Sketch
		want duplicate.Degree
	}{
		{"another name", sketch(t, "table-reader", about, text, code(program)), duplicate.Identical},
		{"another name, other spaces", sketch(t, "table-reader", about, strings.ReplaceAll(text, "\n", "\n\n"), code(program)), duplicate.Identical},
		{"a record beside", sketch(t, "table-reader", about, text, code(program), record("kind: tool\n")), duplicate.Renamed},
		{"a sentence more", sketch(t, "table-reader", about, text+"Be polite.\n", code(program)), duplicate.Renamed},
		{"other code", sketch(t, "table-reader", about, text, code(another)), duplicate.Reworded},
		{"no code", sketch(t, "table-reader", about, text), duplicate.Reworded},
		{"other words", sketch(t, "table-reader", about, reworded, code(program)), duplicate.Reworded},
		{"another text", sketch(t, "chart-drawer", "Draws charts from numbers. Use when figures are to be seen.", other), duplicate.Different},
		{"another language", sketch(t, "csv-parser-de", "Liest Tabellen mit Kommas. Nutze es, wenn jemand nach einer CSV-Datei fragt.", german, code(program)), duplicate.Different},
		{"name and description alike", sketch(t, "parse-csv", "Turns comma separated values into records. Use when a file ends in csv.", other), duplicate.Reworded},
		{"name alike, another purpose", sketch(t, "csv-parse", "Checks that figures of accounts add up. Use before closing a month.", other), duplicate.Different},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, order := range [][2]duplicate.Sketch{{have, tc.with}, {tc.with, have}} {
				got := duplicate.Compare(order[0], order[1])
				if got.Degree != tc.want {
					t.Errorf("%s (%.2f), want %s", got.Degree, got.Share, tc.want)
				}
				if near := duplicate.Near(order[0], order[1]); near != (tc.want != duplicate.Different) {
					t.Errorf("near is %v of what is %s", near, got.Degree)
				}
			}
		})
	}
}

// A heading that is the name, and a name in a long text, are no difference; in a text
// of a few words they may be all of it.
func TestOwnName(t *testing.T) {
	for _, tc := range []struct {
		name string
		a, b duplicate.Sketch
		want duplicate.Degree
	}{
		{"heading", sketch(t, "reef-knot", "Ties it.", "# Reef knot\n\nPull.\n"), sketch(t, "bowline", "Ties it.", "# bowline\n\nPull.\n"), duplicate.Identical},
		{"heading of the other one", sketch(t, "reef-knot", "Ties it.", "# Bowline\n\nPull.\n"), sketch(t, "bowline", "Ties it.", "# Bowline\n\nPull.\n"), duplicate.Identical},
		{"few words", sketch(t, "reef-knot", "Ties a reef-knot.", "Pull the reef-knot.\n"), sketch(t, "bowline", "Ties a bowline.", "Pull the bowline.\n"), duplicate.Different},
		{
			"many words", sketch(t, "read-csv", "Use read-csv for tables.", strings.ReplaceAll(text, "the", "the read-csv")),
			sketch(t, "sheet", "Use sheet for tables.", strings.ReplaceAll(text, "the", "the sheet")), duplicate.Renamed,
		},
	} {
		if got := duplicate.Compare(tc.a, tc.b); got.Degree != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got.Degree, tc.want)
		}
	}
}

func TestFirstDifference(t *testing.T) {
	for _, tc := range []struct{ old, now, want string }{
		{"a\nb\nc\n", "a\nx\nc\n", "- b + x"},
		{"a\n", "a\nmore\n", "+ more"},
		{"a\nless\n", "a\n", "- less"},
		{"a\n", "a\n", ""},
		{"a\n", "a\n\n", ""},
	} {
		if got := duplicate.FirstDifference(tc.old, tc.now); got != tc.want {
			t.Errorf("%q, %q: %q, want %q", tc.old, tc.now, got, tc.want)
		}
	}
}

// The sentences that assent writes into each tool make no two tools alike.
func TestGeneratedText(t *testing.T) {
	acquired := func(name, description, member, code string) duplicate.Sketch {
		t.Helper()
		a := capability.Acquired{
			Name: name, Description: description, Runtime: "python", Entry: "scripts/main.py", Code: code,
			Input:   map[string]any{"type": "object", "properties": map[string]any{member: map[string]any{"type": "string"}}, "required": []any{member}},
			Payload: map[string]any{member: "ab"},
		}
		edits, diags := a.Files()
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		v := tree.NewMap(edits...)
		c, _, err := capability.Load(v, "skills/"+name)
		if err != nil {
			t.Fatal(err)
		}
		s := duplicate.Of(c)
		if err := s.Beside(v, "skills/"+name); err != nil {
			t.Fatal(err)
		}
		return s
	}
	count := "import json, sys\nprint(json.dumps({'words': len(json.load(sys.stdin)['text'].split())}))\n"
	turn := "import sys, json\ndata = json.load(sys.stdin)\njson.dump({'turned': ''.join(reversed(data['s']))}, sys.stdout)\n"
	words := acquired("word-count", "Counts the words of a text. Use when a text has to be measured.", "text", count)
	turned := acquired("reverse-string", "Turns a string around. Use when letters have to go backwards.", "s", turn)
	if got := duplicate.Compare(words, turned); got.Degree != duplicate.Different {
		t.Errorf("two tools are %s (%.2f)", got.Degree, got.Share)
	}
	if got := duplicate.Compare(words, acquired("token-sum", "Counts the words of a text. Use when a text has to be measured.", "text", count)); got.Degree != duplicate.Renamed {
		t.Errorf("a copy under another name is %s (%.2f)", got.Degree, got.Share)
	}
}
