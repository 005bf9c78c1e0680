package gaps_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/gaps"
)

// heard returns the gaps in events as "type name" texts.
func heard(r gaps.Rules, events ...gaps.Event) (out []string, all []gaps.Gap) {
	h := gaps.New(r)
	for i, e := range events {
		e.Line = i + 1
		h.Hear(e)
	}
	all = h.Gaps()
	for _, g := range all {
		out = append(out, string(g.Type)+" "+g.Name)
	}
	return out, all
}

// TestOneName: a lack has one name, whatever the form of the words.
func TestOneName(t *testing.T) {
	for name, forms := range map[string][]string{
		"tool send-fax":           {"a tool that sends faxes", "a tool for sending faxes", "a tool to send a fax", "a tool that can send faxes", "a tool which sends a fax"},
		"tool make-copy":          {"a tool that makes copies", "a tool for making copies", "a tool to make a copy"},
		"tool translate-subtitle": {"a tool for translating subtitles", "a tool that translates subtitles"},
		"tool plot-process":       {"a tool for plotting processes", "a tool that plots a process"},
		"tool inspect-kubernetes": {"a tool that inspects kubernetes", "a tool for inspecting kubernetes"},
		"tool string":             {"a tool for strings", "a tool for a string"},
		"mcp jenkins":             {"an MCP for Jenkins"},
	} {
		for _, form := range forms {
			if got, _ := heard(gaps.Rules{}, gaps.Event{Words: "I would need " + form + "."}); strings.Join(got, ", ") != name {
				t.Errorf("%q: %q, want %q", form, got, name)
			}
		}
	}
	if got, _ := heard(gaps.Rules{}, gaps.Event{Words: "There is no fax-sending tool."}, gaps.Event{Words: "I would need a tool that sends faxes."}); len(got) != 1 {
		t.Errorf("one lack is heard as %q", got)
	}
}

// TestHints: a gap keeps the interface that its sentence names, without what may be secret.
func TestHints(t *testing.T) {
	for text, want := range map[string]string{
		"I would need an MCP for the Stripe API.":                                                  "Stripe API",
		"I would need a tool that reads invoices from the Stripe REST API.":                        "Stripe API",
		"There is no tool that calls Open Meteo's API.":                                            "Open Meteo API",
		"I would need an MCP for Jira (https://jira.example.org/rest/api/2).":                      "https://jira.example.org/rest/api/2",
		"I would need a tool for https://ana:s3cret@api.x.com/v1?key=s3cret#s3cret, please.":       "https://api.x.com/v1",
		"I would need a tool that calls https://api.x.com/v1.":                                     "https://api.x.com/v1",
		"I would need a tool that posts to http://127.0.0.1:8080/ for the Stripe API.":             "http://127.0.0.1:8080",
		"I would need an MCP that speaks to https://x.com/$(reboot)`id`.":                          "https://x.com",
		"I would need an MCP for Jira.":                                                            "",
		"I would need a tool that has a REST API.":                                                 "",
		"The API fails. I would need an MCP for Jira.":                                             "",
		"I would need a tool that knows \"the Stripe API\" by name.":                               "",
		"I don't have a skill for the Stripe API.":                                                 "",
		"I would need a tool for https://api.x.com/" + strings.Repeat("very/", 2000) + "long-path": "",
	} {
		_, all := heard(gaps.Rules{}, gaps.Event{Words: text})
		got := ""
		for _, g := range all {
			got += g.APIHint
			sound(t, g)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	_, all := heard(gaps.Rules{}, gaps.Event{Words: "I would need an MCP for Jira and a tool that reads the Stripe API."})
	if len(all) != 2 || all[0].APIHint != "" || all[1].APIHint != "Stripe API" {
		t.Errorf("each part has its own hint: %+v", all)
	}
}

// TestWords: a lack in the agent's own words is a gap; quotations, code and plans are none.
func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"I would need an MCP for Jira to move the ticket.":                           "mcp jira",
		"This would be easier with a Figma MCP server that returns frames.":          "mcp figma",
		"There is no tool available that draws barcodes.":                            "tool draw-barcode",
		"I don't have a skill for your release process.":                             "skill release-process",
		"I wish I had a legal review agent to hand this to.":                         "agent legal-review",
		"I have no way to take a screenshot of the page.":                            "tool take-screenshot-page",
		"No MCP server is configured for Linear, so I can't create the issue.":       "mcp linear",
		"I don't see a HubSpot tool in my list.":                                     "mcp hubspot",
		"I can't reach Jira. I would need an MCP for Jira. With a Jira MCP I could.": "mcp jira",
		"I would need an MCP for `$(rm -rf ~)` to do it.":                            "mcp rm-rf",
		"I would need a tool for " + strings.Repeat("very", 40) + " long words.":     "",
		"The page says \"I would need an MCP for Jira\".":                            "",
		"> I would need an MCP for Jira.":                                            "",
		"```\nI would need an MCP for Jira.\n```":                                    "",
		"```\nI would need an MCP for Jira.":                                         "",
		"I don't need a tool for this.":                                              "",
		"You would need an MCP server for your tracker.":                             "",
		"If I need a tool for that, I will ask.":                                     "",
		"I'll write a tool for parsing CSV.":                                         "",
		"I need the Read tool's output.":                                             "",
		"":                                                                           "",
		"There is no tool that sends faxes either.":                                  "tool send-fax",
		"There is no tool that sends faxes, I'm afraid.":                             "tool send-fax",
		"There is no tool that sends faxes and I’m stuck.":                           "tool send-fax",
		"There is no tool that sends faxes m":                                        "tool send-fax",
		"I don't have a tool that sends faxes yet though.":                           "tool send-fax",
		"There is no tool that can't fail to send faxes too.":                        "tool fail-send-fax",
		"I would need a tool to knit R documents.":                                   "tool knit-r-document",
		"I would need an MCP for Jira and a tool that sends faxes.":                  "mcp jira, tool send-fax",
		"There is an MCP for Jira and no tool that sends faxes.":                     "tool send-fax",
		"I would need an MCP for Jira, and there is no tool that sends faxes.":       "mcp jira, tool send-fax",
		"I lack a Jira MCP, a Figma MCP and a tool that draws barcodes.":             "mcp jira, mcp figma, tool draw-barcode",
		"I have neither a Slack connector nor a skill for release notes.":            "mcp slack, skill release-note",
		"I would need a Slack MCP or a tool that posts messages.":                    "mcp slack",
		"I would need an MCP for Jira, and I have a tool that reads mail.":           "mcp jira",
		"I lack a Jira MCP, but a tool that sends faxes is here.":                    "mcp jira",
		"There is no tool that connects a client and a server.":                      "tool connect-client",
		"I would need a tool that is called fax-sender.":                             "tool fax-sender",
		"I would need a tool for \x00\x1b[31m\u202eevil\u200b things":                "tool evil-thing",
		"I would need an \x1b[1mMCP\x1b[0m for \x1b[31mJira\x1b[0m.":                 "mcp jira",
	} {
		got, all := heard(gaps.Rules{}, gaps.Event{Words: text})
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%q: %q, want %q", text, s, want)
		}
		for _, g := range all {
			sound(t, g)
		}
	}
}

// TestAbsent: what an agent states that it does not have is a gap, in other words than those for a lack.
func TestAbsent(t *testing.T) {
	for text, want := range map[string]string{
		"I skipped the schema check, xmllint being absent from the image.":               "tool xmllint",
		"This environment lacks adb, so the device check stays with you.":                "tool adb",
		"I can't show a plan, as Terraform isn't installed in this container.":           "tool terraform",
		"I've no nvcc to compile it with.":                                               "tool nvcc",
		"I'm not equipped to produce a spreadsheet file.":                                "tool produce-spreadsheet-file",
		"Outlook isn't plugged in on my end, so the times are guesses.":                  "mcp outlook",
		"I have never been connected to Trello, so nothing is on the board.":             "mcp trello",
		"Crash counts come from Crashlytics and that hasn't been linked to me.":          "mcp crashlytics",
		"No Airtable key, no Airtable connector.":                                        "mcp airtable",
		"I was never taught your brand voice.":                                           "skill brand-voice",
		"I don't know the escalation path in your company.":                              "skill escalation-path",
		"That belongs to a performance sub-agent, and this setup does not offer me one.": "agent performance",
		"The table isn't installed by your users.":                                       "",
		"Systems not connected to SSO are listed below.":                                 "",
		"If I had no browser to look with, I would ask.":                                 "",
		"The endpoint has no pagination, and your code lacks a retry.":                   "",
	} {
		got, all := heard(gaps.Rules{}, gaps.Event{Words: text})
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%q: %q, want %q", text, s, want)
		}
		for _, g := range all {
			sound(t, g)
		}
	}
}

// sound checks the promises about any gap.
func sound(t *testing.T, g gaps.Gap) {
	t.Helper()
	if !names.IsName(g.Name) {
		t.Errorf("%q is no name", g.Name)
	}
	texts := []string{g.Purpose, g.Trigger, g.Specialization, g.APIHint}
	for _, e := range g.Evidence {
		texts = append(texts, e.Words)
	}
	for _, s := range texts {
		if utf8.RuneCountInString(s) > 220 || strings.ContainsAny(s, "\n\x00\x1b\u202e\u200b") {
			t.Errorf("%q is not plain", s)
		}
	}
}

func call(tool, input, output string) gaps.Event {
	return gaps.Event{Call: &gaps.Call{Tool: tool, Input: input, Output: output, Failed: output != ""}}
}

// TestFailures: more than three failures of a category are a gap, unless a success ends them or they
// are ordinary.
func TestFailures(t *testing.T) {
	repeat := func(n int, e gaps.Event) (out []gaps.Event) {
		for range n {
			out = append(out, e)
		}
		return out
	}
	curl := call("Bash", "curl -s https://api.billing.example/v1", "The requested URL returned error: 401")
	for name, tc := range map[string]struct {
		events []gaps.Event
		want   string
	}{
		"three":     {repeat(3, curl), ""},
		"four":      {repeat(4, curl), "mcp billing-example"},
		"a success": {append(append(repeat(3, curl), call("Bash", "curl https://www.billing.example", "")), curl), ""},
		"a server":  {repeat(4, call("mcp__warehouse__reserve", "{}", "503")), "mcp warehouse"},
		"tests":     {repeat(9, call("Bash", "go test ./...", "FAIL")), ""},
		"searches":  {repeat(9, call("Grep", "x", "No matches found")), ""},
		"knowledge": {repeat(4, call("shell", "terraform plan", "Error: Backend initialization required")), "skill terraform"},
		"a program": {repeat(4, call("shell", "cd x && FOO=1 pandoc a.md", "bash: pandoc: command not found")), "tool pandoc"},
		"modules":   {repeat(4, call("shell", "python3 a.py", "ModuleNotFoundError: No module named 'openpyxl'")), "tool openpyxl"},
		"a window":  {append(append(repeat(3, curl), repeat(40, call("Read", "a", ""))...), curl), ""},
		"one after another": {[]gaps.Event{call("shell", "mpirun -n 8 a", "bash: mpirun: command not found"), call("shell", "mpiexec -n 8 a", "bash: mpiexec: command not found"),
			call("shell", "which srun", "exit code 1"), call("shell", "apt-get install mpich", "E: Permission denied")}, "tool mpirun"},
		"one of them worked": {[]gaps.Event{call("shell", "mpirun -n 8 a", "bash: mpirun: command not found"), call("shell", "mpiexec -n 8 a", "bash: mpiexec: command not found"),
			call("shell", "srun a", ""), call("shell", "nc -z a 1", "timed out"), call("shell", "apt-get install mpich", "E: Permission denied")}, ""},
		"nothing to start": {repeat(9, call("Bash", "", "failed")), ""},
	} {
		got, all := heard(gaps.Rules{}, tc.events...)
		if s := strings.Join(got, ", "); s != tc.want {
			t.Errorf("%s: %q, want %q", name, s, tc.want)
		}
		for _, g := range all {
			if sound(t, g); g.Failures != 4 || g.Times != 1 || len(g.Evidence) != 4 || g.Evidence[0].By != gaps.ByFailures {
				t.Errorf("%s: %+v", name, g)
			}
		}
	}
	if _, all := heard(gaps.Rules{}, repeat(7, curl)...); len(all) != 1 || all[0].Failures != 7 || all[0].APIHint != "api.billing.example" {
		t.Errorf("%+v", all)
	}
	if got, _ := heard(gaps.Rules{Failures: 1, Window: 2}, curl, curl); len(got) != 1 {
		t.Errorf("rules of the workspace: %v", got)
	}
}

// TestPatterns: a pattern is looked for in its part of the session only.
func TestPatterns(t *testing.T) {
	p := func(in gaps.In) gaps.Rules {
		return gaps.Rules{Patterns: []gaps.Pattern{{regexp.MustCompile("fax"), in, gaps.Gap{Type: capability.KindMCP, Name: "fax", Purpose: "send faxes"}}}}
	}
	events := map[gaps.In]gaps.Event{
		gaps.InWords: {Words: "The FAX is on its way."}, gaps.InCalls: call("Bash", "fax send", ""), gaps.InErrors: call("Bash", "send", "no Fax here"),
	}
	for in := range events {
		for at, e := range events {
			got, _ := heard(p(in), e)
			if (len(got) == 1) != (in == at) {
				t.Errorf("a pattern for %s in %s: %v", in, at, got)
			}
		}
	}
	if got, _ := heard(p(gaps.InErrors), call("Bash", "fax", "")); len(got) != 0 {
		t.Errorf("a call that did not fail has errors: %v", got)
	}
	if got, _ := heard(p(gaps.InWords), gaps.Event{Words: "It says \"fax\" and:\n> fax\n"}); len(got) != 0 {
		t.Errorf("quotations are heard: %v", got)
	}
}

// TestBounded: neither the number of gaps nor that of the places of one grows with the session.
func TestBounded(t *testing.T) {
	h := gaps.New(gaps.Rules{})
	for i := range 5000 {
		h.Hear(gaps.Event{Line: i, Words: fmt.Sprintf("I would need a tool for topic%d.", i)})
		h.Hear(gaps.Event{Line: i, Words: "I would need an MCP for Jira."})
		h.Hear(call("Bash", fmt.Sprintf("prog%c%c run", 'a'+i%26, 'a'+i/26%26), "broken"))
	}
	all := h.Gaps()
	if len(all) != 100 || h.Dropped == 0 {
		t.Errorf("%d gaps, %d dropped", len(all), h.Dropped)
	}
	for _, g := range all {
		if g.Name == "jira" && (g.Times != 5000 || len(g.Evidence) != 5) {
			t.Errorf("%+v", g)
		}
	}
}

// TestLines: in a plain text each sentence has its own line.
func TestLines(t *testing.T) {
	h := gaps.New(gaps.Rules{})
	h.Hear(gaps.Event{Line: 7, Lines: true, Words: "All is fine.\n\nBut then:\nI would need an MCP for Jira.\n"})
	if all := h.Gaps(); len(all) != 1 || all[0].Evidence[0].Line < 9 || all[0].Evidence[0].Line > 10 {
		t.Errorf("%+v", all)
	}
}

// FuzzHear: no message breaks the program, and every gap keeps its promises.
func FuzzHear(f *testing.F) {
	f.Add("I would need an MCP for “Jira”, to move\n\n```\nx", "curl https://a.example", "401")
	f.Add("There is no tool", "cd x && ", "No module named 'a'")
	f.Add("I have no way to", "sudo", "command not found")
	f.Add("x", "https://例.example.例", "403")
	f.Add("x", "_", "connection refused")
	f.Add("I would need a tool for 例.", "例", "例: command not found")
	f.Fuzz(func(t *testing.T, words, input, output string) {
		_, all := heard(gaps.Rules{Failures: 1, Window: 4}, gaps.Event{Words: words}, call("Bash", input, output), call("Bash", input, output), call("mcp__"+input, words, output), call("mcp__"+input, words, output))
		for _, g := range all {
			sound(t, g)
		}
	})
}
