package hook

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWrites: the file that a tool is about to write is found for each tool and nothing else.
func TestWrites(t *testing.T) {
	for event, want := range map[string]string{
		`{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Write","tool_input":{"file_path":"/p/a/../b.md","content":"x"}}`: "/p/a/../b.md",
		`{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Edit","tool_input":{"file_path":"c.md"}}`:                        "c.md",
		`{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"NotebookEdit","tool_input":{"notebook_path":"/p/n.ipynb"}}`:      "/p/n.ipynb",
		`{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Bash","tool_input":{"command":"ls"}}`:                            "",
		`{"hook_event_name":"PostToolUse","cwd":"/p","tool_input":{"file_path":"/p/a"}}`:                                          "",
		`{}`: "",
	} {
		e, err := Parse([]byte(event))
		if err != nil || e.Writes() != want {
			t.Errorf("%s: %q, %v; want %q", event, e.Writes(), err, want)
		}
	}
}

// TestReads: after a tool, what it has read is found, also if its input is JSON in a string.
func TestReads(t *testing.T) {
	for event, want := range map[string][2]string{
		`{"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"/p/SKILL.md"}}`:        {"/p/SKILL.md", ""},
		`{"hook_event_name":"PostToolUse","tool_name":"Skill","tool_input":"{\"skill\":\"a\",\"args\":\"\"}"}`: {"", "a"},
		`{"hook_event_name":"PreToolUse","tool_name":"Skill","tool_input":{"skill":"a"}}`:                      {"", ""},
	} {
		e, err := Parse([]byte(event))
		if file, skill := e.Reads(); err != nil || file != want[0] || skill != want[1] {
			t.Errorf("%s: %q, %q, %v; want %q", event, file, skill, err, want)
		}
	}
	if _, err := Parse([]byte(`{"tool_input":"no JSON"}`)); err == nil {
		t.Error("an input that is no JSON is read")
	}
}

// TestSuggest: any number of long descriptions fits a few lines.
func TestSuggest(t *testing.T) {
	if got := Suggest(nil); got != "" {
		t.Errorf("%q", got)
	}
	many := make([]Suggestion, 50)
	for i := range many {
		many[i] = Suggestion{Name: "a", Kind: "skill", Use: "load", Description: strings.Repeat("ä\n", 5000)}
	}
	got := Suggest(many)
	if lines := strings.Count(got, "\n"); lines > maxSuggested+1 || utf8.RuneCountInString(got) > (maxSuggested+1)*(maxDescribed+40) {
		t.Errorf("%d lines, %d characters", lines, utf8.RuneCountInString(got))
	}
}

// FuzzParse: no event makes the program fail, and every answer is JSON that names the event.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"SessionStart","source":"startup","later":{"a":[1]}}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(`{"tool_input":"text"}`))
	f.Add([]byte(`{"hook_event_name":"PostToolUse","tool_input":"{\"skill\":\"a\"}"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Parse(data)
		if err != nil {
			return
		}
		_ = e.Writes()
		_, _ = e.Reads()
		for _, make := range []func(string) ([]byte, error){e.Tell, e.Deny} {
			out, err := make("text")
			if err != nil || !json.Valid(out) {
				t.Errorf("%q: %s, %v", data, out, err)
			}
		}
	})
}

// TestStart: an identity of any length leaves room for the news.
func TestStart(t *testing.T) {
	for _, soul := range []string{"", "# Scout\n", strings.Repeat("Be kind to every ship – always.\n", 2000), strings.Repeat("ä", 20000)} {
		out := Start("scout", soul, []string{"2 skills are in force."})
		if n := utf8.RuneCountInString(out); n > maxContext || !strings.Contains(out, "2 skills are in force.") {
			t.Errorf("%d characters:\n%.200s", n, out)
		}
		many := Start("scout", soul, slices.Repeat([]string{"2 skills are in force.", strings.Repeat("x", 900)}, 500))
		if n := utf8.RuneCountInString(many); n > maxContext || len(soul) > 20000 && n < maxContext-200 || !strings.Contains(many, strings.TrimSpace(soul)[:min(2000, len(strings.TrimSpace(soul)))]) || !strings.Contains(many, "more; the tool status") {
			t.Errorf("many news leave %d characters:\n%.200s", n, many)
		}
		if len(soul) < 100 && !strings.Contains(out, strings.TrimSpace(soul)) {
			t.Errorf("the identity is missing: %s", out)
		}
	}
}

// TestContinued: only a turn that certainly did not go on for a hook is answered at its end.
func TestContinued(t *testing.T) {
	for active, want := range map[string]bool{
		"": false, "false": false, `"false"`: false, "null": false, "true": true, `"true"`: true, `"${stop_hook_active}"`: true, "1": true,
	} {
		text := `{"hook_event_name":"Stop","stop_hook_active":` + active + `}`
		if active == "" {
			text = `{"hook_event_name":"Stop"}`
		}
		if e, err := Parse([]byte(text)); err != nil || e.Continued() != want {
			t.Errorf("%s: %t, %v", active, e.Continued(), err)
		}
	}
}

// TestLacks: any number of long lines stays within bounds that the caller can reckon with.
func TestLacks(t *testing.T) {
	got := Lacks([]string{strings.Repeat("ä", 5000), "short"})
	if n := utf8.RuneCountInString(got); n > 600 || !strings.Contains(got, "- short\n") {
		t.Errorf("%d characters: %s", n, got)
	}
}
