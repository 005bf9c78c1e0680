package drafter_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/drafter"
)

// TestRead: an answer has exactly the requested form, and only files that a draft may
// write.
func TestRead(t *testing.T) {
	const dir = "skills/data/greet"
	one := func(path string) string {
		quoted, err := json.Marshal(path)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"files": [{"path": %s, "content": "x"}]}`, quoted)
	}
	many := strings.Repeat(`{"path": "scripts/a", "content": ""},`, 64)
	for answer, want := range map[string]string{
		one("scripts/main.star"):                 "",
		one("SKILL.md"):                          "",
		one("capability.yaml"):                   "",
		one("tests.yaml"):                        "",
		one("references/more.md"):                "",
		one("assets/deep/er/x.json"):             "",
		"":                                       "drafter-answer",
		"null":                                   "has 0 files",
		"[]":                                     "drafter-answer",
		"Certainly!":                             "drafter-answer",
		"```json\n" + one("scripts/a") + "\n```": "drafter-answer",
		`{"files": []}`:                          "has 0 files",
		`{"files": [` + many + `{"path": "b"}]}`: "has 65 files",
		`{"files": [{"path": "a", "mode": "755"}]}`:                 `unknown field "mode"`,
		`{"files": [{"path": 7}]}`:                                  "drafter-answer",
		one("scripts/a") + "{}":                                     "text follows it",
		strings.Repeat("x", drafter.MaxAnswer+1):                    "more than 1048576 bytes",
		`{"files": [{"path": "scripts/a"}, {"path": "scripts/A"}]}`: "twice",
		one(""):                             "outside of",
		one("."):                            "outside of",
		one("../other/SKILL.md"):            "outside of",
		one("scripts/../../other/SKILL.md"): "outside of",
		one("scripts/./main.star"):          "outside of",
		one("/etc/passwd"):                  "outside of",
		one("scripts//a"):                   "outside of",
		one("C:/x"):                         "none of the files",
		one(`scripts\..\..\x`):              "none of the files",
		one(`scripts/a\..\..\x`):            "path-",
		one("scripts/a\x00b"):               "path-",
		one("scripts/a\u202eb"):             "path-",
		one("scripts/con"):                  "path-",
		one("scripts/.git/config"):          "path-",
		one("skill.md"):                     "none of the files",
		one("AGENT.md"):                     "none of the files",
		one("server.json"):                  "none of the files",
		one("evals/evals.json"):             "none of the files",
		one("policies/roles.yaml"):          "none of the files",
		one("scripts"):                      "none of the files",
		one("package.json"):                 "declares packages",
		one("scripts/Package.json"):         "declares packages",
		one("scripts/node_modules/x/a.js"):  "declares packages",
		one("references/requirements.txt"):  "declares packages",
		`{"files": [{"path": "scripts/a"}, {"path": "../b"}]}`: "outside of",
	} {
		edits, found := drafter.Read([]byte(answer), dir)
		said := ""
		for _, d := range found {
			said += d.String() + "\n"
		}
		if !strings.Contains(said, want) || want == "" && said != "" || found.HasErrors() && edits != nil {
			t.Errorf("%.80s: %q is missing in %q, %d edits", answer, want, said, len(edits))
		}
		for _, e := range edits {
			if !strings.HasPrefix(e.Path, dir+"/") {
				t.Errorf("%.80s: it writes %s", answer, e.Path)
			}
		}
	}
}
