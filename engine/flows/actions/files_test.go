package actions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hmarr/codeowners"
	"gopkg.in/yaml.v3"

	"github.com/assent-dev/assent/engine/flows/actions"
)

const engine = "0123456789abcdef0123456789abcdef01234567"

// files are the generated files for a workspace of two people.
func files(t *testing.T) map[string]string {
	t.Helper()
	all, err := actions.Files(actions.Options{Engine: engine, Version: "1.2.3", Owners: []string{"ada", "bob-2"}, Guarded: []string{"engine"}, App: 77})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range all {
		out[f.Path] = string(f.Content)
	}
	return out
}

// repository are the workflows and actions of this repository.
func repository(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"action.yml", ".github/workflows/*.yml", ".github/actions/*/action.yml"} {
		found, err := filepath.Glob(filepath.Join("../../..", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		for _, file := range found {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out[strings.TrimPrefix(filepath.ToSlash(file), "../../../")] = string(text)
		}
	}
	return out
}

// all are both.
func all(t *testing.T) map[string]string {
	t.Helper()
	out := repository(t)
	for path, text := range files(t) {
		if strings.HasSuffix(path, ".yml") {
			out["init --github: "+path] = text
		}
	}
	return out
}

func TestRefusesWhatIsNoCommit(t *testing.T) {
	for _, engine := range []string{"", "main", "v1.2.3", "0123456", engine + "\n", strings.ToUpper(engine)} {
		if _, err := actions.Files(actions.Options{Engine: engine, Version: "1.2.3"}); err == nil {
			t.Errorf("%q is taken for a commit", engine)
		}
	}
	if _, err := actions.Files(actions.Options{Engine: engine, Version: "1\n - run: id"}); err == nil {
		t.Error("a version of two lines is taken")
	}
}

// step holds the tested fields of a step of a workflow or an action.
type step struct {
	Run  string            `yaml:"run"`
	Uses string            `yaml:"uses"`
	With map[string]string `yaml:"with"`
}

type document struct {
	Permissions any `yaml:"permissions"`
	On          any `yaml:"on"`
	Runs        struct{ Steps []step }
	Jobs        map[string]struct {
		Permissions map[string]string
		Steps       []step
	}
}

func parse(t *testing.T, path, text string) (document, []step) {
	t.Helper()
	var d document
	if err := yaml.Unmarshal([]byte(text), &d); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	steps := d.Runs.Steps
	for _, j := range d.Jobs {
		steps = append(steps, j.Steps...)
	}
	if len(steps) == 0 {
		t.Fatalf("%s has no steps", path)
	}
	return d, steps
}

// TestNothingOfAnEventIsRun: expressions in a script are replaced before a shell reads it,
// so a title could become code. Values must come through the environment.
func TestNothingOfAnEventIsRun(t *testing.T) {
	for path, text := range all(t) {
		_, steps := parse(t, path, text)
		for _, s := range steps {
			if strings.Contains(s.Run, "${{") {
				t.Errorf("%s: an expression stands in what is run: %s", path, s.Run)
			}
		}
	}
}

// names is a line that names an action.
var names = regexp.MustCompile(`^\s*(- )?uses:`)

// pinned is an action named by its full commit, with the version beside it.
var pinned = regexp.MustCompile(`^\s*(- )?uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

func TestActionsArePinned(t *testing.T) {
	for path, text := range all(t) {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			if names.MatchString(line) && !strings.Contains(line, "uses: ./") && !pinned.MatchString(line) {
				t.Errorf("%s: %s", path, line)
			}
		}
	}
}

// TestLeastRights: jobs on a pull request have read permission only, every writing step has
// its own job, and no checkout keeps a token.
func TestLeastRights(t *testing.T) {
	for path, text := range all(t) {
		d, steps := parse(t, path, text)
		for _, s := range steps {
			if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false" {
				t.Errorf("%s: a checkout keeps the token", path)
			}
		}
		if strings.Contains(text, "pull_request_target") {
			t.Errorf("%s runs with rights on what others push", path)
		}
		if len(d.Jobs) == 0 {
			continue
		}
		rights, ok := d.Permissions.(map[string]any)
		if !ok {
			t.Errorf("%s does not say which rights it has", path)
		}
		for right, level := range rights {
			if right != "contents" || level != "read" {
				t.Errorf("%s has, in all jobs, %s: %v", path, right, level)
			}
		}
		events, _ := d.On.(map[string]any)
		_, pull := events["pull_request"]
		push, _ := events["push"].(map[string]any)
		if !pull && push["branches"] == nil || strings.Contains(fmt.Sprint(push["branches"]), "main") {
			continue // files of main were checked already
		}
		for name, j := range d.Jobs {
			for right, level := range j.Permissions {
				if level != "read" {
					t.Errorf("%s, %s: a branch's own run has %s: %s", path, name, right, level)
				}
			}
		}
	}
}

// TestOwnWorkflows: this repository uses the same workflows, with the engine of the base
// instead of a released one. It is no workspace with its own proposals, so it has no inbox
// and no passes.
func TestOwnWorkflows(t *testing.T) {
	const checkout = "      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0\n        with:\n"
	ours := repository(t)
	for path, text := range files(t) {
		if !strings.HasPrefix(path, ".github/workflows/") || strings.HasSuffix(path, "/inbox.yml") || strings.HasSuffix(path, "/schedule.yml") {
			continue
		}
		ref := ""
		if strings.HasSuffix(path, "/proposal.yml") {
			ref = "          ref: ${{ github.event.merge_group.base_sha || github.base_ref }}\n"
		}
		text = regexp.MustCompile(`      - uses: assent-dev/assent(\S*)@`+engine+` # v1\.2\.3\n`).ReplaceAllString(text,
			strings.ReplaceAll(checkout+ref, "$", "$$")+"          persist-credentials: false\n      - uses: .${1}/\n")
		text = strings.ReplaceAll(text, "/engine/\n", "/engine\n")
		if diff := cmp.Diff(text, ours[path]); diff != "" {
			t.Errorf("%s is not what init --github writes, with the base's engine (-want +is):\n%s", path, diff)
		}
	}
}

// TestLint runs actionlint on the files of init --github; ASSENT_TEST_ACTIONLINT is the
// program. .ci/run checks the repository's own files.
func TestLint(t *testing.T) {
	program := os.Getenv("ASSENT_TEST_ACTIONLINT")
	if program == "" {
		t.Skip("ASSENT_TEST_ACTIONLINT does not name actionlint")
	}
	dir := t.TempDir()
	args := []string{"-no-color"}
	for path, text := range files(t) {
		if strings.HasPrefix(path, ".github/workflows/") {
			file := filepath.Join(dir, filepath.Base(path))
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(args, file)
		}
	}
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestCodeOwners(t *testing.T) {
	rules, err := codeowners.ParseFile(strings.NewReader(files(t)[actions.CodeOwnersFile]))
	if err != nil {
		t.Fatal(err)
	}
	for path, guarded := range map[string]bool{
		"policies/roles.yaml": true, ".github/workflows/report.yml": true, "soul/scout/SOUL.md": true, "workflows/merge.yaml": true, "engine/gate/gate.go": true,
		"skills/a/SKILL.md": false, "README.md": false, "skills/policies/SKILL.md": false,
	} {
		rule, err := rules.Match(path)
		if err != nil {
			t.Fatal(err)
		}
		if (rule != nil) != guarded {
			t.Errorf("%s: %v", path, rule)
		}
		if rule != nil && (len(rule.Owners) != 2 || rule.Owners[0].Value != "ada" || rule.Owners[1].Value != "bob-2") {
			t.Errorf("%s belongs to %v", path, rule.Owners)
		}
	}
	nobody, err := actions.Files(actions.Options{Engine: engine, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range nobody {
		if f.Path == actions.CodeOwnersFile {
			t.Error("a file of code owners without any")
		}
	}
}

func TestAccounts(t *testing.T) {
	for name, is := range map[string]bool{
		"ada": true, "Ada-2": true, "": false, "-ada": false, "ada-": false, "a--b": false, "ada\n* @eve": false, "ada eve": false, "org/team": false,
		strings.Repeat("a", 39): true, strings.Repeat("a", 40): false,
	} {
		if actions.IsAccount(name) != is {
			t.Errorf("%q is an account: %v", name, !is)
		}
	}
}

// TestRuleset holds the file against the form of GitHub's API.
func TestRuleset(t *testing.T) {
	type rule struct {
		Type       string         `json:"type"`
		Parameters map[string]any `json:"parameters"`
	}
	var r struct {
		Name        string           `json:"name"`
		Target      string           `json:"target"`
		Enforcement string           `json:"enforcement"`
		Bypass      []map[string]any `json:"bypass_actors"`
		Conditions  map[string]any   `json:"conditions"`
		Rules       []rule           `json:"rules"`
	}
	dec := json.NewDecoder(strings.NewReader(files(t)[actions.RulesetFile]))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, rule := range r.Rules {
		types = append(types, rule.Type)
		if rule.Type == "required_status_checks" {
			want := []any{map[string]any{"context": "assent", "integration_id": 77.0}}
			if diff := cmp.Diff(want, rule.Parameters["required_status_checks"]); diff != "" {
				t.Errorf("-want +is:\n%s", diff)
			}
		}
	}
	if diff := cmp.Diff([]string{"deletion", "non_fast_forward", "pull_request", "required_status_checks"}, types); diff != "" {
		t.Errorf("-want +is:\n%s", diff)
	}
	if diff := cmp.Diff([]map[string]any{{"actor_id": 77.0, "actor_type": "Integration", "bypass_mode": "always"}}, r.Bypass); diff != "" {
		t.Errorf("-want +is:\n%s", diff)
	}
	if r.Enforcement != "active" || r.Target != "branch" {
		t.Errorf("%s of %s", r.Enforcement, r.Target)
	}
	plain, err := actions.Files(actions.Options{Engine: engine, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range plain {
		if f.Path == actions.RulesetFile && (!bytes.Contains(f.Content, []byte(`"integration_id": 15368`)) || !bytes.Contains(f.Content, []byte(`"bypass_actors": []`))) {
			t.Errorf("without an App: %s", f.Content)
		}
	}
}
