package capability_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/capability"
)

func TestParseSkill(t *testing.T) {
	long := strings.Repeat("ä", 1025)
	for name, c := range map[string]struct{ front, rule string }{
		"minimal":                        {"name: x\ndescription: d", ""},
		"all keys":                       {"name: x\ndescription: d\nlicense: MIT\ncompatibility: any\nmetadata: {a: b}\nallowed-tools: Bash(git add:*) Read", ""},
		"longest":                        {"name: x\ndescription: " + long[2:], ""},
		"no name":                        {"description: d", capability.RuleSkillName},
		"empty name":                     {"name: \"\"\ndescription: d", capability.RuleSkillName},
		"another name":                   {"name: y\ndescription: d", capability.RuleSkillName},
		"upper case":                     {"name: X\ndescription: d", capability.RuleSkillName},
		"no description":                 {"name: x", capability.RuleDescription},
		"blank description":              {"name: x\ndescription: \" \"", capability.RuleDescription},
		"long description":               {"name: x\ndescription: " + long, capability.RuleDescription},
		"long compatibility":             {"name: x\ndescription: d\ncompatibility: " + long[:1002], capability.RuleSkillField},
		"unknown key":                    {"name: x\ndescription: d\nversion: 1.0.0", strictyaml.RuleUnknown},
		"list of tools":                  {"name: x\ndescription: d\nallowed-tools: [a]", strictyaml.RuleType},
		"number in metadata":             {"name: x\ndescription: d\nmetadata: {a: 1}", strictyaml.RuleType},
		"nested metadata":                {"name: x\ndescription: d\nmetadata: {a: {b: c}}", strictyaml.RuleType},
		"name that YAML 1.1 reads as no": {"name: no\ndescription: d", strictyaml.RuleAmbiguous},
		"twice":                          {"name: x\nname: x\ndescription: d", strictyaml.RuleDuplicate},
		"a list":                         {"- name", capability.RuleFrontMatter},
		"broken":                         {"name: x\ndescription: a: b", strictyaml.RuleSyntax},
	} {
		s, ds := capability.ParseSkill("skills/x/SKILL.md", []byte("---\n"+c.front+"\n---\n# Body\n"))
		if c.rule == "" && len(ds) > 0 || c.rule != "" && (len(ds) == 0 || ds[0].Rule != c.rule || ds[0].Line == 0 || ds[0].File != "skills/x/SKILL.md") {
			t.Errorf("%s: %v, want %q", name, ds, c.rule)
		}
		if s.Body != "# Body\n" {
			t.Errorf("%s: body %q", name, s.Body)
		}
	}
	for name, src := range map[string]string{"empty": "", "no front matter": "# x\n", "unclosed": "---\nname: x\n", "not UTF-8": "---\nname: \xff\n---\n"} {
		if _, ds := capability.ParseSkill("skills/x/SKILL.md", []byte(src)); !ds.HasErrors() {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestSkillAdvice(t *testing.T) {
	for body, want := range map[string]bool{strings.Repeat("\n", 499): false, strings.Repeat("\n", 500): true, strings.Repeat("x", 19999): false, strings.Repeat("x", 20000): true} {
		_, ds := capability.ParseSkill("skills/x/SKILL.md", []byte(skillText("x")[:len(skillText("x"))-len("\n# Title\n")]+body))
		if got := len(ds) == 1 && ds[0].Rule == capability.RuleSkillLength && ds[0].Severity == diag.Note; got != want {
			t.Errorf("%d bytes: %v", len(body), ds)
		}
	}
}

func TestSkillTools(t *testing.T) {
	s := capability.Skill{AllowedTools: "Bash(git add:*) Read, Write"}
	if diff := cmp.Diff([]string{"Bash(git add:*)", "Read", "Write"}, s.Tools()); diff != "" {
		t.Error(diff)
	}
}

func TestReadSkillIsLenient(t *testing.T) {
	src := "---\nname: My Skill\ndescription: " + strings.Repeat("x", 2000) + "\nversion: 1\nmetadata:\n  n: 1\n  deep: {a: [b]}\nallowed-tools: [Read, Write]\n---\nBody\n"
	s, ds := capability.ReadSkill("elsewhere/my-skill/SKILL.md", []byte(src))
	if ds.HasErrors() || ds.Count(diag.Warning) != 2 {
		t.Errorf("%v", ds)
	}
	want := map[string]string{"n": "1", "deep": `{"a":["b"]}`}
	if diff := cmp.Diff(want, s.Metadata); diff != "" || s.AllowedTools != "Read Write" || len(s.Description) != 2000 || s.Name != "My Skill" {
		t.Errorf("%s %+v", diff, s)
	}
	for _, bad := range []string{"---\nname: x\n---\n", "# nothing\n", "---\nname: [\n---\n"} {
		if _, ds := capability.ReadSkill("a/x/SKILL.md", []byte(bad)); !ds.HasErrors() {
			t.Errorf("%q is loaded", bad)
		}
	}
}

const fullRecord = `kind: tool
version: 1.2.0-rc.1+b
implements: parse-csv
layer: composed
status: active
category: data
tags: [csv, eu]
supersedes: parse-csv-v1
changes: [Reads semicolons]
breaking: true
requires: {capabilities: [string-split], secrets: [TWILIO_AUTH_TOKEN], bins: [ffmpeg], hosts: ["api.twilio.com:443"]}
run: {runtime: starlark, entry: scripts/main.star, timeout: 30s, memory: 256MiB, write: false}
input: {type: object, required: [text], properties: {text: {$ref: "#/$defs/t"}}, $defs: {t: {type: string}}}
output: {type: array}
examples: [{description: One, input: {text: a}, output: [a]}]
cost: {per_use: 0.013, currency: USD}
rate_limit: 1/s
side_effects: [network]
permissions: []
risk: medium
agents: {allow: [], deny: []}
revalidate: 30d
limitations: [Slow]
error_patterns: [{match: "timeout|slow", means: The service is busy, fix: Wait}]
`

func TestParseRecord(t *testing.T) {
	r, ds := capability.ParseRecord("skills/x/capability.yaml", []byte(fullRecord))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	out, err := strictyaml.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	again, ds := capability.ParseRecord("skills/x/capability.yaml", out)
	if diff := cmp.Diff(r, again, cmpopts.EquateEmpty()); diff != "" || len(ds) > 0 {
		t.Errorf("written and read back: %s %v\n%s", diff, ds, out)
	}
}

// TestParseRecordRefuses replaces each line of the full record by an invalid one, which
// is refused at its line.
func TestParseRecordRefuses(t *testing.T) {
	for _, c := range []struct{ line, rule string }{
		{"kind: plugin", strictyaml.RuleValue},
		{"version: 1.2", strictyaml.RuleValue},
		{"version: v1.2.0", strictyaml.RuleValue},
		{"implements: ../x", capability.RuleRecordValue},
		{"layer: upper", strictyaml.RuleValue},
		{"status: live", strictyaml.RuleValue},
		{"category: Data Things", capability.RuleRecordValue},
		{"tags: [CSV]", capability.RuleRecordValue},
		{"tags: [a, a]", capability.RuleRecordValue},
		{"tags: csv", strictyaml.RuleType},
		{"supersedes: x", capability.RuleRecordValue},
		{"changes: [\"\"]", capability.RuleRecordValue},
		{"breaking: yes", strictyaml.RuleType},
		{"requires: {capabilities: [x]}", capability.RuleRecordValue},
		{"requires: {secrets: [lower]}", capability.RuleRecordValue},
		{"requires: {secrets: [PATH]}", capability.RuleRecordValue},
		{"requires: {secrets: [LD_PRELOAD]}", capability.RuleRecordValue},
		{"requires: {bins: [\"rm -rf\"]}", capability.RuleRecordValue},
		{"requires: {hosts: [api.example.com]}", capability.RuleRecordValue},
		{"requires: {hosts: [\"*:443\"]}", capability.RuleRecordValue},
		{"requires: {hosts: [\"h:65536\"]}", capability.RuleRecordValue},
		{"requires: {host: []}", strictyaml.RuleUnknown},
		{"run: {runtime: ruby, entry: scripts/x}", strictyaml.RuleValue},
		{"run: {entry: scripts/x}", capability.RuleRecordRun},
		{"run: {runtime: python}", capability.RuleRecordRun},
		{"run: {runtime: python, entry: scripts/../../x}", capability.RuleRecordRun},
		{"run: {runtime: python, entry: main.py}", capability.RuleRecordRun},
		{"run: {runtime: mcp-stdio}", capability.RuleRecordRun},
		{"layer: base", capability.RuleRecordRun},
		{"run: {runtime: python, entry: scripts/x, timeout: 30}", strictyaml.RuleValue},
		{"run: {runtime: python, entry: scripts/x, timeout: -1s}", strictyaml.RuleValue},
		{"run: {runtime: python, entry: scripts/x, memory: 256}", strictyaml.RuleValue},
		{"run: {runtime: python, entry: scripts/x, memory: 99999999999999GiB}", strictyaml.RuleValue},
		{"input: {type: array}", capability.RuleRecordSchema},
		{"input: {type: object, properties: 7}", capability.RuleRecordSchema},
		{"input: {type: object, $ref: \"https://example.com/s.json\"}", capability.RuleRecordSchema},
		{"input: {type: object, $ref: \"file:///etc/passwd\"}", capability.RuleRecordSchema},
		{"input: {type: object, properties: {a: {pattern: \"(?=x)\"}}}", capability.RuleRecordSchema},
		{"output: {type: text}", capability.RuleRecordSchema},
		{"examples: [{input: {}}]", capability.RuleExample},
		{"examples: [{input: {text: 1}}]", capability.RuleExample},
		{"examples: [{input: {text: a}, output: {}}]", capability.RuleExample},
		{"examples: [{output: []}]", capability.RuleExample},
		{"cost: {per_use: -1, currency: USD}", capability.RuleRecordValue},
		{"cost: {per_use: 1, currency: dollars}", capability.RuleRecordValue},
		{"rate_limit: fast", strictyaml.RuleValue},
		{"rate_limit: 0/s", strictyaml.RuleValue},
		{`side_effects: ["one line\nand more"]`, capability.RuleRecordValue},
		{"risk: none", strictyaml.RuleValue},
		{"risk: prohibited", strictyaml.RuleValue},
		{"agents: {allow: [A B]}", capability.RuleRecordValue},
		{"agents: {allow: [a, b], deny: [b]}", capability.RuleRecordValue},
		{"revalidate: monthly", strictyaml.RuleValue},
		{"error_patterns: [{match: \"(\", means: x}]", capability.RuleRecordValue},
		{"error_patterns: [{match: \"(?=x)\", means: x}]", capability.RuleRecordValue},
		{"error_patterns: [{match: x}]", capability.RuleRecordField},
		{"kind: mcp", capability.RuleRecordRun},
		{"kind: skill", capability.RuleRecordRun},
		{"applies_to: [y]\nkind: agent", capability.RuleRecordField},
		{"applies_to: [y]", capability.RuleRecordField},
	} {
		key, _, _ := strings.Cut(c.line, ":")
		var lines []string
		for l := range strings.Lines(fullRecord) {
			if !strings.HasPrefix(l, key+":") && !(strings.Contains(c.line, "\nkind:") && strings.HasPrefix(l, "kind:")) {
				lines = append(lines, l)
			}
		}
		src := strings.Join(lines, "") + c.line + "\n"
		_, ds := capability.ParseRecord("skills/x/capability.yaml", []byte(src))
		found := false
		for _, d := range ds {
			found = found || d.Rule == c.rule && d.Line > 0 && d.Severity == diag.Error
		}
		if !found {
			t.Errorf("%s: %v, want %s", c.line, ds, c.rule)
		}
	}
	for _, missing := range []string{"kind", "version", "input"} {
		before, after, _ := strings.Cut(fullRecord, missing+":")
		_, rest, _ := strings.Cut(after, "\n")
		src := before + rest
		if _, ds := capability.ParseRecord("skills/x/capability.yaml", []byte(src)); !ds.HasErrors() {
			t.Errorf("a record without %s is accepted", missing)
		}
	}
}

func TestParseSuite(t *testing.T) {
	for expect, ok := range map[string]bool{
		"{equals: null}": true, "{equals: \"\"}": true, "{contains: a}": true, "{contains: [a]}": true, "{matches: \"^a\"}": true, "{schema: {type: string}}": true,
		"{error: no}": false, "{error: \"no\"}": true, "{error: true}": true, "{exit: 0}": true, "{succeeds: true}": true, "{exit: 2, error: x}": true,
		"{}": false, "[]": false, "null": false, "{contains: \"\"}": false, "{contains: []}": false, "{contains: [\"\"]}": false, "{contains: {}}": false, "{contains: null}": false,
		"{matches: \"\"}": false, "{matches: \".*\"}": false, "{matches: \"(?s).*\"}": false, "{matches: \"x|\"}": false, "{matches: \"(\"}": false, "{matches: 7}": false,
		"{schema: {}}": false, "{schema: true}": false, "{schema: {description: x}}": false, "{schema: {type: [object, array, string, number, boolean, \"null\"]}}": false, "{schema: {type: 1}}": false,
		"{error: false}": false, "{error: \" \"}": false, "{exit: -1}": false, "{exit: a}": false, "{succeeds: false}": false, "{works: true}": false, "{error: x, succeeds: true}": false, "{error: x, equals: 1}": false,
	} {
		_, ds := capability.ParseSuite("t.yaml", []byte("cases:\n  - name: a\n    input: {}\n    expect: "+expect+"\n"))
		if ds.HasErrors() == ok {
			t.Errorf("%s: %v", expect, ds)
		}
	}
	for _, bad := range []string{"", "cases: []", "cases: {}", "cases: [{expect: {exit: 0}}]", "cases: [{name: a}]", "cases: [{name: a, expect: {exit: 0}}, {name: a, expect: {exit: 1}}]",
		"cases: [{name: a, expect: {exit: 0}, weight: 0}]", "cases: [{name: a, expect: {exit: 0}, required: maybe}]", "cases: [{name: a, expect: {exit: 0}, timeout: 5}]", "cases: [{name: a, expect: {exit: 0}, tags: [A]}]", "cases: [{name: a, expect: {exit: 0}, skip: true}]"} {
		if _, ds := capability.ParseSuite("t.yaml", []byte(bad)); !ds.HasErrors() {
			t.Errorf("%q is accepted", bad)
		}
	}
	s, ds := capability.ParseSuite("t.yaml", []byte("cases: [{name: a, expect: {exit: 3}, tags: [smoke]}]"))
	if len(ds) > 0 || len(s.Cases) != 1 || !s.Cases[0].Required || s.Cases[0].Weight != 1 || !s.Cases[0].HasTag(capability.TagSmoke) || s.Cases[0].Expect.Exit != 3 {
		t.Errorf("%+v %v", s, ds)
	}
}

func TestCompareSuites(t *testing.T) {
	parse := func(src string) capability.Suite {
		s, ds := capability.ParseSuite("t.yaml", []byte(src))
		if ds.HasErrors() {
			t.Fatal(ds)
		}
		return s
	}
	base := parse("cases:\n  - {name: a, input: {x: 1}, expect: {equals: 1}}\n  - {name: b, expect: {error: x}, tags: [smoke]}\n")
	same := "cases:\n  - {name: b, tags: [smoke], weight: 1.0, required: true, expect: {error: \"x\"}}\n  - {name: a, expect: {equals: 1}, input: {x: 1}}\n"
	for name, c := range map[string]struct {
		head string
		want int
	}{
		"another spelling and order": {same, 0},
		"a case more":                {same + "  - {name: c, expect: {exit: 0}}\n", 0},
		"one removed":                {"cases: [{name: a, input: {x: 1}, expect: {equals: 1}}]", 1},
		"one renamed":                {strings.Replace(same, "name: b", "name: bb", 1), 1},
		"another expectation":        {strings.Replace(same, "equals: 1", "equals: 2", 1), 1},
		"number became text":         {strings.Replace(same, "equals: 1", "equals: \"1\"", 1), 1},
		"weaker expectation":         {strings.Replace(same, "error: \"x\"", "error: true", 1), 1},
		"another input":              {strings.Replace(same, "x: 1", "x: 2", 1), 1},
		"no longer required":         {strings.Replace(same, "required: true", "required: false", 1), 1},
		"less weight":                {strings.Replace(same, "weight: 1.0", "weight: 0.1", 1), 1},
		"no longer smoke":            {strings.Replace(same, "smoke", "slow", 1), 1},
		"more time":                  {strings.Replace(same, "weight: 1.0", "timeout: 1h", 1), 1},
	} {
		ds := capability.CompareSuites(base, parse(c.head))
		if len(ds) != c.want || c.want > 0 && (ds[0].Rule != capability.RuleSuiteAppend || ds[0].File != "t.yaml") {
			t.Errorf("%s: %v", name, ds)
		}
	}
	if ds := capability.CompareSuites(base, capability.Suite{}); len(ds) != 2 || ds[0].File != "t.yaml" {
		t.Errorf("the file removed: %v", ds)
	}
	if ds := capability.CompareSuites(capability.Suite{}, base); len(ds) != 0 {
		t.Errorf("the first suite: %v", ds)
	}
}

func TestQuantities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"30s", "1m30s", "30d", "2w", "1h", "90m", "1500ms"}).Draw(t, "duration")
		var d, again capability.Duration
		if err := d.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		out, _ := d.MarshalText()
		if err := again.UnmarshalText(out); err != nil || again != d {
			t.Fatalf("%s became %s: %v", text, out, err)
		}
		var s, sAgain capability.Size
		size := rapid.StringMatching(`[1-9][0-9]{0,4}(B|kB|KB|MB|GB|KiB|MiB|GiB)`).Draw(t, "size")
		if err := s.UnmarshalText([]byte(size)); err != nil {
			t.Fatal(err)
		}
		out, _ = s.MarshalText()
		if err := sAgain.UnmarshalText(out); err != nil || sAgain != s {
			t.Fatalf("%s became %s: %v", size, out, err)
		}
	})
	var s capability.Size
	if err := s.UnmarshalText([]byte("2MiB")); err != nil || s != 2<<20 {
		t.Errorf("2MiB is %d bytes, %v", s, err)
	}
}

func FuzzParsers(f *testing.F) {
	f.Add([]byte(fullRecord))
	f.Add([]byte("---\nname: x\ndescription: d\n---\nbody"))
	f.Add([]byte("cases: [{name: a, input: {}, expect: {equals: [1, null, 2.5]}}]"))
	f.Fuzz(func(t *testing.T, src []byte) {
		lines := 1 + strings.Count(string(src), "\n")
		check := func(ds diag.List) {
			for _, d := range ds {
				if d.Line < 0 || d.Line > lines || d.Rule == "" || d.Message == "" {
					t.Errorf("a diagnostic outside the file: %v", d)
				}
			}
		}
		_, ds := capability.ParseRecord("skills/x/capability.yaml", src)
		check(ds)
		suite, ds := capability.ParseSuite("t.yaml", src)
		check(ds)
		if !ds.HasErrors() && len(capability.CompareSuites(suite, suite)) > 0 {
			t.Error("a suite differs from itself")
		}
		_, ds = capability.ParseSkill("skills/x/SKILL.md", src)
		check(ds)
		_, ds = capability.ReadSkill("x/SKILL.md", src)
		check(ds)
	})
}
