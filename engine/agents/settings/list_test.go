package settings

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var item = Item{
	Path: []string{"hooks", "Start"}, Value: map[string]any{"run": "assent hook"},
	Own: func(v json.RawMessage) bool { return strings.Contains(string(v), "assent ") },
}

// TestItem: an item joins a list in the file's own style, is replaced in place, and leaves the file as
// it was.
func TestItem(t *testing.T) {
	const added = `{"run":"assent hook"}`
	for name, c := range map[string]struct{ src, want string }{
		"no file":       {"\x00", "{\n  \"hooks\": {\n    \"Start\": [\n      {\n        \"run\": \"assent hook\"\n      }\n    ]\n  }\n}\n"},
		"no list":       {`{"a": 1}`, `{"a": 1, "hooks": {"Start":[` + added + `]}}`},
		"another event": {`{"hooks": {"End": []}}`, `{"hooks": {"End": [], "Start": [` + added + `]}}`},
		"one line":      {`{"hooks": {"Start": [{"run": "x"}]}}`, `{"hooks": {"Start": [{"run": "x"}, ` + added + `]}}`},
		"lines": {
			"{\n  \"hooks\": {\n    \"Start\": [\n      {\"run\": \"x\"}\n    ]\n  }\n}\n",
			"{\n  \"hooks\": {\n    \"Start\": [\n      {\"run\": \"x\"},\n      {\n        \"run\": \"assent hook\"\n      }\n    ]\n  }\n}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			src := []byte(c.src)
			if c.src == "\x00" {
				src = nil
			}
			out, made, err := item.Set(src)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(out)); diff != "" || !json.Valid(out) {
				t.Error(diff)
			}
			again, nothing, err := item.Set(out)
			if err != nil || !bytes.Equal(again, out) || nothing != (Added{}) {
				t.Errorf("set again: %v %+v\n%s", err, nothing, again)
			}
			back, err := item.Remove(out, made)
			if err != nil || !bytes.Equal(back, src) || (back == nil) != (src == nil) {
				t.Errorf("removed: %v\n%q", err, back)
			}
		})
	}
	for _, c := range [][2]string{
		{`{"hooks": {"Start": [{"run": "assent old"}, {"run": "x"}]}}`, `{"hooks": {"Start": [` + added + `, {"run": "x"}]}}`},
		{`{"hooks": {"Start": []}}`, `{"hooks": {"Start": [` + added + `]}}`},
	} {
		if out, _, err := item.Set([]byte(c[0])); err != nil || string(out) != c[1] {
			t.Errorf("%v\n%s\nwant %s", err, out, c[1])
		}
	}
	if out, err := item.Remove([]byte(`{"hooks": {"Start": [{"run": "assent old"}, {"run": "x"}]}}`), Added{}); err != nil || string(out) != `{"hooks": {"Start": [{"run": "x"}]}}` {
		t.Errorf("%v\n%s", err, out)
	}
	for _, bad := range []string{`{"hooks": {"Start": {}}}`, `{"hooks": []}`, `{"hooks": {"Start": [1 2]}}`, `{"hooks": {"Start": [`, "{\"hooks\": {\"Start\": [\n// mine\n]}}"} {
		if _, _, err := item.Set([]byte(bad)); err == nil {
			t.Errorf("%s is edited", bad)
		}
	}
}

// TestItemShared: what others put beside the own element of a list within an item stays.
func TestItemShared(t *testing.T) {
	own := item
	own.In, own.Value = "runs", map[string]any{"of": "x", "runs": []string{"assent hook"}}
	for _, c := range []struct{ src, set, after string }{
		{`{"hooks": {"Start": [{"of": "x", "runs": ["assent hook", "mine"]}]}}`, "", `{"hooks": {"Start": [{"of": "x", "runs": ["mine"]}]}}`},
		{`{"hooks": {"Start": [{"of": "x", "runs": ["mine", "assent hook", "more"]}]}}`, "", `{"hooks": {"Start": [{"of": "x", "runs": ["mine", "more"]}]}}`},
		{
			`{"hooks": {"Start": [{"of": "y", "runs": ["mine", "assent hook"], "z": 1}]}}`,
			`{"hooks": {"Start": [{"of": "y", "runs": ["mine"], "z": 1}, {"of":"x","runs":["assent hook"]}]}}`,
			`{"hooks": {"Start": [{"of": "y", "runs": ["mine"], "z": 1}]}}`,
		},
		{`{"hooks": {"Start": [{"runs": ["assent old"]}]}}`, `{"hooks": {"Start": [{"of":"x","runs":["assent hook"]}]}}`, `{"hooks": {}}`},
		{
			`{"hooks": {"Start": [1, {}, {"runs": 1}, {"why": "assent hook", "runs": ["mine"]}]}}`,
			`{"hooks": {"Start": [1, {}, {"runs": 1}, {"why": "assent hook", "runs": ["mine"]}, {"of":"x","runs":["assent hook"]}]}}`,
			`{"hooks": {"Start": [1, {}, {"runs": 1}, {"why": "assent hook", "runs": ["mine"]}]}}`,
		},
	} {
		if c.set == "" {
			c.set = c.src
		}
		out, _, err := own.Set([]byte(c.src))
		if err != nil || string(out) != c.set {
			t.Errorf("%v\n%s\nwant %s", err, out, c.set)
		}
		for _, src := range []string{c.src, c.set} {
			if back, err := own.Remove([]byte(src), Added{}); err != nil || string(back) != c.after {
				t.Errorf("removed: %v\n%s\nwant %s", err, back, c.after)
			}
		}
	}
}
