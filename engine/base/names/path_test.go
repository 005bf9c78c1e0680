package names_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/names"
)

// badPaths lists paths that must be refused, by the rule that must report them.
var badPaths = map[string][]string{
	names.RuleEmpty:    {""},
	names.RuleAbsolute: {"/etc/passwd", "//server/share", `\\server\share`, `C:\x`, "c:/x", `\x`, "C:x"},
	names.RuleTraversal: {"..", "../x", "../../pwn", "a/../../x", "a/..", "skills/..", "a/.../b", "....", ".. /x", "a/.. ./b",
		"‥/x", "．．/x", "a/…/b", ".\u200c./x"},
	names.RuleUnclean:   {".", "./x", "a/./b", "a//b", "a/", "skills//x/"},
	names.RuleControl:   {"a\x00b", "a\nb", "a\rb", "a\tb", "x\x1b[31m", "a\x7f", "a\u0085b", "skills/x\n::set-output name=a::b"},
	names.RuleBackslash: {`a\b`, `..\..\pwn`, `skills\x\SKILL.md`},
	names.RuleDotGit: {".git", ".git/config", "a/.git/hooks/pre-commit", ".GIT/config", ".Git", ".gIt/x", "GIT~1", "git~1/config", "GIT~12",
		".git ", ".git.", ".git . .", ".git::$INDEX_ALLOCATION/config", ".git:stream", "git~1::$INDEX_ALLOCATION",
		".g\u200cit/config", "\u200d.git", ".gi\ufefft", ".git\u200b", ".\u2060git", ".g\u00adit", ".g\U000e0067it", ".gi\ufe0ft", ".gi\u034ft",
		".gіt", ".ɡit", ".gıt", "．ｇｉｔ", ".ɢit", ".gi\u1160t", "skills/x/.GIT/config", " .git", ".𝐠𝐢𝐭", ".gi\u0307t", ".gít"},
	names.RuleDevice: {"CON", "con", "Prn", "aux", "NUL", "nul.txt", "CON.md", "a/con/b", "com1", "COM9.log", "lpt1", "LPT0.x", "CONIN$", "conout$.txt",
		"COM¹", "lpt³.md", "con .txt", "aux.tar.gz", "nul:", "skills/aux/SKILL.md", "ＣＯＮ"},
	names.RuleCharacter: {"a:b", "a<b", "a>b", `a"b`, "a|b", "a?b", "a*b", "file.txt::$DATA"},
	names.RuleEdge:      {"-rf", "a/--upload-pack=x", " a", "a ", "a.", "dir /x", "dir./x", "~/x", "~root/.ssh/config"},
	names.RuleShortName: {"SKILLM~1.MD", "PROGRA~1/x", "a~1", "secret~2.txt"},
	names.RuleEncoded:   {"%2e%2e/x", "a%2Fb", "..%5c..%5cx", "a%00.md", "%252e%252e%252fx"},
	names.RuleLength: {strings.Repeat("a", names.MaxComponent+1), strings.Repeat("ab/", 80) + "x",
		"skills/" + strings.Repeat("é", 128) + "/SKILL.md"},
	names.RuleUTF8: {"a\xffb", "\xc0\xae\xc0\xae/x", "a\xed\xa0\x80", "a\xf5", "a\xc3", "a\ufffdb"},
	names.RuleNFC:  {"cafe\u0301.md", "a\u030a", "\u212b.md", "\u1112\u1161\u11ab"},
	names.RuleInvisible: {"a\u200bb", "a\u202eb.md", "x\u2066y", "a\u00adb", "\ufeffSKILL.md", "a\u00a0b", "a\u2028b", "a\u3000b", "a\u2800b", "a\u3164b",
		"a\ufe0f", "a\U000e0041b", "a\ue000b", "a\u061cb", "x\u115fy", "a\U000e01f0"},
	names.RuleLookalike: {"skіlls/x", "pаypal.md", "SΚILL.md", "ｓkills/x", "раура", "сору.md", "a⁄b", "a∕b", "a／b", "a＼b", "ﬁle.md", "𝐒𝐊𝐈𝐋𝐋.md",
		"soυl/x", "ΑΒΕ", "օոս", "\u0300a", ".\u1dc6", "a/1\u0300.md", "ɑgent", "агеnt.md"},
}

func TestCheckPathRefuses(t *testing.T) {
	total := 0
	for rule, paths := range badPaths {
		for _, p := range paths {
			total++
			ds := names.CheckPath(p)
			var rules []string
			for _, d := range ds {
				rules = append(rules, d.Rule)
				if d.Fix == "" || d.Message == "" {
					t.Errorf("%q: %s without a message or a fix", p, d.Rule)
				}
				if strings.ContainsFunc(d.String(), unicode.IsControl) {
					t.Errorf("%q: control characters in the diagnostic %q", p, d.String())
				}
			}
			if !slices.Contains(rules, rule) {
				t.Errorf("%q: want %s among %v", p, rule, rules)
			}
		}
	}
	if total < 60 {
		t.Errorf("only %d bad shapes", total)
	}
}

func TestCheckPathAccepts(t *testing.T) {
	for _, p := range []string{
		"skills/parse-csv/SKILL.md", "skills/data/parse-csv/scripts/main.py", "soul/kublai/SOUL.md", "proposals/2026/02/04/x-01234567.md",
		"README.md", ".github/workflows/ci.yml", ".gitignore", ".gitattributes", "a/.gitkeep", "git", "x.git", "gitx~y",
		"two words.md", "a..b", "...a", ".hidden", "_under", "a-b", "v1.2.3", "console.md", "com10", "company", "auxiliary", "nully.txt",
		"数据/解析.md", "数据-v2.md", "（一）说明.md", "ファイル名.md", "日本語Latin.md", "한국어.md", "отчёт.md", "роса и луг.md", "αρχείο.txt", "café.md", "naïve.md", "ñandú", "größe.md", "İstanbul.md", "kılavuz.md",
		"m².md", "a+b=c.md", "x@y.md", "a,b;c.md", "[slug].tsx", "$x.md", "100%.md", "emoji-🎉.md", "it's.md", "עברית.md", "हिन्दी.md", "ไทย.md",
		strings.Repeat("a", 200) + ".md",
	} {
		if ds := names.CheckPath(p); len(ds) > 0 {
			t.Errorf("%q: %v", p, ds)
		}
	}
}

func TestCheckPathCollectsAll(t *testing.T) {
	got := map[string]bool{}
	for _, d := range names.CheckPath("/../CON/.git/a\n\\") {
		got[d.Rule] = true
	}
	for _, rule := range []string{names.RuleAbsolute, names.RuleTraversal, names.RuleDevice, names.RuleDotGit, names.RuleControl, names.RuleBackslash} {
		if !got[rule] {
			t.Errorf("%s is missing in %v", rule, got)
		}
	}
}

// dangerous is independent of the package's code: an accepted path must not match it after
// dropping everything that is not ASCII.
var dangerous = regexp.MustCompile(`(?i)(^|/)(\.git|git~[0-9]+|(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.[^/]*)?|\.+|[^/]*[. ]|[- ][^/]*|)(/|$)|[\x00-\x1f\x7f\\:<>"|?*]`)

func safe(p string) bool {
	ascii := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, p)
	return utf8.ValidString(p) && fs.ValidPath(p) && p != "." && filepath.IsLocal(filepath.FromSlash(p)) &&
		!dangerous.MatchString(ascii) && !dangerous.MatchString(p) && len(p) <= 240 &&
		!strings.ContainsFunc(p, func(r rune) bool { return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Co, unicode.Zl, unicode.Zp) })
}

func FuzzCheckPath(f *testing.F) {
	for _, paths := range badPaths {
		for _, p := range paths {
			f.Add(p)
		}
	}
	f.Add("skills/parse-csv/SKILL.md")
	f.Fuzz(func(t *testing.T, p string) {
		ds := names.CheckPath(p)
		if len(ds) == 0 && !safe(p) {
			t.Errorf("accepted %q", p)
		}
		if len(ds) == 0 && len(names.CheckPath(strings.ToUpper(p))) == 0 && names.Area(p) != names.Area(strings.ToUpper(p)) {
			t.Errorf("%q: its area depends on the case", p)
		}
	})
}

func TestDisguisesOfDotGit(t *testing.T) {
	ignorable := rapid.SampledFrom([]string{"", "", "", "\u200c", "\u200d", "\ufeff", "\u202e", "\u2060", "\u00ad", "\ufe0f"})
	tail := rapid.SampledFrom([]string{"", " ", ".", ". .", ":x", "::$INDEX_ALLOCATION", "..."})
	rapid.Check(t, func(t *rapid.T) {
		name := ""
		for _, r := range rapid.SampledFrom([]string{".git", "git~1", "git~9"}).Draw(t, "base") {
			c := string(r)
			if rapid.Bool().Draw(t, "upper") {
				c = strings.ToUpper(c)
			}
			name += c + ignorable.Draw(t, "ignorable")
		}
		name += tail.Draw(t, "tail")
		p := rapid.SampledFrom([]string{"", "a/", "skills/x/"}).Draw(t, "dir") + name + rapid.SampledFrom([]string{"", "/config"}).Draw(t, "rest")
		for _, d := range names.CheckPath(p) {
			if d.Rule == names.RuleDotGit {
				return
			}
		}
		t.Fatalf("%q was not seen as .git", p)
	})
}
