package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/cli"
	"github.com/assent-dev/assent/engine/cli/console"
)

// inspectorPackage is the protocol's own client for authors of servers. The date also pins its
// dependencies: all of it is code of others.
const (
	inspectorPackage = "@modelcontextprotocol/inspector@2.12.0"
	packagesBefore   = "2026-11-01"
)

// inspected is a template of servers: its methods, a call of each that fits, and calls
// that do not.
type inspected struct {
	template string
	methods  []string
	calls    []inspectorCall
}

// inspectorCall is a call and a text in the server's answer.
type inspectorCall struct{ method, input, says string }

// The servers that `assent new mcp` makes pass the protocol's own inspector, and the built file of
// those in TypeScript is the output of TypeScript.
func TestInspector(t *testing.T) {
	if os.Getenv("ASSENT_TEST_NPX") == "" {
		t.Skip("set ASSENT_TEST_NPX=1 to run " + inspectorPackage + " and TypeScript from npm")
	}
	for _, program := range []string{"npm", "node", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	const unwritten = "not implemented"
	templates := []inspected{
		{"files", []string{"list_files", "read_file"}, []inspectorCall{
			{"list_files", `{}`, unwritten}, {"read_file", `{"path": "a/b.txt"}`, unwritten},
			{"read_file", `{}`, "path is required"}, {"read_file", `{"path": "../b"}`, "path must stay inside of the folder"},
		}},
		{"http-api", []string{"get", "search"}, []inspectorCall{
			{"get", `{"path": "/status"}`, unwritten}, {"search", `{"query": "a", "limit": 3}`, unwritten},
			{"search", `{"query": "a", "limit": 101}`, "limit must be from 1 to 100"}, {"get", `{"path": "//example.org"}`, "path must begin with one / and hold no spaces"},
		}},
		{"database", []string{"list_tables", "query"}, []inspectorCall{
			{"list_tables", `{}`, unwritten}, {"query", `{"sql": "select 1"}`, unwritten},
			{"query", `{"sql": 1}`, "sql must be a string"}, {"query", `{"sql": "select 1", "more": 1}`, `unknown field "more"`},
		}},
	}
	typescript, python, tools := t.TempDir(), t.TempDir(), t.TempDir()
	for _, s := range templates {
		for language, dir := range map[string]string{"typescript": typescript, "python": python} {
			scaffoldServer(t, dir, s.template, language)
		}
	}
	manifest := readText(t, filepath.Join(serverDir(typescript, "files"), "package.json"))
	writeText(t, filepath.Join(typescript, "package.json"), manifest)
	installNPM(t, typescript)
	installNPM(t, tools, inspectorPackage)
	inspector := filepath.Join(tools, "node_modules", ".bin", "mcp-inspector")

	for _, s := range templates {
		t.Run(s.template+" in typescript", func(t *testing.T) {
			t.Parallel()
			dir := serverDir(typescript, s.template)
			built := filepath.Join(dir, "scripts", "main.mjs")
			shipped := readText(t, built)
			buildServer(t, dir)
			if made := readText(t, built); made != shipped {
				t.Errorf("the template's main.mjs is not what TypeScript makes of main.mts:\n%s\n\nbut\n%s", made, shipped)
			}
			inspectServer(t, inspector, s, "node", built)
			source := filepath.Join(dir, "scripts", "main.mts")
			writeText(t, source, strings.Replace(readText(t, source), `throw new Error("not implemented");`, "return input;", 1))
			buildServer(t, dir)
			inspectWritten(t, inspector, s, "node", built)
		})
		t.Run(s.template+" in python", func(t *testing.T) {
			t.Parallel()
			entry := filepath.Join(serverDir(python, s.template), "scripts", "main.py")
			inspectServer(t, inspector, s, "python3", entry)
			writeText(t, entry, strings.Replace(readText(t, entry), `raise NotImplementedError("not implemented")`, "return given", 1))
			inspectWritten(t, inspector, s, "python3", entry)
		})
	}
}

func serverDir(root, template string) string {
	return filepath.Join(root, "skills", "notes-"+template)
}

func scaffoldServer(t *testing.T, dir, template, language string) {
	t.Helper()
	args := []string{"new", "mcp", "notes-" + template, "--template", template, "--language", language, "--dir", dir}
	if template != "files" {
		args = append(args, "--host", "api.example.com:443", "--secret", "API_TOKEN")
	}
	var errs bytes.Buffer
	world := console.World{In: strings.NewReader(""), Out: io.Discard, Err: &errs, Getenv: func(string) string { return "" }, Now: time.Now, Width: func() int { return 80 }}
	if code := cli.Run(t.Context(), args, world); code != 0 {
		t.Fatalf("%v: %d: %s", args, code, errs.String())
	}
}

// installNPM runs no script of a package.
func installNPM(t *testing.T, dir string, packages ...string) {
	t.Helper()
	args := []string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--before=" + packagesBefore, "--prefix", dir}
	if out, err := exec.CommandContext(t.Context(), "npm", append(args, packages...)...).CombinedOutput(); err != nil {
		t.Fatalf("npm install %v: %v\n%s", packages, err, out)
	}
}

// buildServer has TypeScript make main.mjs, as docs/tools.md says; strict type errors make none.
func buildServer(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "scripts", "main.mjs")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "npm", "run", "build", "--", "--strict", "--noEmitOnError")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm run build: %v\n%s", err, out)
	}
}

// inspectServer lists the methods, whose schemas must serve every client, and calls them.
func inspectServer(t *testing.T, inspector string, s inspected, server ...string) {
	t.Helper()
	var list struct{ Tools []struct{ Name string } }
	inspectorSays(t, &list, inspector, server, "--method", "tools/list", "--strict")
	var names []string
	for _, m := range list.Tools {
		names = append(names, m.Name)
	}
	if !slices.Equal(names, s.methods) {
		t.Errorf("lists %v, want %v", names, s.methods)
	}
	for _, call := range s.calls {
		if said, failed := inspectorCalls(t, inspector, server, call); said != call.says || !failed {
			t.Errorf("%s %s: says %q (an error: %t), want the error %q", call.method, call.input, said, failed, call.says)
		}
	}
}

// inspectWritten calls a server whose methods answer with their input: only the line that is not
// implemented is replaced.
func inspectWritten(t *testing.T, inspector string, s inspected, server ...string) {
	t.Helper()
	call := s.calls[1]
	said, failed := inspectorCalls(t, inspector, server, call)
	var given, answered any
	if err := errors.Join(json.Unmarshal([]byte(call.input), &given), json.Unmarshal([]byte(said), &answered)); err != nil || failed || !reflect.DeepEqual(answered, given) {
		t.Errorf("once it is written, %s answers %s with %q (an error: %t, %v)", call.method, call.input, said, failed, err)
	}
	if said, failed := inspectorCalls(t, inspector, server, s.calls[2]); said != s.calls[2].says || !failed {
		t.Errorf("once it is written, what does not fit is answered by %q", said)
	}
}

func inspectorCalls(t *testing.T, inspector string, server []string, call inspectorCall) (said string, failed bool) {
	t.Helper()
	var answer struct {
		IsError bool
		Content []struct{ Text string }
	}
	inspectorSays(t, &answer, inspector, server, "--method", "tools/call", "--tool-name", call.method, "--tool-args-json", call.input)
	if len(answer.Content) == 1 {
		said = answer.Content[0].Text
	}
	return said, answer.IsError
}

// inspectorSays runs the inspector. An answer that is an error is exit code 5 there.
func inspectorSays(t *testing.T, into any, inspector string, server []string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), inspector, slices.Concat([]string{"--cli", "--connect-timeout", "300000"}, server, args)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "NO_COLOR=1")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 5) {
		t.Fatalf("%v: %v\n%s", args, err, errs.String())
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, out, errs.String())
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
