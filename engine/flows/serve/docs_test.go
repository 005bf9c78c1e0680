package serve

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// docs/serve.md has exactly one row for each of our metrics.
func TestEveryMetricIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	m := newMetrics()
	m.ended(Outcome{}, 0, time.Time{}, time.Time{})
	m.actions.WithLabelValues("merge", "merged")
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var have, told []string
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), "assent_") {
			have = append(have, f.GetName())
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
