package transcript_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/assent-dev/assent/engine/agents/transcript"
	"github.com/assent-dev/assent/engine/registry/gaps"
)

func read(t *testing.T, in string) ([]gaps.Event, transcript.Summary) {
	t.Helper()
	var out []gaps.Event
	s, err := transcript.Read(strings.NewReader(in), func(e gaps.Event) { out = append(out, e) })
	if err != nil {
		t.Fatal(err)
	}
	return out, s
}

// shown is an event as the fixture writes it.
func shown(e gaps.Event) string {
	switch {
	case e.Asked:
		return "asked"
	case e.Call == nil:
		return fmt.Sprintf("said %q", strings.TrimSpace(e.Words))
	}
	input := e.Call.Input
	if !strings.HasPrefix(input, "{") {
		input = fmt.Sprintf("%q", input)
	}
	if !e.Call.Failed {
		return fmt.Sprintf("call %s %s ok", e.Call.Tool, input)
	}
	first, _, _ := strings.Cut(e.Call.Output, "{") // the error of a Gemini hook follows the text
	lines := strings.Split(strings.TrimSpace(first), "\n")
	return fmt.Sprintf("call %s %s failed %q", e.Call.Tool, input, lines[len(lines)-1])
}

// TestForms: each client's form gives the same events; what others wrote gives none.
func TestForms(t *testing.T) {
	fixture, err := txtar.ParseFile("testdata/forms.txtar")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(fixture.Files[0].Data)), "\n")
	for _, f := range fixture.Files[1:] {
		events, s := read(t, string(f.Data))
		var got []string
		for _, e := range events {
			line := strings.ReplaceAll(shown(e), "command_execution", "Bash")
			got = append(got, line)
		}
		want := slices.Clone(want)
		switch f.Name {
		case "text": // it has no calls
			want = slices.DeleteFunc(want, func(line string) bool { return strings.HasPrefix(line, "call") })
		case "codex-exec": // it has no prompts
			want = want[1:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s\nwant %s", f.Name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if form, _, _ := strings.Cut(f.Name, "-e"); !strings.HasPrefix(form, string(s.Form)) || s.Form == "" || s.DamagedLines > 0 {
			t.Errorf("%s: read as %q, %+v", f.Name, s.Form, s.Damaged)
		}
	}
}

// TestSpent: tokens count once, whether messages, turns or the session report them; false ones count for little.
func TestSpent(t *testing.T) {
	message := func(id string, in, out int) string {
		return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"role":"assistant","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":%d,"cache_read_input_tokens":5,"output_tokens":%d}}}`, id, in, out)
	}
	result := `{"type":"result","result":"I would need an MCP for Jira.","total_cost_usd":0.25,"usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":30,"output_tokens":40}}`
	total := `{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":%d}}}}`
	for _, c := range []struct {
		lines    []string
		tokens   int64
		cost     float64
		messages int
	}{
		{[]string{message("a", 1, 1), message("a", 1, 4), message("b", 2, 2)}, 10 + 9, 0, 3},
		{[]string{message("a", 1, 1), result}, 100, 0.25, 1},
		{[]string{result, message("a", 1, 1), result}, 200, 0.5, 2},
		{[]string{result}, 100, 0.25, 1},
		{[]string{result, message("a", 1, 1)}, 107, 0.25, 2},
		{[]string{`{"type":"turn.completed","usage":{"input_tokens":7,"cached_input_tokens":5,"output_tokens":2}}`, `{"type":"turn.completed","usage":{"input_tokens":1}}`}, 10, 0, 0},
		{[]string{fmt.Sprintf(total, 50), fmt.Sprintf(total, 70), `{"type":"event_msg","payload":{"type":"token_count","info":null}}`}, 70, 0, 0},
		{[]string{`{"type":"result","total_cost_usd":-1,"usage":{"input_tokens":-5}}`, `{"type":"result","total_cost_usd":1e300,"usage":{"input_tokens":9223372036854775807,"output_tokens":9223372036854775807}}`}, 0, 0, 0},
		{[]string{result, `{"type":"result","total_cost_usd":1e30,"usage":{"input_tokens":1000000000001,"output_tokens":1}}`}, 101, 0.25, 1},
		{[]string{message("a", 1_000_000_000_000, 1_000_000_000_000), message("a", 1, 1)}, 7, 0, 2},
		{[]string{fmt.Sprintf(total, 50), fmt.Sprintf(total, int64(1e13))}, 50, 0, 0},
	} {
		if _, s := read(t, strings.Join(c.lines, "\n")); s.Tokens != c.tokens || s.Cost != c.cost || s.Messages != c.messages {
			t.Errorf("%s: %d tokens, %g, %d messages", strings.Join(c.lines, "\n"), s.Tokens, s.Cost, s.Messages)
		}
	}
}

// TestLinesOfText: the words of a plain text begin at their own line.
func TestLinesOfText(t *testing.T) {
	events, _ := read(t, "Hello.\n\nUser: a\nb\nAgent:\nc\nd")
	if len(events) != 3 || events[0].Line != 1 || events[1].Line != 3 || events[2].Line != 5 || !events[2].Lines {
		t.Errorf("%+v", events)
	}
}

const said = `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Fine."}]}}` + "\n"

// TestDamaged: a damaged line is named and hides no other one.
func TestDamaged(t *testing.T) {
	for name, tc := range map[string]struct {
		in, why    string
		line, said int
	}{
		"cut at the end": {said + said[:40], "it ends in the middle", 2, 1},
		"no JSON":        {said + "{]\n" + said, "it is no JSON", 2, 2},
		"too long":       {said + `{"a":"` + strings.Repeat("x", transcript.MaxLine) + "\"}\n" + said, "more than 16 MiB", 2, 2},
		"other types":    {`{"type":7,"message":[]}` + "\n" + said, "", 0, 1},
		"no lines":       {"", "", 0, 0},
		"blank lines":    {"\n\n" + said + "\n", "", 0, 1},
	} {
		_, s := read(t, tc.in)
		if s.Messages != tc.said {
			t.Errorf("%s: %d messages, want %d", name, s.Messages, tc.said)
		}
		if tc.why == "" && s.DamagedLines == 0 {
			continue
		}
		if len(s.Damaged) != 1 || s.Damaged[0].Line != tc.line || !strings.Contains(s.Damaged[0].Why, tc.why) || tc.why == "" {
			t.Errorf("%s: %+v", name, s.Damaged)
		}
	}
	if _, s := read(t, said+strings.Repeat("{]\n", 500)); len(s.Damaged) != 20 || s.DamagedLines != 500 {
		t.Errorf("%d of %d named", len(s.Damaged), s.DamagedLines)
	}
	if _, err := transcript.Read(strings.NewReader("\x7fELF\x00\x01"), func(gaps.Event) {}); !errors.Is(err, transcript.ErrBinary) {
		t.Errorf("a program: %v", err)
	}
	if _, err := transcript.Read(io.MultiReader(strings.NewReader(said), broken{}), func(gaps.Event) {}); err == nil {
		t.Error("a failing disk is no error")
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

// TestExitCodes: the exit code of an output of Codex is in its head, not in what the program printed.
func TestExitCodes(t *testing.T) {
	for output, failed := range map[string]int{
		`"Exit code: 22\nWall time: 0.1 seconds\nOutput:\nx"`:                         1,
		`"Exit code: 0\nWall time: 0.1 seconds\nOutput:\nProcess exited with code 3"`: 0,
		`"fine\nProcess exited with code 3"`:                                          0,
		`"Process exited with code 3"`:                                                1,
		`"exit code: 99999999999999999999"`:                                           1,
		`{"content":"x","success":false}`:                                             1,
		`[{"type":"input_text","text":"Exit code: 1"}]`:                               0,
		`"{\"output\":\"x\",\"metadata\":{\"exit_code\":2}}"`:                         1,
		`7`: 0,
	} {
		_, s := read(t, `{"type":"response_item","payload":{"type":"function_call","name":"a","arguments":"{}","call_id":"c"}}`+"\n"+
			`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":`+output+"}}")
		if s.Calls != 1 || s.Failed != failed {
			t.Errorf("%s: %+v, want %d failed", output, s, failed)
		}
	}
}

// TestUnanswered: calls without a result are kept up to a bound, the newest.
func TestUnanswered(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"c%d","name":"Bash","input":{"command":"a"}}]}}`+"\n", i)
	}
	for _, i := range []int{0, 1999, 2000, 2999, 2999} {
		fmt.Fprintf(&b, `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","content":"x"}]}}`+"\n", i)
	}
	if _, s := read(t, b.String()); s.Calls != 2 {
		t.Errorf("%d calls", s.Calls)
	}
}

// repeated gives a line n times.
type repeated struct {
	line string
	n    int
	rest string
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.n, r.rest = r.n-1, r.line
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestMemory: the memory in use does not grow with the length of a transcript.
func TestMemory(t *testing.T) {
	text := `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I would need a tool for ` + strings.Repeat("x", 9000) + `."},{"type":"tool_use","id":"c","name":"Bash","input":{"command":"terraform plan"}}]}}` + "\n" +
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"` + strings.Repeat("y", 9000) + `","is_error":true}]}}` + "\n"
	inUse := func(n int) int64 {
		h := gaps.New(gaps.Rules{})
		var m runtime.MemStats
		if _, err := transcript.Read(&repeated{line: text, n: n}, h.Hear); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&m)
		runtime.KeepAlive(h)
		return int64(m.HeapInuse)
	}
	inUse(10)
	short, long := inUse(50), inUse(500)
	if grown := long - short; grown > int64(len(text))*50 { // 450 times the text were read in addition
		t.Errorf("%d bytes more are kept", grown)
	}
}

// FuzzRead: no input breaks the reader, and its events are whole.
func FuzzRead(f *testing.F) {
	fixture, err := txtar.ParseFile("testdata/forms.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range fixture.Files {
		f.Add(file.Data)
	}
	f.Add([]byte(`{"type":"response_item","payload":{"type":"local_shell_call","action":{"command":["ls"]},"call_id":"a"}}` + "\n" + `{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"a","output":[{"text":"a"}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, lines := gaps.New(gaps.Rules{}), 0
		s, err := transcript.Read(strings.NewReader(string(data)), func(e gaps.Event) {
			if e.Line < 1 || (e.Call != nil) == (e.Words != "" || e.Asked) {
				t.Errorf("%+v", e)
			}
			lines = max(lines, e.Line)
			h.Hear(e)
		})
		if err == nil && (lines > s.Lines || s.DamagedLines > s.Lines) {
			t.Errorf("line %d of %d, %d damaged", lines, s.Lines, s.DamagedLines)
		}
	})
}
