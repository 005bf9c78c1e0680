package serve

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/serve.md has exactly one row for each of our metrics.
func TestEveryMetricIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	all, _ := exported(t)
	var have, told []string
	for _, name := range all {
		if strings.HasPrefix(name, "assent_") {
			have = append(have, name)
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `(assent_[a-z_]+)`").FindAllSubmatch(text, -1) {
		told = append(told, string(row[1]))
	}
	slices.Sort(have)
	slices.Sort(told)
	if !slices.Equal(have, told) {
		t.Errorf("there are %v, docs/serve.md tells of %v", have, told)
	}
}
