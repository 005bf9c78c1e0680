package names_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

func TestNames(t *testing.T) {
	for _, good := range []string{"a", "parse-csv", "parse-csv-v2-quoted", "3d", "1", "x2", strings.Repeat("a", 64), "console", "com10"} {
		if !names.IsName(good) || len(names.CheckCapability(good, diag.Pos{})) > 0 {
			t.Errorf("%q refused", good)
		}
	}
	for _, bad := range []string{"", "-", "-a", "a-", "a--b", "A", "Parse-CSV", "a_b", "a b", "a.b", "a/b", "../pwn", "a\x00", "a\n", "é", "数据", strings.Repeat("a", 65), "con", "aux", "nul", "lpt1", "a\u200b", "$(id)", "`id`", "a;b", "a:b"} {
		if names.IsName(bad) || len(names.CheckAgent(bad, diag.Pos{})) == 0 || len(names.CheckGroup(bad, diag.Pos{})) == 0 {
			t.Errorf("%q accepted", bad)
		}
	}
}

// TestFoldTool includes the shapes that the earlier store of acquired skills refused.
func TestFoldTool(t *testing.T) {
	for _, bad := range []string{"", "../../pwn", "..", ".", "/etc/passwd", "a/b", `a\b`, "a.py", "a b", "a-b", "1a", "a\x00b", "a\nb", "$HOME", "~", "a;b", "a'b", `a"b`, "a(b)", "é", "а", "a\u200b",
		strings.Repeat("a", 65), "_", "__", "a:b", "con", "NUL", "%2e%2e", "|", "a*", "-a", "a\r"} {
		if folder, ds := names.FoldTool(bad); len(ds) == 0 || folder != "" {
			t.Errorf("%q folded to %q", bad, folder)
		}
	}
	for spelling, want := range map[string]string{"parse_csv_eu": "parse-csv-eu", "ParseCSV": "parsecsv", "_x": "x", "a__b_": "a-b", "A1": "a1", "greece_top_news": "greece-top-news", "_1a": "1a", strings.Repeat("a", 64): strings.Repeat("a", 64)} {
		if got, ds := names.FoldTool(spelling); got != want || len(ds) > 0 {
			t.Errorf("%q folded to %q, want %q (%v)", spelling, got, want, ds)
		}
	}
}

func TestCallableRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z0-9]{1,9}(-[a-z0-9]{1,9}){0,5}`).Draw(t, "name")
		if !names.IsName(name) {
			t.Skip("a device")
		}
		if got, ds := names.FoldTool(names.Callable(name)); got != name || len(ds) > 0 {
			t.Fatalf("%q is called %q, which folds to %q (%v)", name, names.Callable(name), got, ds)
		}
	})
}

func TestSuggest(t *testing.T) {
	for bad, want := range map[string]string{"Parse CSV": "parse-csv", "parse_csv.py": "parse-csv-py", "--x--": "x", "Café Größe": "cafe-grosse", "con": "con-1", "ok": "ok", "../../pwn": "pwn", "don't": "dont"} {
		if got := names.Suggest(bad); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", bad, got, want)
		}
	}
	if a, b := names.Suggest("数据"), names.Suggest("解析"); a == b {
		t.Errorf("two names in another script give one suggestion %q", a)
	}
	rapid.Check(t, func(t *rapid.T) {
		bad := rapid.String().Draw(t, "bad")
		got := names.Suggest(bad)
		if !names.IsName(got) || names.Suggest(got) != got {
			t.Fatalf("Suggest(%q) = %q", bad, got)
		}
	})
}

func TestFold(t *testing.T) {
	for _, same := range [][2]string{{"parse_csv", "parse-csv"}, {"Parse-CSV", "parse-csv"}, {"ｐarse", "parse"}, {"straße", "STRASSE"}, {"cafe\u0301", "caf\u00e9"}, {"a\u200bb", "ab"}} {
		if names.Fold(same[0]) != names.Fold(same[1]) {
			t.Errorf("%q and %q fold to %q and %q", same[0], same[1], names.Fold(same[0]), names.Fold(same[1]))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if once := names.Fold(s); names.Fold(once) != once {
			t.Fatalf("folding %q is not stable: %q, %q", s, once, names.Fold(once))
		}
	})
}

func TestProposalID(t *testing.T) {
	id := names.NewProposalID("Twilio: voice call!", [5]byte{1, 2, 3, 4, 255})
	head, random, ok := names.ParseProposalID(id)
	if !ok || head != "twilio-voice-call" || len(random) != 8 {
		t.Errorf("%q parses as %q %q %v", id, head, random, ok)
	}
	when := time.Date(2026, 2, 4, 23, 30, 0, 0, time.FixedZone("west", -3*3600))
	if got, want := names.ProposalPath(id, when), "proposals/2026/02/05/"+id+".md"; got != want {
		t.Errorf("path %q, want %q", got, want)
	}
	for _, bad := range []string{"", "x", "x-", "-01234567", "x-0123456", "x-012345678i", "x-0123456i", "X-01234567", "x--01234567", "../x-01234567", "x/y-01234567", "x-01234567 ", strings.Repeat("a", 49) + "-01234567"} {
		if _, _, ok := names.ParseProposalID(bad); ok {
			t.Errorf("%q accepted", bad)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		random := [5]byte(rapid.SliceOfN(rapid.Byte(), 5, 5).Draw(t, "random"))
		id := names.NewProposalID(text, random)
		p := names.ProposalPath(id, time.Unix(0, 0))
		if _, _, ok := names.ParseProposalID(id); !ok || !names.IsPath(p) || !names.IsRef("refs/heads/proposal/"+id) || len(id) > names.MaxName {
			t.Fatalf("%q made %q", text, id)
		}
	})
}

func TestIsRef(t *testing.T) {
	for _, good := range []string{"refs/heads/main", "refs/heads/proposal/parse-csv-01234567", "inbox/kublai/gap", "refs/assent/trials/host.1", "a", "v1.2.3", "refs/assent/closed/2026"} {
		if !names.IsRef(good) {
			t.Errorf("%q refused", good)
		}
	}
	for _, bad := range []string{"", "/", "a/", "/a", "a//b", "a..b", "../x", ".a", "a/.b", "a.", "a.lock", "a.LOCK/b", "a b", "a~1", "a^", "a:b", "a?b", "a*b", "a[b", `a\b`, "a@{1}", "@", "-a", "refs/heads/-x",
		"a\x00", "a\n", "a\x7f", "$(id)", "`id`", "a;b", "a|b", "a&b", "a'b", `a"b`, "${{github.token}}", "a>b", "é", "\u202ea", "HEAD", "refs/heads/HEAD", strings.Repeat("a", 201), strings.Repeat("a", 40), "refs/heads/" + strings.Repeat("0", 64), "nul", "refs/heads/com1.x", "a%0a"} {
		if names.IsRef(bad) {
			t.Errorf("%q accepted", bad)
		}
	}
}

func TestCheckModes(t *testing.T) {
	for _, c := range []struct {
		path string
		mode tree.Mode
		rule string
	}{
		{"skills/x/SKILL.md", tree.Regular, ""},
		{"skills/x/scripts/main.py", tree.Executable, ""},
		{"skills/g/x/scripts/deep/run", tree.Executable, ""},
		{"skills/x", tree.Dir, ""},
		{"skills/x/main.py", tree.Executable, names.RuleExecBit},
		{"skills/x/myscripts/main.py", tree.Executable, names.RuleExecBit},
		{"skills/x/scripts", tree.Executable, names.RuleExecBit},
		{"skills/x/link", tree.Symlink, names.RuleMode},
		{"skills/x/scripts/link", tree.Symlink, names.RuleMode},
		{"skills/x/sub", tree.Submodule, names.RuleMode},
		{"skills/x/dev", tree.Mode(0o020666), names.RuleMode},
		{"skills/x/setuid", tree.Mode(0o104755), names.RuleMode},
		{"skills/x/group", tree.Mode(0o100664), names.RuleMode},
		{"skills/x/none", 0, names.RuleMode},
	} {
		var rules []string
		for _, d := range names.CheckModes(tree.Entry{Path: c.path, Mode: c.mode}) {
			rules = append(rules, d.Rule)
		}
		want := []string{c.rule}
		if c.rule == "" {
			want = nil
		}
		if !slices.Equal(rules, want) {
			t.Errorf("%s %s: %v, want %v", c.mode, c.path, rules, want)
		}
	}
}

func TestCollisions(t *testing.T) {
	for _, c := range []struct {
		paths []string
		rule  string
	}{
		{[]string{"a", "b", "a"}, ""},
		{[]string{"skills/x/SKILL.md", "skills/x/a.md", "skills/xy/SKILL.md", "skills/g/z/SKILL.md"}, ""},
		{[]string{"skills/g/x/SKILL.md", "skills/h/y/SKILL.md", "soul/a/SOUL.md", "soul/b/SOUL.md", "soul/b/USER.md"}, ""},
		{[]string{"a/README.md", "a/readme.md"}, names.RuleCollision},
		{[]string{"Skills/x", "skills/y"}, names.RuleCollision},
		{[]string{"caf\u00e9", "cafe\u0301"}, names.RuleCollision},
		{[]string{"ﬁle", "file"}, names.RuleCollision},
		{[]string{"straße", "STRASSE"}, names.RuleCollision},
		{[]string{"a\u200cb", "ab"}, names.RuleCollision},
		{[]string{"skills/a-x/SKILL.md", "skills/A-x/SKILL.md"}, names.RuleCollision},
		{[]string{"a", "a/b"}, names.RuleFileDir},
		{[]string{"a/b/c", "a/b"}, names.RuleFileDir},
		{[]string{"A", "a/b"}, names.RuleCollision},
		{[]string{"skills/g/x/SKILL.md", "skills/x/SKILL.md"}, names.RuleTwin},
		{[]string{"skills/g/x-y/SKILL.md", "skills/h/x_y/SKILL.md"}, names.RuleTwin},
		{[]string{"skills/g/x/SKILL.md", "skills/g/x/skills/x/SKILL.md", "skills/g/x/parts/y/SKILL.md", "skills/g/y/SKILL.md"}, ""},
		{[]string{"skills/g/X/SKILL.md", "skills/h/x/SKILL.md"}, names.RuleTwin},
		{[]string{"soul/a-b/SOUL.md", "soul/a_b/SOUL.md"}, names.RuleTwin},
	} {
		ds := names.Collisions(c.paths)
		if c.rule == "" && len(ds) > 0 || c.rule != "" && (len(ds) != 1 || ds[0].Rule != c.rule) {
			t.Errorf("%q: %v, want %q", c.paths, ds, c.rule)
		}
	}
}

func TestCollisionsIgnoreOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfN(rapid.StringMatching(`[aAbé](/[aA_-]){0,2}`), 0, 8).Draw(t, "paths")
		want := names.Collisions(paths)
		got := names.Collisions(rapid.Permutation(paths).Draw(t, "order"))
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %v, then %v", paths, want, got)
		}
	})
}

func TestAreas(t *testing.T) {
	for p, want := range map[string]names.AreaName{"soul/a/SOUL.md": names.SoulArea, "skills": names.SkillsArea, "Skills/x": names.SkillsArea, "proposals/x": names.ProposalsArea, "policies/roles.yaml": names.PoliciesArea,
		"WORKFLOWS/x": names.WorkflowsArea, "README.md": names.OtherArea, "skillset/x": names.OtherArea, "a/skills/x": names.OtherArea, ".github/workflows/ci.yml": names.OtherArea, "": names.OtherArea} {
		if got := names.Area(p); got != want || names.Governed(p) != (want != names.OtherArea) {
			t.Errorf("%q lies in %q, want %q", p, got, want)
		}
	}
}

func TestParseSkillPath(t *testing.T) {
	dirs := []string{"skills/a", "skills/g/b", "skills/a/nested"}
	holds := func(dir string) bool { return slices.Contains(dirs, dir) }
	for p, want := range map[string]names.Capability{
		"skills/a":                  {Name: "a", Dir: "skills/a"},
		"skills/a/SKILL.md":         {Name: "a", Dir: "skills/a", Rest: "SKILL.md"},
		"skills/a/nested/SKILL.md":  {Name: "a", Dir: "skills/a", Rest: "nested/SKILL.md"},
		"skills/g/b/scripts/x/y.py": {Group: "g", Name: "b", Dir: "skills/g/b", Rest: "scripts/x/y.py"},
		"skills/g":                  {}, "skills/g/c/x": {}, "soul/a/x": {}, "skills": {}, "": {},
	} {
		if got, ok := names.ParseSkillPath(p, holds); got != want || ok != (want != names.Capability{}) {
			t.Errorf("%q: %+v, %v", p, got, ok)
		}
	}
	if agent, ok := names.AgentOf("soul/kublai/SOUL.md"); agent != "kublai" || !ok {
		t.Errorf("agent %q %v", agent, ok)
	}
	if agent, ok := names.AgentOf("soul/README.md"); ok {
		t.Errorf("agent %q in a path without one", agent)
	}
}

// TestShellWord: a shell reads every name as one word, and plain ones are shown as they are.
func TestShellWord(t *testing.T) {
	for name, want := range map[string]string{
		"scout": "scout", "a-b_C9": "a-b_C9", "-rf": "'-rf'", "": "''", "a b": "'a b'", "$(x)": "'$(x)'", "it's": `'it'\''s'`, "é": "'é'", "a;b": "'a;b'", "~": "'~'",
	} {
		if got := names.ShellWord(name); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}
