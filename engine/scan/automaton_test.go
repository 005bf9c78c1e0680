package scan

import (
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestAutomaton: if an expression of the table matches, its automata report it: one
// reports the beginning of the match, the other its existence. The texts are those of
// the fixtures, and cuts of them.
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
				if begins, all := beginsOf(p.re, text); all && !slices.Contains(begins, loc[0]) {
					t.Fatalf("%s matches %q, whose beginning the automaton passes by", p.re, text[loc[0]:loc[1]])
				}
				if !p.re.gateMay(text) {
					t.Fatalf("%s matches %q, which the automaton passes by", p.re, text[loc[0]:loc[1]])
				}
			}
		}
	})
}

// beginsOf returns the offsets at which the automaton says that e may match, and whether
// it named all.
func beginsOf(e *expression, text string) ([]int, bool) {
	begins := []int{}
	a := e.head.take()
	defer e.head.give(a)
	all := a.begins(text, func(start int) bool { begins = append(begins, start); return true })
	return begins, all
}

// TestAutomatonForgets: with more states than it keeps, the answers are the same.
func TestAutomatonForgets(t *testing.T) {
	source := `a[ab]{12}c`
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	a, re := newAutomaton(newRecipe(parsed), false), regexp.MustCompile(source)
	text := make([]byte, 40_000)
	for i := range text {
		text[i] = "aabbab"[i*i*i/7%6]
		if i%17 == 0 {
			text[i] = 'c'
		}
	}
	matched, most := 0, 0
	for from := 0; from < len(text); from += 13 {
		piece := string(text[from:min(len(text), from+40)])
		want := re.MatchString(piece)
		if got := a.may(piece); got != want {
			t.Fatalf("%q: %v", piece, got)
		}
		if want {
			matched++
		}
		most = max(most, len(a.states))
	}
	if matched == 0 || most > maxStates+1 {
		t.Errorf("%d matches, %d states are kept", matched, most)
	}
}

// TestAutomatonGivesUp: if beginnings reach far, an automaton gives up rather than be
// slow, and the matches stay the same.
func TestAutomatonGivesUp(t *testing.T) {
	e := expr(`\bcurl\b[^\n|]*\|`)
	text := strings.Repeat("curl ", 2000)
	if _, all := beginsOf(e, text); all {
		t.Error("it tried all of them")
	}
	for _, tail := range []string{"", "|", "\n|"} {
		want := e.compile().MatchString(text + tail)
		if got := e.within(text+tail, []span{{0, len(text + tail)}}, nil); len(got) > 0 != want || e.MatchString(text+tail) != want {
			t.Errorf("%q: %v", tail, got)
		}
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

// TestScanned: steps of many bytes find the same bytes as steps of one byte.
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

// TestExpression: for every expression of the table, the automata in front do not change
// the matches of the regular expression.
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
			for _, loc := range sought(p.re, text, 2) {
				// The characters right before a match decide whether it counts.
				lead, rest := text[max(0, loc[0]-60):loc[0]], text[loc[0]:min(len(text), loc[1]+60)]
				alike(t, p.re, strings.ToValidUTF8(lead+"—"+rest, ""))
				alike(t, p.re, strings.ToValidUTF8(lead+letters.Draw(t, "before")+rest, ""))
			}
		}
	})
}

// sought returns the matches of e at the places where its automaton says that it may match.
func sought(e *expression, text string, n int) [][]int {
	begins, all := beginsOf(e, text)
	if !all {
		begins = nil
	}
	return e.matches(text, begins, n)
}

// alike checks that e finds in text the same matches as its regular expression.
func alike(t *rapid.T, e *expression, text string) {
	if diff := cmp.Diff(e.compile().FindAllStringSubmatchIndex(text, maxTries), sought(e, text, maxTries)); diff != "" {
		t.Fatalf("%s in %q:\n%s", e, text, diff)
	}
	if want := e.compile().MatchString(text); e.MatchString(text) != want {
		t.Fatalf("%s matches %q: %v", e, text, want)
	}
}
