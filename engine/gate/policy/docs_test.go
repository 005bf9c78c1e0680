package policy_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/condition"
	"github.com/assent-dev/assent/engine/gate/policy"
)

const (
	policiesPage = "../../../docs/policies.md"
	factsBegin   = "<!-- The tables up to the next such mark are written by: go test ./engine/gate/policy -run Documented -update -->\n"
	factsEnd     = "<!-- Written by people again. -->\n"
)

// TestFactsAreDocumented holds the tables of docs/policies.md to the code.
func TestFactsAreDocumented(t *testing.T) {
	page := string(readFile(t, policiesPage))
	before, rest, begun := strings.Cut(page, factsBegin)
	have, after, ended := strings.Cut(rest, factsEnd)
	if !begun || !ended {
		t.Fatal("docs/policies.md has no place for the tables")
	}
	want := factTables()
	if *update {
		if err := os.WriteFile(policiesPage, []byte(before+factsBegin+want+factsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have != want {
		t.Error("the tables of docs/policies.md are not those of the code: go test ./engine/gate/policy -run Documented -update")
	}
}

func factTables() string {
	var b strings.Builder
	b.WriteString("\n### Facts\n\n| fact | type | what it is |\n| --- | --- | --- |\n")
	for _, f := range policy.FactNames() {
		b.WriteString(factRow(f))
	}
	for _, o := range policy.FactObjects() {
		fmt.Fprintf(&b, "\n### %s\n\n| field | type | what it is |\n| --- | --- | --- |\n", o.Name)
		for _, f := range o.Fields {
			b.WriteString(factRow(f))
		}
	}
	b.WriteString("\n### Functions\n\n| function | what it says |\n| --- | --- |\n")
	for _, f := range policy.Functions() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.Usage, f.Doc)
	}
	return b.String() + "\n"
}

func factRow(f condition.Fact) string {
	doc := f.Doc
	var words []string
	for _, v := range f.Values {
		if v != "" {
			words = append(words, "`"+v+"`")
		}
	}
	if len(words) > 0 {
		doc += " " + strings.Join(words, ", ") + "."
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", f.Name, f.Type, doc)
}

// Every fact has a value for the facts of any proposal, of the type that is said.
func TestEveryFactHasAValue(t *testing.T) {
	p := testPolicies(t, policy.Assisted)
	for _, f := range []policy.Facts{{}, decodeFacts(t, baseFacts(t))} {
		values := policy.Known(p, f)
		for _, fact := range policy.FactNames() {
			if values[fact.Name] == nil {
				t.Errorf("%s has no value", fact.Name)
			}
		}
	}
}
