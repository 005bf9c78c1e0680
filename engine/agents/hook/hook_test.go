package hook

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWrites: the file that a tool is about to write is found for each tool and nothing else.
func TestWrites(t *testing.T) {
	for event, want := range map[string]string{
		`{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Write","tool_input":{"file_path":"/p/a/../b.md","content":"x"}}`:                              "/p/a/../b.md",
		`{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Edit","tool_input":{"file_path":"c.md"}}`:                                                     "c.md",
		`{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"NotebookEdit","tool_input":{"notebook_path":"/p/n.ipynb"}}`:                                   "/p/n.ipynb",
		`{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Bash","tool_input":{"command":"ls"}}`:                                                         "",
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"mkdir -p 'a/b' && cat <<E >a/b/c.md; cp -r x/d ./e 2>&1 | tee $HOME/f"}}`: "a/b/ a/b/c.md ./e/ ./e/d/ ~/f",
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cp a.md b/c.md; cp a.md b; mv c .."}}`:                                    "b/c.md b/ b/a.md ../ ../c/",
		`{"hook_event_name":"PostToolUse","cwd":"/p","tool_input":{"file_path":"/p/a"}}`:                                                                       "",
		`{}`: "",
		// Codex: a patch, also in a command.
		`{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: a b.md\n+x\n*** Update File: c.md\r\n*** Move to: d.md\n*** Delete File: e.md\n*** End Patch"}}`: "a b.md c.md d.md e.md",
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"apply_patch <<'E'\n*** Begin Patch\n*** Delete File: c.md\n*** End Patch\nE"}}`:                                                        "c.md",
		// Gemini CLI: before the tool to refuse it, after it to say what has no effect.
		`{"hook_event_name":"BeforeTool","tool_name":"write_file","tool_input":{"file_path":"c.md"}}`: "c.md",
		`{"hook_event_name":"AfterTool","tool_name":"replace","tool_input":{"file_path":"c.md"}}`:     "c.md",
		`{"hook_event_name":"AfterTool","tool_name":"read_file","tool_input":{"file_path":"c.md"}}`:   "",
	} {
		e, err := Parse([]byte(event))
		if got := strings.Join(e.Writes(), " "); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", event, got, err, want)
		}
	}
}

// TestReads: after a tool, what it has read is found, also if its input is JSON in a string.
func TestReads(t *testing.T) {
	for event, want := range map[string][2]string{
		`{"hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{"file_path":"/p/SKILL.md"}}`:        {"/p/SKILL.md", ""},
		`{"hook_event_name":"PostToolUse","tool_name":"Skill","tool_input":"{\"skill\":\"a\",\"args\":\"\"}"}`: {"", "a"},
		`{"hook_event_name":"PreToolUse","tool_name":"Skill","tool_input":{"skill":"a"}}`:                      {"", ""},
		`{"hook_event_name":"AfterTool","tool_name":"activate_skill","tool_input":{"name":"a"}}`:               {"", "a"},
		`{"hook_event_name":"AfterTool","tool_name":"read_file","tool_input":{"file_path":"/p/SKILL.md"}}`:     {"/p/SKILL.md", ""},
		`{"hook_event_name":"AfterTool","tool_name":"write_file","tool_input":{"file_path":"/p/SKILL.md"}}`:    {"", ""},
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

// TestShown: in Codex, a command names the files of skills that it reads, and a prompt the skills whose text is added to it.
func TestShown(t *testing.T) {
	for event, want := range map[string]string{
		`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"sed -n '1,9p' '/p/a b/SKILL.md' ./c/SKILL.md;cat \"d/SKILL.md\"|tail"},"tool_response":"x"}`: "b/SKILL.md ./c/SKILL.md d/SKILL.md: x",
		`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cat a/SKILL.md"},"tool_response":{"stdout":"x"}}`:                                            ": ",
		`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"cat a/SKILL.md"}}`:                                                                           ": ",
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"cat a/SKILL.md"},"tool_response":"x"}`:                                                        ": ",
		`{"hook_event_name":"UserPromptSubmit","turn_id":"1","prompt":"use $a-b, $c and $D for $5"}`:                                                                               ": a-b c 5",
		`{"hook_event_name":"UserPromptSubmit","prompt":"use $a-b"}`:                                                                                                               ": ",
	} {
		e, err := Parse([]byte(event))
		files, output := e.Shown()
		if got := strings.Join(files, " ") + ": " + output + strings.Join(e.Mentions(), " "); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", event, got, err, want)
		}
	}
}

// TestWraps: a command that runs code around a capability has its name; what only mentions it, or calls it by
// assent, has none.
func TestWraps(t *testing.T) {
	for command, want := range map[string]string{
		`python3 -c "from parse_csv import main; main()"`:                                            "parse_csv main",
		"python3 - <<'E'\nimport subprocess\nsubprocess.run(['assent', 'run-tool', 'parse-csv'])\nE": "subprocess run-tool parse-csv",
		`cd x && python .claude/skills/text/slugify/scripts/main.py '{}'`:                            "slugify",
		`FOO=1 /usr/bin/node -e 'require("./skills/data/parse-csv/scripts/main.mjs")'`:               "parse-csv",
		`cat skills/data/parse-csv/scripts/main.py`:                                                  "",
		`assent run-tool parse-csv --input '{}'`:                                                     "",
		`grep -rn parse_csv . | head`:                                                                "",
		`git commit -m "run python on parse-csv"`:                                                    "parse-csv",
		`./mypython parse-csv`:                                                                       "",
		`python3 script.py`:                                                                          "",
	} {
		for _, head := range []string{`{"hook_event_name":"PreToolUse","tool_name":"Bash"`, `{"hook_event_name":"AfterTool","tool_name":"run_shell_command"`} {
			input, _ := json.Marshal(map[string]string{"command": command})
			e, err := Parse([]byte(head + `,"tool_input":` + string(input) + "}"))
			if got := strings.Join(e.Wraps(), " "); err != nil || got != want {
				t.Errorf("%s: %q, %v; want %q", command, got, err, want)
			}
		}
	}
	e := &Event{Name: PreToolUse, Tool: "Bash", Input: Input{Command: "python " + strings.Repeat("a-b c_d e-f ", 1<<20)}}
	if e.sent = e.Name; len(e.Wraps()) != 3 {
		t.Errorf("%q", e.Wraps())
	}
}

// TestGemini: its events have the answers of its own form, and a prompt only the person's part.
func TestGemini(t *testing.T) {
	e, err := Parse([]byte(`{"hook_event_name":"BeforeAgent","prompt":"<hook_context>You are scout</hook_context>\n\nclean it up"}`))
	if err != nil || e.Name != UserPromptSubmit || strings.TrimSpace(e.Asked()) != "clean it up" {
		t.Errorf("%+v, %v", e, err)
	}
	if out, err := e.Tell("x"); err != nil || !strings.Contains(string(out), `"hookEventName":"BeforeAgent"`) {
		t.Errorf("%s, %v", out, err)
	}
	if e, _ := Parse([]byte(`{"hook_event_name":"BeforeAgent","prompt":"` + lacked + ` What"}`)); e.Asked() != "" {
		t.Error("what a hook sent is taken for a prompt")
	}
	e, err = Parse([]byte(`{"hook_event_name":"BeforeTool"}`))
	if out, wrong := e.Deny("why"); err != nil || wrong != nil || string(out) != `{"decision":"deny","reason":"why"}` {
		t.Errorf("%s, %v", out, errors.Join(err, wrong))
	}
	e, err = Parse([]byte(`{"hook_event_name":"AfterAgent","prompt_response":"done"}`))
	if out, wrong := e.Continue("go on"); err != nil || wrong != nil || e.Last != "done" || string(out) != `{"decision":"block","reason":"go on"}` {
		t.Errorf("%+v %s, %v", e, out, errors.Join(err, wrong))
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
	f.Add([]byte(`{"hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"python -c 'import a_b'"}}`))
	f.Add([]byte(`{"tool_input":"text"}`))
	f.Add([]byte(`{"hook_event_name":"PostToolUse","tool_input":"{\"skill\":\"a\"}"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Parse(data)
		if err != nil {
			return
		}
		_, _ = e.Writes(), e.Wraps()
		_, _ = e.Reads()
		for _, make := range []func(string) ([]byte, error){e.Tell, e.Deny, e.Continue} {
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
