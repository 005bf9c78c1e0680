package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/cli"
)

// handingOut are the commands that print or write content in force, with arguments for the stopped
// capability parse-csv in each of their forms.
var handingOut = map[string][][]string{
	"cat": {
		{"cat", "parse-csv"}, {"cat", "Parse_CSV/scripts/main.py"}, {"cat", "skills/data/parse-csv"}, {"cat", "skills/data/parse-csv/tests.yaml", "--json"},
	},
	"export": {
		{"export", "parse-csv", "--to", "OUT"}, {"export", "slugify", "Parse-CSV", "--to", "OUT", "--json"},
		{"export", "parse-csv", "--to", "OUT", "--original"}, {"export", "parse-csv", "--to", "OUT", "--dry-run"},
	},
	"contribute":    {{"contribute", "parse-csv", "--to", "OUT", "--as", "scout"}, {"contribute", "parse-csv", "--to", "OUT", "--as", "scout", "--dry-run", "--json"}},
	"list":          {{"list"}, {"list", "--json"}},
	"find":          {{"find", "parse", "csv"}, {"find", "parse", "csv", "--json"}},
	"link":          {{"link", "parse csv text"}, {"link", "parse csv text", "--json"}},
	"mission start": {{"mission", "start", "parse csv text", "--id", "m-1"}, {"mission", "start", "parse csv text", "--json", "--dry-run"}},
	"mission run":   {{"mission", "run", "parse csv text", "--agent", "scout", "--command", "true", "--dry-run"}, {"mission", "run", "parse csv text", "--agent", "scout", "--command", "true", "--dry-run", "--json"}},
	"inspect":       {{"inspect", "parse-csv"}, {"inspect", "parse-csv", "--json"}},
	"run-tool":      {{"run-tool", "parse_csv", "--input", `{"text": "a"}`}, {"run-tool", "parse_csv", "--input", `{"text": "a"}`, "--dry-run", "--json"}},
	"graph": {
		{"graph", "--json"}, {"graph", "--format", "cypher"}, {"graph", "--format", "dot"}, {"graph", "--format", "mermaid"},
	},
	"graph gap":     {{"graph", "gap", "parse", "csv", "--agent", "scout", "--json"}},
	"graph similar": {{"graph", "similar", "slugify", "--min", "0", "--json"}},
	"log":           {{"log", "parse-csv"}, {"log", "--json"}},
	"why":           {{"why", "parse-csv"}, {"why", "skills/data/parse-csv/SKILL.md", "--json"}},
	"health":        {{"health", "parse-csv"}, {"health", "--json"}},
	"mcp":           {{"mcp"}}, // its input is asked
	"soul show":     {{"soul", "show", "scout"}, {"soul", "show", "scout", "--json"}},
	"new":           {{"new", "skill", "data/other", "--description", "Parses CSV text like parse-csv. Use when rows are needed.", "--dry-run"}},
	"sync":          {{"sync", "--to", "OUT", "--agent", "scout", "--json"}},
	"stop":          {{"stop", "--list"}, {"stop", "--list", "--json"}},
	"task next":     {{"task", "next", "--agent", "scout"}},
	"status":        {{"status"}, {"status", "--json"}},
	"whoami":        {{"whoami"}},
	"schema":        {{"schema", "skill"}},
	"doctor":        {{"doctor"}},
	"check":         {{"check"}},
	"validate":      {{"validate"}},
	"audit verify":  {{"audit", "verify", "--json"}},
}

// notHandingOut are the others. A new command belongs into one of the two lists.
var notHandingOut = map[string]string{
	"it shows or changes proposals, which is how a stopped capability is repaired":                       "propose update fill rebase comment withdraw reopen undo adopt show review merge diff import report, report post, report show, propose update fill rebase comment withdraw reopen undo adopt show review merge diff import upstream, upstream check, report",
	"it counts how capabilities did":                                                                     "trial list, trial record, trial erase, trial export, trial writers, stats, graph agent, graph rate, mission step, mission end, mission show, mission list, critic",
	"it writes settings of clients, which start assent as a server, or tells them the agent's SOUL.md":   "connect disconnect hook trust",
	"it judges what it is given, or runs tests with fake secrets":                                        "plan check, test, test add, policy, policy facts, policy simulate, policy test, scan, workflow, workflow test",
	"it makes or exchanges repositories, which hold all of history":                                      "init clone demo push pull",
	"it shows runs and tasks: words of workflows, and of who works on them":                              "runs, run start, run show, run logs, run approve, run artifacts, run download, run retry, run cancel, task show, task done, task fail, work, gap, hear",
	"it runs workflows, whose scripts see no stopped capability: runs/testdata/script/stop_script.txtar": "reconcile serve",
	"it has no content of capabilities": "audit, audit checkpoint, soul, soul edit, soul history, soul restore, gc maintenance migrate notify, notify send, notify test, " +
		"keys, keys audit, keys new, keys reanchor, keys reapprove, keys revoke, keys unattended, roles, roles add, roles remove, version",
}

// asked is a client's input to the server of mcp.
const asked = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"load","arguments":{"name":"parse-csv"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"load","arguments":{"name":"parse-csv","file":"scripts/main.py"}}}
{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"skill://parse-csv/SKILL.md"}}
`

// No command hands out a stopped capability, neither its instructions nor its code.
func TestStoppedIsHandedOutNowhere(t *testing.T) {
	known := map[string]bool{}
	for _, names := range notHandingOut {
		for part := range strings.SplitSeq(names, ", ") {
			if slices.Contains(cli.Leaves(), part) {
				known[part] = true
				continue
			}
			for _, word := range strings.Fields(part) {
				known[word] = true
			}
		}
	}
	for _, leaf := range cli.Leaves() {
		if handingOut[leaf] == nil && !known[leaf] {
			t.Errorf("does `assent %s` hand out content in force? Put it into handingOut or notHandingOut", leaf)
		}
	}
	u := newUser(t)
	u.run("new", "soul", "scout")
	lines := u.lines("skills/data/parse-csv/SKILL.md", "skills/data/parse-csv/scripts/main.py", "skills/data/parse-csv/tests.yaml")
	if code, out, _ := u.run("cat", "parse-csv"); code != 0 || !holdsOne(out, lines) {
		t.Fatalf("before the stop: %d, %s", code, out)
	}
	if code, _, errs := u.run("stop", "parse-csv", "--reason", "it lies"); code != 0 {
		t.Fatal(errs)
	}
	for leaf, calls := range handingOut {
		for _, args := range calls {
			to := t.TempDir()
			args = slices.Clone(args)
			if i := slices.Index(args, "OUT"); i >= 0 {
				args[i] = to
			}
			asking := u
			if leaf == "mcp" {
				asking.in = asked
			}
			code, out, errs := asking.run(args...)
			if leaf == "mcp" && strings.Count(out, "stopped by ada") < 2 {
				t.Errorf("mcp: exit code %d\n%s%s", code, out, errs)
			}
			if leaf == "cat" || leaf == "export" || leaf == "run-tool" {
				if code != 3 || !strings.Contains(out+errs, "stopped by ada") {
					t.Errorf("%v: exit code %d\n%s%s", args, code, out, errs)
				}
			}
			if holdsOne(out+errs, lines) {
				t.Errorf("%v prints a stopped capability:\n%s", args, out)
			}
			left, err := os.ReadDir(to)
			if leaf == "sync" { // which writes its manifest and other skills
				left = slices.DeleteFunc(left, func(e fs.DirEntry) bool { return e.Name() != "parse-csv" })
			}
			if err != nil || len(left) > 0 {
				t.Errorf("%v writes %v, %v", args, left, err)
			}
		}
	}
}

// lines are the lines of files by which their content is recognised: long ones, and not
// the descriptions that lists show.
func (u user) lines(files ...string) (out []string) {
	u.Helper()
	for _, file := range files {
		data, err := fs.ReadFile(os.DirFS(u.ws), filepath.ToSlash(file))
		if err != nil {
			u.Fatal(err)
		}
		_, body, _ := strings.Cut(string(data), "\n---\n")
		if body == "" {
			body = string(data)
		}
		for line := range strings.Lines(body) {
			if line = strings.TrimSpace(line); len(line) > 40 {
				out = append(out, line)
			}
		}
	}
	return out
}

func holdsOne(text string, lines []string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(text, l) })
}
