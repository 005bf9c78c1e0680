package schema_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/notice"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/schema"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/scenario"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/registry/critic"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// parse parses one file with the Go parser of its kind.
func parse(t *testing.T, kind string, src []byte) diag.List {
	t.Helper()
	front := append(append([]byte("---\n"), src...), "---\n# Why\n\n```markdown\ntext\n```\n"...)
	switch kind {
	case "skill":
		_, ds := capability.ParseSkill("skills/x/SKILL.md", front)
		return ds
	case "capability":
		_, ds := capability.ParseRecord("skills/x/capability.yaml", src)
		return ds
	case "tests":
		_, ds := capability.ParseSuite("skills/x/tests.yaml", src)
		return ds
	case "proposal":
		_, ds := proposal.Parse("x.md", front)
		return ds
	case "draft":
		_, ds := proposal.ParseDraft("x.md", front)
		return ds
	case "task-result":
		_, ds := run.ParseResult("result.json", src)
		return ds
	case "critique":
		_, err := critic.Read(src, []*critic.Tool{{Name: "parse-csv"}, {Name: "slugify"}})
		return faults(err)
	case "plan-result":
		_, err := critic.ReadResult(src)
		return faults(err)
	case "opinion", "drafter":
		_, ds := advice.Parse(kind+".yaml", src)
		return ds
	case "notify":
		_, ds := notice.Parse("notify.yaml", src)
		return ds
	case "workflow":
		v := tree.NewMap(tree.Edit{Path: "workflows/x.yaml", Content: src}, tree.Edit{Path: "workflows/templates/a.md", Content: []byte("Do it.")})
		_, ds, err := workflow.Load(v, func(string) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return ds
	}
	if kind == "scenario" {
		_, ds := scenario.Parse("policies/scenarios/x.yaml", src)
		return ds
	}
	path := "policies/" + kind + ".yaml"
	_, all := policy.Load(tree.NewMap(tree.Edit{Path: path, Content: src}))
	var ds diag.List
	for _, d := range all {
		if d.File == path {
			ds.Add(d)
		}
	}
	return ds
}

// faults is an error as a diagnostic.
func faults(err error) (ds diag.List) {
	if err != nil {
		ds.Errorf("json", diag.Pos{}, "", "%v", err)
	}
	return ds
}

func compile(t *testing.T, kind string) *jsonschema.Schema {
	t.Helper()
	text, ok := schema.Get(kind)
	if !ok {
		t.Fatalf("no schema %s", kind)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(kind+".json", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile(kind + ".json")
}

func check(t *testing.T, s *jsonschema.Schema, src []byte) error {
	t.Helper()
	doc, ds := strictyaml.Parse("", src, 1, strictyaml.DefaultLimits())
	value := doc.Root().Value(&ds)
	if ds.HasErrors() {
		t.Fatalf("the fixture is no plain YAML: %v", ds)
	}
	return s.Validate(value)
}

// TestSchemasAgreeWithParsers checks every fixture with the parser and the schema. Files
// are named ok… and bad…; a bad one has exactly one fault.
func TestSchemasAgreeWithParsers(t *testing.T) {
	for _, kind := range schema.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := compile(t, kind)
			fixtures, err := txtar.ParseFile(filepath.Join("testdata", kind+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			counts := map[bool]int{}
			for _, f := range fixtures.Files {
				good := strings.HasPrefix(f.Name, "ok")
				counts[good]++
				if ds := parse(t, kind, f.Data); ds.HasErrors() == good {
					t.Errorf("%s: the parser says %v", f.Name, ds)
				}
				if err := check(t, s, f.Data); (err == nil) != good {
					t.Errorf("%s: the schema says %v", f.Name, err)
				}
			}
			if counts[true] < 2 || counts[false] < 5 {
				t.Errorf("only %d good and %d bad fixtures", counts[true], counts[false])
			}
		})
	}
}

func TestGet(t *testing.T) {
	for _, unknown := range []string{"", "soul", ".", "skill.json"} {
		if text, ok := schema.Get(unknown); ok || text != nil {
			t.Errorf("a schema of %q", unknown)
		}
	}
}

// TestShippedFilesFit: the workspace that assent ships is valid by its own schemas.
func TestShippedFilesFit(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	for kind, pattern := range map[string]string{
		"capability": "skills/*/*/capability.yaml", "tests": "skills/*/*/tests.yaml", "skill": "skills/*/*/SKILL.md", "workflow": "workflows/*.yaml",
		"roles": "policies/roles.yaml", "approvals": "policies/approvals.yaml", "autonomy": "policies/autonomy.yaml",
		"limits": "policies/limits.yaml", "security": "policies/security.yaml", "retention": "policies/retention.yaml", "gaps": "policies/gaps.yaml", "workspace": "policies/workspace.yaml", "scenario": "policies/scenarios/*.yaml",
	} {
		s := compile(t, kind)
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(paths) == 0 {
			t.Errorf("%s: no files %s (%v)", kind, pattern, err)
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(path, ".md") {
				front, _ := markup.SplitFrontMatter(src)
				src = front.Source
			}
			if err := check(t, s, src); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}
