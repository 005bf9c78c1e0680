package policy_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
)

var update = flag.Bool("update", false, "rewrite the want sections of the scenarios; read the difference before you commit")

// TestScenarios judges each testdata/scenarios/*.txtar: its facts.yaml is laid
// over testdata/facts.yaml key by key, its policies/ over the shipped ones with
// testdata/roles.yaml.
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil || len(paths) < 25 {
		t.Fatalf("%d scenarios found (%v)", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { runScenario(t, path) })
	}
}

func runScenario(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files, facts, want := defaults(t), baseFacts(t), -1
	files[policy.RolesFile] = string(readFile(t, "testdata/roles.yaml"))
	for i, f := range archive.Files {
		switch {
		case f.Name == "facts.yaml":
			maps.Copy(facts, parseYAML(t, f.Data))
		case f.Name == "want":
			want = i
		case string(f.Data) == "missing\n":
			delete(files, f.Name)
		default:
			files[f.Name] = string(f.Data)
		}
	}
	if want < 0 {
		archive.Files = append(archive.Files, txtar.File{Name: "want"})
		want = len(archive.Files) - 1
	}
	p, ds := policy.Load(tree.MapOf(files))
	got := ""
	for _, d := range ds {
		got += d.String() + "\n"
	}
	f := decodeFacts(t, facts)
	risk := policy.DeriveRisk(p, f)
	got += fmt.Sprintf("risk %s, class %s\n", risk.Tier, risk.Class)
	got += strings.Join(policy.Judge(p, f).Lines(), "\n") + "\n"
	if *update {
		archive.Files[want].Data = []byte(got)
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(archive.Files[want].Data), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parseYAML(t testing.TB, data []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := yaml.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func baseFacts(t testing.TB) map[string]any {
	t.Helper()
	return parseYAML(t, readFile(t, "testdata/facts.yaml"))
}

// decodeFacts goes through JSON, so that scenarios also test the facts' JSON form.
func decodeFacts(t testing.TB, m map[string]any) policy.Facts {
	t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var f policy.Facts
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		t.Fatal(err)
	}
	return f
}
