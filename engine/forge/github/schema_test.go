package github

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// schemaPackage holds GitHub's published GraphQL schema, pinned like openAPIPackage.
const schemaPackage = "@octokit/graphql-schema@15.26.1"

// TestGraphQLSchema: GitHub's published schema declares every field that the client
// requests and that the test server accepts.
func TestGraphQLSchema(t *testing.T) {
	needNPX(t)
	dir := t.TempDir()
	cmd := exec.Command("npm", "pack", "--silent", schemaPackage)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	packed, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(packed) != 1 {
		t.Fatal(packed, err)
	}
	text, err := fromArchive(packed[0], "package/schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	schema := string(text)
	for _, m := range mutations {
		declared := fieldsOf(t, schema, "input "+m.input)
		for _, f := range m.fields {
			if !slices.Contains(declared, f) {
				t.Errorf("%s has no %s, only %v", m.input, f, declared)
			}
		}
		if !slices.Contains(fieldsOf(t, schema, "type Mutation"), m.name) {
			t.Errorf("there is no mutation %s", m.name)
		}
	}
	declared := fieldsOf(t, schema, "type PullRequest")
	_, asked, _ := strings.Cut(laterQuery, "pullRequest(number: $number) {")
	for _, f := range regexp.MustCompile(`\w+`).FindAllString(strings.ReplaceAll(asked, "{ enabledAt }", ""), -1) {
		if !slices.Contains(declared, f) {
			t.Errorf("a pull request has no %s", f)
		}
	}
	if !slices.Contains(fieldsOf(t, schema, "type AutoMergeRequest"), "enabledAt") {
		t.Error("auto-merge has no enabledAt")
	}
}

// fieldsOf returns the fields of one declaration.
func fieldsOf(t *testing.T, schema, declaration string) []string {
	t.Helper()
	begin := regexp.MustCompile(`(?m)^` + declaration + `\b[^{]*\{$`).FindStringIndex(schema)
	if begin == nil {
		t.Fatalf("the schema has no %s", declaration)
	}
	body, _, _ := strings.Cut(schema[begin[1]:], "\n}\n")
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^  (\w+)(?:\(|:)`).FindAllStringSubmatch(body, -1) {
		out = append(out, m[1])
	}
	return out
}
