package scan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/diag"
)

// TestSkills judges the whole skills below bench/scan/testdata: a malicious one
// must at least be shown to a person, a benign one must not be blocked, and no
// more than one in ten may need a look. Subtle ones are harm that no rule here can tell
// from a choice, such as an edited default: the log has how many are shown.
func TestSkills(t *testing.T) {
	names, err := filepath.Glob("../../bench/scan/testdata/skills/*.txtar")
	if err != nil || len(names) < 40 {
		t.Fatalf("%d skills (%v)", len(names), err)
	}
	shown, benign, subtle, noticed := 0, 0, 0, 0
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := parseFixture(t, data)
		for i := range f.head {
			f.head[i].Path = "skills/it/" + f.head[i].Path
		}
		found := Files(f.head, Options{})
		alarmed := found.HasErrors() || found.Count(diag.Warning) > 0
		switch {
		case strings.Contains(name, "-subtle-"):
			if subtle++; alarmed {
				noticed++
			}
		case strings.Contains(name, "malicious"):
			if !alarmed {
				t.Errorf("%s: nothing is found", filepath.Base(name))
			}
		case found.HasErrors():
			t.Errorf("%s is blocked: %v", filepath.Base(name), found)
		default:
			if benign++; alarmed {
				shown++
			}
		}
	}
	t.Logf("%d of %d subtle ones are shown, and %d of %d benign ones", noticed, subtle, shown, benign)
	if 10*shown > benign {
		t.Errorf("%d of %d benign skills need a look", shown, benign)
	}
}
