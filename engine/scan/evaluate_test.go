package scan

import (
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/tree"
)

// TestEvaluate prints how many of the folders in ASSENT_SCAN_EVAL block,
// escalate and pass, with Wilson's 95 % interval, and which rules fired. The
// variable holds paths of the form [label=]dir, joined like PATH. A folder is
// one skill if it holds a SKILL.md or a hidden client folder; otherwise its
// sub-folders are tried. With ASSENT_SCAN_LIST=1 each finding is listed.
func TestEvaluate(t *testing.T) {
	sets := filepath.SplitList(os.Getenv("ASSENT_SCAN_EVAL"))
	if len(sets) == 0 {
		t.Skip("ASSENT_SCAN_EVAL names no folders to evaluate on")
	}
	for _, set := range sets {
		label, dir, ok := strings.Cut(set, "=")
		if !ok {
			label, dir = filepath.Base(set), set
		}
		evaluateSet(t, label, dir)
	}
}

func evaluateSet(t *testing.T, label, dir string) {
	t.Helper()
	counts := map[string]int{}
	rules := map[string]int{}
	skills := findSkills(t, dir)
	for _, skill := range skills {
		found := Files(readSkill(t, skill), Options{})
		counts[outcome(found)]++
		seen := map[string]bool{}
		for _, f := range found {
			if key := fmt.Sprintf("%-8s %s", f.Severity, f.Rule); !seen[key] {
				seen[key] = true
				rules[key]++
			}
			if os.Getenv("ASSENT_SCAN_LIST") != "" && f.Severity <= diag.Warning {
				t.Logf("%s: %s: %s | %s", label, skill, f, f.Evidence)
			}
		}
	}
	for _, o := range []string{"block", "escalate", "pass"} {
		low, high := wilson(counts[o], len(skills))
		t.Logf("%-12s %-9s %4d of %4d  %5.1f %%  [%.1f, %.1f]", label, o, counts[o], len(skills), 100*float64(counts[o])/float64(max(1, len(skills))), 100*low, 100*high)
	}
	for _, key := range slices.Sorted(maps.Keys(rules)) {
		t.Logf("%-12s   %s: %d", label, key, rules[key])
	}
}

func outcome(found diag.List) string {
	switch {
	case found.HasErrors():
		return "block"
	case found.Count(diag.Warning) > 0:
		return "escalate"
	default:
		return "pass"
	}
}

// wilson is the score interval of a proportion at 95 % (Wilson 1927).
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	mid := p + z*z/(2*m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, (mid-half)/(1+z*z/m)), min(1, (mid+half)/(1+z*z/m))
}

func findSkills(t *testing.T, dir string) []string {
	t.Helper()
	var skills []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if name == "skill.md" || strings.HasPrefix(name, ".claude") || strings.HasPrefix(name, ".openclaw") || name == ".mcp.json" {
			return []string{dir}
		}
	}
	for _, e := range entries {
		if e.IsDir() {
			skills = append(skills, findSkills(t, filepath.Join(dir, e.Name()))...)
		}
	}
	return skills
}

func readSkill(t *testing.T, dir string) []File {
	t.Helper()
	var files []File
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		files = append(files, File{Path: "skills/" + filepath.Base(dir) + "/" + filepath.ToSlash(rel), Mode: tree.Regular, Content: content})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
