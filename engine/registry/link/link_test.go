package link_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/registry/resolution"
)

// TestSteps: a mission is parted where a person would, whatever it consists of.
func TestSteps(t *testing.T) {
	for mission, want := range map[string][]string{
		"Clean the table, then send a mail.":                                     {"clean the table", "send a mail"},
		"1. Read the file\n2) Sort it\n- Write it back\n":                        {"read the file", "sort it", "write it back"},
		"Read a.csv. Sort version 1.2, and report it":                            {"read a.csv", "sort version 1.2", "report it"},
		"清理表格。发送邮件":                                                              {"清理表格。发送邮件"},
		"Read tables, e.g. a.csv, i.e. all. Sort by name vs. age.":               {"read tables, e.g. a.csv, i.e. all", "sort by name vs. age"},
		"Call Dr. Who at 5 p.m. on Monday. Meet at 6 p.m. Then pay No. 7.":       {"call dr. who at 5 p.m. on monday", "meet at 6 p.m", "pay no. 7"},
		"Clean names, dates, etc. in the list. Drop rows, columns, etc. Save it": {"clean names, dates, etc. in the list", "drop rows, columns, etc", "save it"},
		"Is it done? No. Do it again. Choose plan b. Then go home":               {"is it done, no", "do it again", "choose plan b", "go home"},
		"Sort it. Sort it.":                                                  {"sort it"},
		"Sort the list. Twice.":                                              {"sort the list, twice"},
		"Convert the report to PDF and mail it to the team.":                 {"convert the report to pdf", "mail it to the team"},
		"Set up the server and turn off the old one and email Ana":           {"set up the server", "turn off the old one", "email ana"},
		"Take screenshots and automatically notify reviewers":                {"take screenshots", "automatically notify reviewers"},
		"Open the log and check whether it is complete":                      {"open the log", "check whether it is complete"},
		"Can you find houses, and what are their prices?":                    {"can you find houses", "what are their prices"},
		"Download and unpack the archive":                                    {"download the archive", "unpack the archive"},
		"Please download, unpack and sort the archive and mail it to Ana":    {"download the archive", "unpack the archive", "sort the archive", "mail it to ana"},
		"Back up and restore the database":                                   {"back up the database", "restore the database"},
		"Check and clean up the table":                                       {"check the table", "clean up the table"},
		"Report on research and development, terms and conditions":           {"report on research and development, terms and conditions"},
		"Explain the Command and Control pattern":                            {"explain the command and control pattern"},
		"Add search and replace to the editor":                               {"add search and replace to the editor"},
		"Find a tool that can read and write the file":                       {"find a tool that can read and write the file"},
		"Convert miles and pounds to metres; plan lunch and dinner each day": {"convert miles and pounds to metres", "plan lunch and dinner each day"},
		"Buy bread, butter, and olive oil":                                   {"buy bread, butter, and olive oil"},
		"Send the report to Bob, and the summary to Ana":                     {"send the report to bob, and the summary to ana"},
		"Plan my next trip and the next 10 days, next book a hotel":          {"plan my next trip and the next 10 days", "book a hotel"},
		"Save news and relevant PDFs and ":                                   {"save news and relevant pdfs and"},
		"a\x00b\x1b[2J":                                                      {"a b [2j"},
		" .,;\n\t":                                                           nil,
		"":                                                                   nil,
	} {
		got, rest := link.Steps(mission)
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" || len(rest) > 0 {
			t.Errorf("%q (-want +got)\n%s", mission, d)
		}
	}
	if got, rest := link.Steps(strings.Repeat("do this and that, then ", link.MaxMission/30)); len(got)+len(rest) != 1 {
		t.Errorf("the same step again and again gives %d steps", len(got))
	}
	if got, _ := link.Steps(strings.Repeat("é", link.MaxMission)); len(got) != 1 {
		t.Errorf("a long word gives %d steps", len(got))
	}
	words := []byte("sort the list. ")
	for i := 0; len(words) < link.MaxMission; i++ {
		words = fmt.Appendf(words, "word%d. ", i)
	}
	if got, rest := link.Steps(string(words)); len(got) != 1 || len(rest) > 0 || len(got[0]) > 2000 {
		t.Errorf("single words give %d steps", len(got))
	}
	list := ""
	for i := range 20 {
		list += fmt.Sprintf("%d. do thing %d\n", i, i)
	}
	if got, rest := link.Steps(list); len(got) != link.MaxSteps || len(rest) != 4 || rest[0] != "do thing 16" {
		t.Errorf("%q, %q", got, rest)
	}
}

// world has the capabilities in force, by name.
type world struct {
	all      map[string]link.Candidate
	applying map[string][]string
	variants map[string][]string
}

func (w world) Named(name string) (link.Candidate, bool, error) {
	c, known := w.all[name]
	return c, known, nil
}

func (w world) Applying(name string) (out []link.Candidate, err error) {
	for _, n := range w.applying[name] {
		out = append(out, w.all[n])
	}
	return out, nil
}

func (w world) Variants(name string) (out []link.Candidate, err error) {
	for _, n := range w.variants[name] {
		out = append(out, w.all[n])
	}
	return out, nil
}

func worldOf(all ...link.Candidate) world {
	w := world{map[string]link.Candidate{}, map[string][]string{}, map[string][]string{}}
	for _, c := range all {
		if c.Kind == "" {
			c.Kind = capability.KindSkill
		}
		if c.Resolution.Score == 0 {
			c.Resolution.Score = 0.5
		}
		c.Tokens = max(c.Tokens, 10)
		w.all[c.Name] = c
	}
	return w
}

func (w world) need(step string, shares map[string]float64) link.Need {
	n := link.Need{Step: step}
	for name, s := range shares {
		n.Found = append(n.Found, link.Found{Candidate: w.all[name], Share: s})
	}
	slices.SortFunc(n.Found, func(a, b link.Found) int { return strings.Compare(a.Name, b.Name) })
	return n
}

func choose(t *testing.T, w world, budget int, needs ...link.Need) (link.Link, string) {
	t.Helper()
	out, err := link.Choose(needs, w, link.Limits{Each: 3, Enough: 0.2, Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, l := range out.Linked {
		said = append(said, l.Name)
	}
	return out, strings.Join(said, " ")
}

func TestChoose(t *testing.T) {
	poor, good := 0.5, 0.9
	w := worldOf(
		link.Candidate{Name: "csv", Kind: capability.KindTool, Requires: []string{"reader"}},
		link.Candidate{Name: "reader", Requires: []string{"bytes"}}, link.Candidate{Name: "bytes"},
		link.Candidate{Name: "poor", Rate: &poor}, link.Candidate{Name: "good", Rate: &good, Resolution: resolution.Scored{Score: 1.5}},
		link.Candidate{Name: "red", Unusable: "it is in quarantine"}, link.Candidate{Name: "lost", Requires: []string{"nowhere"}},
		link.Candidate{Name: "round", Requires: []string{"about"}}, link.Candidate{Name: "about", Requires: []string{"round"}},
		link.Candidate{Name: "advice"}, link.Candidate{Name: "stale", Rate: &poor},
		link.Candidate{Name: "open", Optional: []string{"nowhere", "red", "needy", "csv", "back"}},
		link.Candidate{Name: "needy", Requires: []string{"good", "lost"}}, link.Candidate{Name: "back", Optional: []string{"needy"}, Requires: []string{"open"}},
	)
	w.applying["csv"] = []string{"advice", "stale"}
	for _, tc := range []struct {
		shares                    map[string]float64
		budget                    int
		linked, repair, left, gap string
	}{
		{map[string]float64{"csv": 0.9}, 0, "bytes reader csv advice", "", "stale", ""},
		{map[string]float64{"good": 0.5, "bytes": 0.6}, 0, "good bytes", "", "", ""},
		{map[string]float64{"poor": 0.9}, 0, "", "", "poor", "poor"},
		{map[string]float64{"red": 0.9}, 0, "", "red", "", "red"},
		{map[string]float64{"lost": 0.9, "round": 0.8}, 0, "", "", "lost round", "lost"},
		{map[string]float64{"csv": 0.1}, 0, "", "", "", "csv"},
		{map[string]float64{"csv": 0.9}, 15, "bytes reader csv", "", "advice stale", ""},
		{map[string]float64{"csv": 0.9}, 5, "", "", "csv", "csv"},
		{map[string]float64{"open": 0.9}, 0, "bytes reader csv open", "", "", ""},
		{nil, 0, "", "", "", ""},
	} {
		out, linked := choose(t, w, tc.budget, w.need("a step", tc.shares))
		said := func(list []link.Aside) string {
			var names []string
			for _, a := range list {
				names = append(names, a.Name)
			}
			return strings.Join(names, " ")
		}
		nearest := ""
		for _, g := range out.Gaps {
			nearest = g.Nearest
		}
		got := []string{linked, said(out.Repair), said(out.LeftOut), nearest}
		if d := cmp.Diff([]string{tc.linked, tc.repair, tc.left, tc.gap}, got); d != "" || (linked == "") != (len(out.Gaps) == 1) {
			t.Errorf("%v within %d (-want +got)\n%s", tc.shares, tc.budget, d)
		}
	}
	two, linked := choose(t, w, 0, w.need("one", map[string]float64{"csv": 1}), w.need("two", map[string]float64{"reader": 1}))
	if i := slices.IndexFunc(two.Linked, func(l link.Linked) bool { return l.Name == "reader" }); linked != "bytes reader csv advice" || !two.Linked[i].Visible || two.Linked[i].For != "" || two.Linked[i].Share != 1 || two.Tokens != 30 {
		t.Errorf("what is required and serves a step: %s, %+v", linked, two)
	}
}

// TestVariants: a skill gives way to the form of it that is for the mission's model, and to no other.
func TestVariants(t *testing.T) {
	poor := 0.2
	w := worldOf(
		link.Candidate{Name: "review"}, link.Candidate{Name: "review-compact", Models: []string{"small-*", "tiny"}},
		link.Candidate{Name: "release", Requires: []string{"review"}}, link.Candidate{Name: "tidy", Requires: []string{"only-small"}}, link.Candidate{Name: "only-small", Models: []string{"small-*"}},
		link.Candidate{Name: "pay"}, link.Candidate{Name: "pay-small", Models: []string{"small-*"}}, link.Candidate{Name: "care"},
		link.Candidate{Name: "halted", Unusable: "a person stopped it"}, link.Candidate{Name: "halted-small", Models: []string{"small-*"}},
		link.Candidate{Name: "review-poor", Models: []string{"weak"}, Rate: &poor}, link.Candidate{Name: "lint", Kind: capability.KindTool},
	)
	w.variants["review"] = []string{"review-compact", "review-poor"}
	w.variants["pay"], w.variants["halted"] = []string{"pay-small"}, []string{"halted-small"}
	w.applying["lint"], w.applying["pay"] = []string{"review", "review-compact"}, []string{"care"}
	for _, tc := range []struct {
		model        string
		shares       map[string]float64
		linked, left string
	}{
		{"", map[string]float64{"review": 0.9, "review-compact": 0.8}, "review", "review-compact"},
		{"large", map[string]float64{"review": 0.9, "review-compact": 0.8}, "review", "review-compact"},
		{"small-2", map[string]float64{"review": 0.9, "review-compact": 0.3}, "review-compact", "review"},
		{"small-2", map[string]float64{"review": 0.9}, "review-compact", "review"},
		{"tiny", map[string]float64{"review-compact": 0.9}, "review-compact", ""},
		{"tiny-2", map[string]float64{"review-compact": 0.9}, "", "review-compact"},
		{"weak", map[string]float64{"review": 0.9, "review-poor": 0.9}, "review", "review-poor"},
		{"small-2", map[string]float64{"lint": 0.9}, "lint review-compact", "review"},
		{"", map[string]float64{"lint": 0.9}, "lint review", "review-compact"},
		{"small-2", map[string]float64{"release": 0.9}, "review-compact release", "review"},
		{"small-2", map[string]float64{"tidy": 0.9}, "only-small tidy", ""},
		{"large", map[string]float64{"tidy": 0.9}, "", "tidy"},
		{"small-2", map[string]float64{"pay": 0.9}, "pay-small care", "pay"},
		{"small-2", map[string]float64{"halted": 0.9}, "", ""},
	} {
		out, err := link.Choose([]link.Need{w.need("a step", tc.shares)}, w, link.Limits{Each: 3, Enough: 0.2, Model: tc.model})
		var linked, left []string
		for _, l := range out.Linked {
			linked = append(linked, l.Name)
		}
		for _, a := range out.LeftOut {
			left = append(left, a.Name)
		}
		if err != nil || strings.Join(linked, " ") != tc.linked || strings.Join(left, " ") != tc.left {
			t.Errorf("%q, %v: %v, left out %v, %v", tc.model, tc.shares, linked, out.LeftOut, err)
		}
	}
}

// errBroken is what a broken world says.
var errBroken = errors.New("broken")

type broken struct{ world }

func (broken) Applying(string) ([]link.Candidate, error) { return nil, errBroken }

func TestChooseFails(t *testing.T) {
	w := worldOf(link.Candidate{Name: "a"})
	if _, err := link.Choose([]link.Need{w.need("s", map[string]float64{"a": 1})}, broken{w}, link.Limits{Each: 1}); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

// TestAnyWorld checks that, with any requirements, a link is the same each time, names everything
// once, has requirements before those that require them, and stays within the budget.
func TestAnyWorld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c", "d", "e", "f", "g"}
		var all []link.Candidate
		for _, n := range names {
			all = append(all, link.Candidate{
				Name: n, Tokens: rapid.IntRange(10, 90).Draw(t, "tokens"), Requires: rapid.SliceOfNDistinct(rapid.SampledFrom(append(names, "nowhere")), 0, 2, rapid.ID[string]).Draw(t, "requires"),
				Optional: rapid.SliceOfNDistinct(rapid.SampledFrom(append(names, "nowhere")), 0, 2, rapid.ID[string]).Draw(t, "optional"),
				Unusable: rapid.SampledFrom([]string{"", "", "", "red"}).Draw(t, "unusable"), Resolution: resolution.Scored{Score: rapid.Float64Range(-0.5, 2).Draw(t, "score")},
			})
		}
		w := worldOf(all...)
		w.applying["a"] = rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(t, "applying")
		var needs []link.Need
		for i := range rapid.IntRange(0, 4).Draw(t, "steps") {
			needs = append(needs, w.need(fmt.Sprint(i), rapid.MapOf(rapid.SampledFrom(names), rapid.Float64Range(0, 1)).Draw(t, "found")))
		}
		limits := link.Limits{Each: rapid.IntRange(1, 4).Draw(t, "each"), Budget: rapid.IntRange(0, 300).Draw(t, "budget"), Enough: 0.2}
		out, err := link.Choose(needs, w, limits)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := link.Choose(needs, w, limits)
		if d := cmp.Diff(out, again); d != "" {
			t.Fatal(d)
		}
		seen, tokens := map[string]bool{}, 0
		for _, l := range out.Linked {
			if seen[l.Name] || l.Unusable != "" {
				t.Fatalf("%s is linked twice or cannot be used: %+v", l.Name, out.Linked)
			}
			for _, r := range l.Requires {
				if !seen[r] {
					t.Fatalf("%s comes before %s, which it requires", l.Name, r)
				}
			}
			if seen[l.Name] = true; l.Visible {
				tokens += l.Tokens
			}
		}
		if tokens != out.Tokens || limits.Budget > 0 && tokens > limits.Budget {
			t.Fatalf("%d tokens, said to be %d, within %d", tokens, out.Tokens, limits.Budget)
		}
	})
}

// TestLock: a lock reads as it was written, and says what moved.
func TestLock(t *testing.T) {
	w := worldOf(link.Candidate{Name: "a", Version: "1.0.0", Blob: "11"}, link.Candidate{Name: "b", Version: "1.0.0", Blob: "22"})
	out, _ := choose(t, w, 0, w.need("s", map[string]float64{"a": 1, "b": 0.9}))
	l := link.LockOf(link.Question{Mission: "a <b>\n", Each: 3}, "33", out)
	data, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := link.ParseLock(data)
	again, _ := read.Encode()
	if err != nil || !bytes.Equal(data, again) || len(l.Moved(read)) > 0 {
		t.Fatalf("%s reads as %+v, %v", data, read, err)
	}
	now := read
	now.Policies, now.Gaps = "34", []int{1}
	now.Capabilities = []link.Locked{{Name: "b", Version: "1.1.0", Blob: "23"}, {Name: "c", Version: "1.0.0", Blob: "44"}}
	want := []link.Move{{What: "policies", Was: "33", Is: "34"}, {What: "a", Was: "1.0.0 11"}, {What: "b", Was: "1.0.0 22", Is: "1.1.0 23"}, {What: "c", Is: "1.0.0 44"}, {What: "gaps", Was: "[]", Is: "[1]"}}
	if d := cmp.Diff(want, l.Moved(now)); d != "" {
		t.Error(d)
	}
	swapped := read
	swapped.Capabilities = []link.Locked{read.Capabilities[1], read.Capabilities[0]}
	if moved := l.Moved(swapped); len(moved) != 1 || moved[0].What != "order" {
		t.Error(moved)
	}
	for _, bad := range []string{"", "{", "[]", `{"v":2}`, `{"v":1}`, `{"v":1,"each":0}`, `{"v":1,"each":1,"new":1}`, string(data) + "{}"} {
		if _, err := link.ParseLock([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
