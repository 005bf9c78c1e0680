package capability_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
)

func TestAddCase(t *testing.T) {
	c := capability.NewCase{Name: "it failed", Input: map[string]any{"text": "a\n\n b"}, Expect: map[string]any{"equals": map[string]any{"n": int64(1)}},
		Tags: []string{capability.TagRegression}, Reason: "KeyError: 'n' # and more"}
	for what, tc := range map[string]struct{ src, fails string }{
		"none":                {"", ""},
		"two spaces":          {"# kept\ncases:\n  - name: a\n    expect: {exit: 0} # this too\n\n\n", ""},
		"at the margin":       {"cases:\n- name: a\n  expect: {exit: 0}", ""},
		"four spaces":         {"cases:\n    - name: a\n      expect: {exit: 0}\n# the end\n", ""},
		"a flow of cases":     {"cases: [{name: a, expect: {exit: 0}}]\n", "block list"},
		"the same test":       {"cases:\n  - name: a\n    input: {text: \"a\\n\\n b\"}\n    expect: {equals: {n: 1}}\n", `"a" tests that already`},
		"cases in flow style": {"cases:\n  - {name: a, expect: {exit: 0}}\n", ""},
	} {
		var src []byte
		if tc.src != "" {
			src = []byte(tc.src)
		}
		out, found, err := capability.AddCase("skills/x/tests.yaml", src, c)
		if tc.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("%s: %v\n%s", what, err, out)
			}
			continue
		}
		s, more := capability.ParseSuite("skills/x/tests.yaml", out)
		if err != nil || found.HasErrors() || more.HasErrors() || !strings.HasPrefix(string(out), strings.TrimRight(tc.src, "\n")) {
			t.Errorf("%s: %v %v %v\n%s", what, err, found, more, out)
			continue
		}
		last := s.Cases[len(s.Cases)-1]
		if last.Name != c.Name || last.Reason != c.Reason || !last.HasTag(capability.TagRegression) || last.Input.(map[string]any)["text"] != "a\n\n b" {
			t.Errorf("%s: %+v", what, last)
		}
	}
	if _, found, err := capability.AddCase("skills/x/tests.yaml", []byte("cases:\n  - name: it failed\n    expect: {exit: 0}\n"), c); err != nil || !found.HasErrors() {
		t.Errorf("a name that is taken: %v %v", found, err)
	}
}
