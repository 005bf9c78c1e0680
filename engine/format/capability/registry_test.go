package capability_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

func skillText(name string) string {
	return "---\nname: " + name + "\ndescription: Does one thing. Use when it is needed.\n---\n\n# Title\n"
}

const toolRecord = `kind: tool
version: 1.0.0
run: {runtime: python, entry: scripts/main.py}
input: {type: object, properties: {text: {type: string}}}
`

func rulesOf(ds diag.List) []string {
	var out []string
	for _, d := range ds {
		out = append(out, d.Rule)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestFolders(t *testing.T) {
	v := tree.MapOf(map[string]string{
		"skills/README.md":              "x",
		"skills/a/SKILL.md":             skillText("a"),
		"skills/a/deep/er/SKILL.md":     skillText("er"), // Load's business
		"skills/g/README.md":            "x",
		"skills/g/b/SKILL.md":           skillText("b"),
		"skills/g/h/c/SKILL.md":         skillText("c"),
		"skills/g/lower/skill.md":       skillText("lower"),
		"skills/g/none/capability.yaml": toolRecord,
		"skills/g/code/scripts/main.py": "x",
		"skills/h/notes/thoughts.md":    "x",
		"soul/x/SKILL.md":               skillText("x"),
	})
	got, ds, err := capability.Folders(v)
	if err != nil {
		t.Fatal(err)
	}
	want := []capability.Folder{{Name: "a", Path: "skills/a"}, {Group: "g", Name: "b", Path: "skills/g/b"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var at []string
	for _, d := range ds {
		at = append(at, d.Rule+" "+d.File)
	}
	wantAt := []string{"skill-missing skills/g/code", "skill-depth skills/g/h/c/SKILL.md", "skill-file-case skills/g/lower/skill.md", "skill-missing skills/g/none"}
	if diff := cmp.Diff(wantAt, at); diff != "" {
		t.Error(diff)
	}
	if got, ds, err := capability.Folders(tree.NewMap()); len(got)+len(ds) > 0 || err != nil {
		t.Errorf("an empty workspace: %v %v %v", got, ds, err)
	}
}

func TestGroupsRequired(t *testing.T) {
	files := map[string]string{}
	for i := range capability.MaxEntries + 1 {
		name := "s" + strings.Repeat("x", i%50) + strings.Repeat("y", i/50)
		files["skills/"+name+"/SKILL.md"] = skillText(name)
	}
	if _, ds, _ := capability.Folders(tree.MapOf(files)); !slices.Contains(rulesOf(ds), capability.RuleGroups) {
		t.Errorf("%d flat folders: %v", len(files), ds)
	}
}

func TestRegistryTwins(t *testing.T) {
	v := tree.MapOf(map[string]string{
		"skills/g/parse-csv/SKILL.md": skillText("parse-csv"),
		"skills/h/parse_csv/SKILL.md": skillText("parse_csv"),
		"skills/Bad/ok/SKILL.md":      skillText("ok"),
	})
	all, ds, err := capability.Registry(v)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d capabilities, %v", len(all), err)
	}
	for _, rule := range []string{capability.RuleTwin, "name-shape"} {
		if !slices.Contains(rulesOf(ds), rule) {
			t.Errorf("no %s in %v", rule, ds)
		}
	}
}

func TestLoad(t *testing.T) {
	base := map[string]string{"skills/g/x/SKILL.md": skillText("x")}
	for name, c := range map[string]struct {
		files      map[string]string
		rules      []string
		kind       capability.Kind
		status     capability.Status
		executable bool
		specOnly   bool
	}{
		"prompt skill":                           {nil, nil, capability.KindSkill, capability.Active, false, false},
		"skill with code":                        {map[string]string{"scripts/x.sh": "x"}, nil, capability.KindSkill, capability.Active, true, false},
		"tool":                                   {map[string]string{"capability.yaml": toolRecord, "scripts/main.py": "x"}, nil, capability.KindTool, capability.Active, true, false},
		"tool without its entry":                 {map[string]string{"capability.yaml": toolRecord}, []string{capability.RuleRecordRun}, capability.KindTool, capability.Active, true, false},
		"specification":                          {map[string]string{"capability.yaml": "kind: tool\nversion: 0.1.0\nstatus: researching\ninput: {type: object}\n"}, nil, capability.KindTool, capability.Researching, false, true},
		"specification that claims to be active": {map[string]string{"capability.yaml": "kind: tool\nversion: 0.1.0\ninput: {type: object}\n"}, []string{capability.RuleRecordRun}, capability.KindTool, capability.Active, false, true},
		"server":                                 {map[string]string{"capability.yaml": "kind: mcp\nversion: 1.0.0\n", "server.json": "{}"}, nil, capability.KindMCP, capability.Active, true, false},
		"server without server.json":             {map[string]string{"capability.yaml": "kind: mcp\nversion: 1.0.0\n"}, []string{capability.RuleRecordKind}, capability.KindMCP, capability.Active, false, true},
		"agent":                                  {map[string]string{"capability.yaml": "kind: agent\nversion: 1.0.0\n", "AGENT.md": "x"}, nil, capability.KindAgent, capability.Active, false, false},
		"agent without AGENT.md":                 {map[string]string{"capability.yaml": "kind: agent\nversion: 1.0.0\n"}, []string{capability.RuleRecordKind}, capability.KindAgent, capability.Active, false, false},
		"server.json of a skill":                 {map[string]string{"server.json": "{}"}, []string{capability.RuleRecordKind}, capability.KindSkill, capability.Active, true, false},
		"nested skill":                           {map[string]string{"examples/SKILL.md": "x"}, []string{capability.RuleSkillNested}, capability.KindSkill, capability.Active, false, false},
		"broken evals":                           {map[string]string{"evals/evals.json": "["}, []string{capability.RuleEvals}, capability.KindSkill, capability.Active, false, false},
		"broken suite":                           {map[string]string{"tests.yaml": "cases: []"}, []string{capability.RuleSuiteEmpty}, capability.KindSkill, capability.Active, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			files := maps.Clone(base)
			for p, content := range c.files {
				files["skills/g/x/"+p] = content
			}
			got, ds, err := capability.Load(tree.MapOf(files), "skills/g/x")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.rules, rulesOf(ds)); diff != "" {
				t.Errorf("rules: %s\n%v", diff, ds)
			}
			if got.Kind != c.kind || got.Status != c.status || got.Executable != c.executable || got.SpecOnly != c.specOnly || got.Category != "g" || got.Group != "g" || got.Name != "x" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// brokenView fails where a disk would.
type brokenView struct{ *tree.Map }

var errDisk = errors.New("disk on fire")

func (brokenView) Read(string) ([]byte, error) { return nil, errDisk }

func TestLoadSeparatesTheWorldFromContent(t *testing.T) {
	v := brokenView{tree.MapOf(map[string]string{"skills/x/SKILL.md": skillText("x")})}
	if _, ds, err := capability.Load(v, "skills/x"); !errors.Is(err, errDisk) || ds.HasErrors() {
		t.Errorf("%v, %v", ds, err)
	}
	if _, _, err := capability.Registry(v); !errors.Is(err, errDisk) {
		t.Error(err)
	}
}

func TestTransitions(t *testing.T) {
	legal := map[string]bool{}
	for _, pair := range []string{"researching developing", "researching testing", "researching active", "researching retired", "developing testing", "developing active", "developing retired",
		"testing developing", "testing active", "testing retired", "active testing", "active deprecated", "deprecated active", "deprecated retired", "retired testing"} {
		legal[pair] = true
	}
	for _, from := range capability.Statuses() {
		for _, to := range capability.Statuses() {
			ok := len(capability.CheckTransition(from, to, diag.Pos{})) == 0
			if want := from == to || legal[string(from)+" "+string(to)]; ok != want {
				t.Errorf("%s to %s: %v", from, to, ok)
			}
		}
	}
}

func TestVersions(t *testing.T) {
	// The order of semver.org, section 11, and around it.
	order := []capability.Version{"0.0.1", "0.1.0", "0.9.0", "0.10.0", "1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "2.0.0", "10.0.0"}
	for i, a := range order {
		for j, b := range order {
			if got := a.Compare(b); (got < 0) != (i < j) || (got > 0) != (i > j) || !a.Valid() {
				t.Errorf("%s against %s: %d", a, b, got)
			}
		}
	}
	if capability.Version("1.0.0+a").Compare("1.0.0+b") != 0 {
		t.Error("build parts count")
	}
	for _, bad := range []capability.Version{"", "1", "1.0", "v1.0.0", "1.0.0.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0+", "1.0.0 ", "1.0.0\n", "9999999999.0.0"} {
		if bad.Valid() {
			t.Errorf("%q is valid", bad)
		}
	}
}

func TestCheckUpdate(t *testing.T) {
	load := func(version, status, body string) capability.Capability {
		c, ds, err := capability.Load(tree.MapOf(map[string]string{
			"skills/x/SKILL.md":        skillText("x") + body,
			"skills/x/capability.yaml": "kind: skill\nversion: " + version + "\nstatus: " + status + "\n",
		}), "skills/x")
		if err != nil || ds.HasErrors() {
			t.Fatal(ds, err)
		}
		return c
	}
	base := load("1.2.0", "active", "")
	for _, c := range []struct {
		head capability.Capability
		rule string
		sev  diag.Severity
	}{
		{load("1.2.1", "active", "more"), "", 0},
		{load("1.2.0", "active", "more"), capability.RuleVersion, diag.Note},
		{load("1.1.9", "active", "more"), capability.RuleVersion, diag.Error},
		{load("1.3.0", "researching", "more"), capability.RuleStatus, diag.Error},
	} {
		ds := capability.CheckUpdate(base, c.head, true)
		if c.rule == "" && len(ds) > 0 || c.rule != "" && (len(ds) != 1 || ds[0].Rule != c.rule || ds[0].Severity != c.sev || ds[0].File != "skills/x/capability.yaml" || ds[0].Line == 0) {
			t.Errorf("%s %s: %v", c.head.Version, c.head.Status, ds)
		}
	}
}

func TestScaffoldsPassStrictChecks(t *testing.T) {
	for name, make := range map[string]func() ([]tree.Edit, diag.List){
		"skill": func() ([]tree.Edit, diag.List) {
			return capability.Scaffold(capability.KindSkill, "new-one", capability.ScaffoldOptions{})
		},
		"group": func() ([]tree.Edit, diag.List) {
			return capability.Scaffold(capability.KindTool, "new-one", capability.ScaffoldOptions{Group: "data"})
		},
		"bash": func() ([]tree.Edit, diag.List) {
			return capability.Scaffold(capability.KindTool, "3d", capability.ScaffoldOptions{Runtime: capability.Bash})
		},
		"starlark": func() ([]tree.Edit, diag.List) {
			return capability.Scaffold(capability.KindTool, "new-one", capability.ScaffoldOptions{Runtime: capability.Starlark})
		},
		"hostile": func() ([]tree.Edit, diag.List) {
			return capability.Scaffold(capability.KindTool, "new-one", capability.ScaffoldOptions{Description: "a: b\n---\nimport os\x00 {{.Name}} # " + strings.Repeat("x ", 2000)})
		},
	} {
		edits, ds := make()
		if len(ds) > 0 || len(edits) == 0 {
			t.Fatalf("%s: %v", name, ds)
		}
		all, ds, err := capability.Registry(tree.NewMap(edits...))
		others := slices.DeleteFunc(slices.Clone(ds), func(d diag.Diagnostic) bool { return d.Rule == capability.RuleUnfilled })
		want := map[string]int{"skill": 5, "hostile": 1}[name]
		if told := len(ds) - len(others); told != want && (want != 0 || told != 2) {
			t.Errorf("%s: %d places are to be filled in", name, told)
		}
		if ds = others; err != nil || len(ds) > 0 || len(all) != 1 {
			t.Errorf("%s: %v %v", name, ds, err)
		}
		for _, e := range edits {
			if strings.Contains(string(e.Content), "\nimport os") {
				t.Errorf("%s: the description escapes its comment in %s", name, e.Path)
			}
		}
	}
	for _, bad := range []string{"../x", "Parse CSV", "con", ""} {
		if edits, ds := capability.Scaffold(capability.KindTool, bad, capability.ScaffoldOptions{}); len(edits) > 0 || !ds.HasErrors() {
			t.Errorf("%q accepted", bad)
		}
		if edits, ds := capability.ScaffoldSoul(bad, capability.ScaffoldOptions{}); len(edits) > 0 || !ds.HasErrors() {
			t.Errorf("soul %q accepted", bad)
		}
	}
	if _, ds := capability.Scaffold(capability.KindMCP, "x", capability.ScaffoldOptions{}); !ds.HasErrors() {
		t.Error("a scaffold without a template")
	}
	edits, ds := capability.ScaffoldSoul("scout", capability.ScaffoldOptions{})
	if len(ds) > 0 || len(edits) != 1 || edits[0].Path != "soul/scout/SOUL.md" || !strings.Contains(string(edits[0].Content), "\n## Core Truths\n") {
		t.Errorf("soul: %v %v", edits, ds)
	}
}

// TestLayer: the layer of a capability is derived if its record omits it, and a program
// that calls no other tool cannot be composed.
func TestLayer(t *testing.T) {
	run := func(runtime capability.Runtime) *capability.Run {
		return &capability.Run{Runtime: runtime, Entry: "scripts/x"}
	}
	for _, tc := range []struct {
		kind   capability.Kind
		record capability.Record
		want   capability.Layer
	}{
		{capability.KindSkill, capability.Record{}, capability.LayerSkill},
		{capability.KindTool, capability.Record{Run: run(capability.Starlark)}, capability.LayerComposed},
		{capability.KindTool, capability.Record{Run: run(capability.Python)}, capability.LayerBase},
		{capability.KindTool, capability.Record{Layer: capability.LayerComposed}, capability.LayerComposed},
		{capability.KindTool, capability.Record{}, ""},
		{capability.KindMCP, capability.Record{Run: run(capability.MCPStdio)}, ""},
	} {
		if got := (capability.Capability{Folder: capability.Folder{Name: "x"}, Kind: tc.kind, Record: tc.record}).Layer(); got != tc.want {
			t.Errorf("%s with %+v: %q, want %q", tc.kind, tc.record, got, tc.want)
		}
	}
	_, ds := capability.ParseRecord("capability.yaml", []byte("kind: tool\nversion: 1.0.0\nlayer: composed\nrun: {runtime: bash, entry: scripts/x.sh}\ninput: {type: object}\n"))
	if len(ds) != 1 || ds[0].Rule != capability.RuleRecordRun || ds[0].Pos.Line != 3 {
		t.Errorf("%v", ds)
	}
}

// TestPatterns: a pattern in another dialect is refused with advice to use RE2.
func TestPatterns(t *testing.T) {
	_, ds := capability.ParseRecord("capability.yaml", []byte("kind: tool\nversion: 1.0.0\nrun: {runtime: bash, entry: scripts/x.sh}\ninput: {type: object, properties: {a: {type: string, pattern: \"(?=x)a\"}}}\n"))
	if len(ds) != 1 || ds[0].Rule != capability.RuleRecordSchema || !strings.Contains(ds[0].Fix, "RE2") {
		t.Errorf("%v", ds)
	}
}
