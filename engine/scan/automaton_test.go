package scan

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestAutomaton: wherever an expression of the table matches, the automaton names
// a place in the match, or its end. The texts are the fixtures' and cuts of them.
func TestAutomaton(t *testing.T) {
	texts := fixtureTexts(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		text = text[rapid.IntRange(0, len(text)).Draw(t, "from"):]
		switch rapid.IntRange(0, 2).Draw(t, "case") {
		case 1:
			text = strings.ToUpper(text)
		case 2:
			text = strings.NewReplacer("k", "\u212a", "s", "\u017f").Replace(text)
		}
		for _, p := range engine().flat {
			for _, loc := range p.re.compile().FindAllStringIndex(text, 3) {
				named := false
				a := p.re.ends.take()
				a.ends(text, func(end int) bool { named = named || end >= loc[0] && end <= loc[1]; return !named })
				p.re.ends.give(a)
				if !named {
					t.Fatalf("%s matches %q, which the automaton passes by", p.re, text[loc[0]:loc[1]])
				}
			}
		}
	})
}

// TestAutomatonForgets: with more states than it keeps, the answers are the same.
func TestAutomatonForgets(t *testing.T) {
	a := expr(`a[ab]{12}c`).ends.take()
	re := regexp.MustCompile(`a[ab]{12}c`)
	text := make([]byte, 40_000)
	for i := range text {
		text[i] = "aabbab"[i*i*i/7%6]
		if i%17 == 0 {
			text[i] = 'c'
		}
	}
	var ends []int
	a.ends(string(text), func(end int) bool { ends = append(ends, end); return true })
	var want []int
	for end := range text {
		if from := end - 13; from >= 0 && re.Match(text[from:end+1]) {
			want = append(want, end+1)
		}
	}
	if diff := cmp.Diff(want, ends); diff != "" || len(want) == 0 {
		t.Errorf("%d matches: %s", len(want), diff)
	}
	if len(a.states) > maxStates+1 {
		t.Errorf("%d states are kept", len(a.states))
	}
}

func fixtureTexts(t *testing.T) []string {
	var texts []string
	names, err := filepath.Glob(filepath.Join("testdata", "*", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := parseFixture(t, data)
		for _, file := range slices.Concat(f.base, f.head) {
			texts = append(texts, string(file.Content[:min(len(file.Content), 20_000)]))
		}
	}
	return texts
}

// TestScanned: what is found by steps of many bytes is what one byte at a time
// would find.
func TestScanned(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "word ", strings.Repeat("QUFB", 6), " ", strings.Repeat(" ", 30), "\n\n", "\r\n", "\t", "é", "\u200b", "\x01", "\x7f", "~", "日本"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "")
		var specials []int32
		for i, r := range text {
			if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r >= 0x7f {
				specials = append(specials, int32(i))
			}
		}
		if diff := cmp.Diff(specials, specialsOf(text)); diff != "" {
			t.Error(diff)
		}
		longest, run := 0, 0
		for i := range len(text) {
			if run++; !blankByte(text[i]) {
				run = 0
			}
			longest = max(longest, run)
		}
		for _, n := range []int{8, maxBlankLines} {
			if got := blankRun(text, n); got != (longest > n) {
				t.Errorf("a run of %d blanks, more than %d: %v", longest, n, got)
			}
		}
		var encoded []span
		for i := 0; i < len(text); i++ {
			end := i
			for end < len(text) && encodedByte(text[end]) {
				end++
			}
			if end-i >= minBlob && decode(text[i:end]) != nil {
				encoded = append(encoded, span{i, end})
			}
			i = max(i, end-1)
		}
		var got []span
		for _, b := range blobsOf(text) {
			got = append(got, b.span)
		}
		if diff := cmp.Diff(encoded, got, cmp.AllowUnexported(span{})); diff != "" {
			t.Error(diff)
		}
	})
}

// TestExpression: what is found with automata in front is what the regular expression
// finds by itself, in every expression of the table.
func TestExpression(t *testing.T) {
	texts := fixtureTexts(t)
	letters := rapid.SampledFrom([]string{"", "—", "\n", "\u212a", "é", " ", "a", "\u200b", ". "})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		text = text[rapid.IntRange(0, len(text)).Draw(t, "from"):]
		text = text[:min(len(text), rapid.IntRange(0, 1500).Draw(t, "length"))]
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		text = strings.ToValidUTF8(text[:at]+letters.Draw(t, "letters")+text[at:], "")
		if rapid.Bool().Draw(t, "shout") {
			text = strings.ToUpper(text)
		}
		for _, p := range engine().flat {
			alike(t, p.re, text)
			for _, loc := range p.re.matches(text, 2) {
				// What stands right before a match decides whether it is one.
				lead, rest := text[max(0, loc[0]-60):loc[0]], text[loc[0]:min(len(text), loc[1]+60)]
				alike(t, p.re, strings.ToValidUTF8(lead+"—"+rest, ""))
				alike(t, p.re, strings.ToValidUTF8(lead+letters.Draw(t, "before")+rest, ""))
			}
		}
	})
}

// alike: e says of text what its regular expression says.
func alike(t *rapid.T, e *expression, text string) {
	if diff := cmp.Diff(e.compile().FindAllStringSubmatchIndex(text, maxTries), e.matches(text, maxTries)); diff != "" {
		t.Fatalf("%s in %q:\n%s", e, text, diff)
	}
	if want := e.compile().MatchString(text); e.MatchString(text) != want {
		t.Fatalf("%s matches %q: %v", e, text, want)
	}
}
