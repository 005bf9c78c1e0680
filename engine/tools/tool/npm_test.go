package tool

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
)

// serversVersion is of the protocol's own servers; pinned, because it is code of others.
const serversVersion = "2026.8.31"

// TestServersFromNpm starts other people's servers inside of the sandbox, from packages
// that were installed as the refusal says.
func TestServersFromNpm(t *testing.T) {
	if os.Getenv("ASSENT_TEST_NPX") == "" {
		t.Skip("set ASSENT_TEST_NPX=1 to install servers from npm")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed; it comes with Node.js")
	}
	all := map[string]string{}
	for name, arguments := range map[string]string{
		"everything": `[]`, "memory": `[]`, "filesystem": `[{"type": "positional", "value": "/code/assets"}]`,
	} {
		files(all, name, "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-stdio, timeout: 1m, memory: 4GiB}\n", map[string]string{
			"assets/notes.txt": "buy paper",
			"server.json": `{"name": "org.example/x", "version": "1.0.0", "packages": [{"registryType": "npm",
				"identifier": "@modelcontextprotocol/server-` + name + `", "version": "` + serversVersion + `", "transport": {"type": "stdio"}, "packageArguments": ` + arguments + `}]}`,
		})
	}
	e := engine(t, all)
	for _, name := range []string{"everything", "memory", "filesystem"} {
		res := do(t, e, name+"__x", "")
		if res.Type != NotAvailable || !strings.HasPrefix(res.Hint, "npm install --ignore-scripts --prefix ") {
			t.Fatalf("%s, which is not installed: %s %s, %s", name, res.Type, res.Error, res.Hint)
		}
		words := strings.Fields(res.Hint)
		if err := os.MkdirAll(words[4], 0o755); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", res.Hint, err, out)
		}
	}
	for _, tc := range []struct{ call, input, want string }{
		{"everything__echo", `{"message": "hello"}`, "Echo: hello"},
		{"everything__get_sum", `{"a": 2, "b": 3}`, "5"},
		{"filesystem__read_text_file", `{"path": "/code/assets/notes.txt"}`, "buy paper"},
		{"memory__read_graph", `{}`, `"entities":[]`},
	} {
		res := do(t, e, tc.call, tc.input)
		if !res.Success || !strings.Contains(string(res.Result), tc.want) {
			t.Errorf("%s answers %s %s %s (%s), want %s", tc.call, res.Result, res.Type, res.Error, res.Printed, tc.want)
		}
	}
	res := do(t, e, "filesystem__read_text_file", `{"path": "/etc/passwd"}`)
	if res.Type != Failed {
		t.Errorf("a path that the server does not admit: %s %s", res.Type, res.Result)
	}
	methods, res, err := e.Methods(t.Context(), Call{Name: "memory"})
	if err != nil || !res.Success || len(methods) < 5 {
		t.Errorf("memory lists %d methods, %v %v", len(methods), res, err)
	}
	elsewhere(t, filepath.Join(e.Packages, "npm", "@modelcontextprotocol+server-everything@"+serversVersion, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js"))
	described := filepath.Join(e.Packages, "npm", "@modelcontextprotocol+server-memory@"+serversVersion, "node_modules", "@modelcontextprotocol", "server-memory", "package.json")
	if err := os.WriteFile(described, []byte(`{"version": "9.9.9", "bin": "x.js"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if res := do(t, e, "memory__read_graph", "{}"); res.Type != NotAvailable || !strings.Contains(res.Error, "in version 9.9.9") {
		t.Errorf("another version: %s %s", res.Type, res.Error)
	}
}

// elsewhere calls the server over HTTP, on this machine.
func elsewhere(t *testing.T, program string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := l.Addr().String()
	_ = l.Close()
	loopback := filepath.Join(t.TempDir(), "loopback.cjs") // the server would listen on all addresses
	if err := os.WriteFile(loopback, []byte(`const s = require("net").Server.prototype, listen = s.listen
s.listen = function (port, ...rest) { return listen.call(this, port, "127.0.0.1", ...rest.filter(x => typeof x === "function")) }`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "--require", loopback, program, "streamableHttp")
	_, port, _ := net.SplitHostPort(host)
	cmd.Env = append(os.Environ(), "PORT="+port)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "listening") {
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	all := map[string]string{}
	atAddress(all, "far", "http://"+host, ", secrets: [TOKEN]")
	delete(all, "skills/far/methods.yaml")
	e := withToken(t, all)
	methods, res, err := e.Methods(t.Context(), Call{Name: "far", Live: true})
	if err != nil || !res.Success || len(methods) < 5 {
		t.Fatalf("lists %v, %+v, %v", methods, res, err)
	}
	text, err := capability.WriteMethods(methods)
	if err != nil {
		t.Fatal(err)
	}
	all["skills/far/methods.yaml"] = string(text)
	e = withToken(t, all)
	e.Warm = &Warm{}
	t.Cleanup(e.Warm.Close)
	for _, tc := range []struct{ call, input, want string }{
		{"far__echo", `{"message": "hello"}`, "Echo: hello"}, {"far__get_sum", `{"a": 2, "b": 3}`, "5"}, {"far__trigger_long_running_operation", `{"duration": 1, "steps": 2}`, "Long running operation completed"},
	} {
		if res := do(t, e, tc.call, tc.input); !res.Success || !strings.Contains(string(res.Result), tc.want) {
			t.Errorf("%s answers %+v, want %s", tc.call, res, tc.want)
		}
	}
}

// TestPackages checks entries of a server.json that are never started.
func TestPackages(t *testing.T) {
	all := map[string]string{}
	names := map[string]string{
		"none": `{}`, "pypi": `{"packages": [{"registryType": "pypi", "identifier": "x", "version": "1.0.0"}]}`,
		"range":  `{"packages": [{"registryType": "npm", "identifier": "x", "version": "^1.0.0"}]}`,
		"latest": `{"packages": [{"registryType": "npm", "identifier": "x", "version": "latest"}]}`,
		"path":   `{"packages": [{"registryType": "npm", "identifier": "../../x", "version": "1.0.0"}]}`,
		"broken": `{`, "absent": `{"packages": [{"registryType": "npm", "identifier": "@a/b", "version": "1.0.0"}]}`,
	}
	for name, server := range names {
		files(all, name, "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-stdio}\n", map[string]string{"server.json": server})
	}
	e := engine(t, all)
	for name := range names {
		if res := do(t, e, name+"__x", ""); res.Type != NotAvailable && res.Type != NotCallable || res.Hint == "" {
			t.Errorf("%s: %s %s", name, res.Type, res.Error)
		}
	}
	for _, tc := range []struct{ described, says string }{
		{`{"version":"1.0.0","bin":"a.js"}`, ""}, {`{"version":"1.0.0","bin":{"x":"dist/a.js"}}`, ""},
		{`{"version":"2.0.0","bin":"a.js"}`, "in version 2.0.0"}, {`{"version":"1.0.0"}`, "not one program"},
		{`{"version":"1.0.0","bin":{"x":"a.js","y":"b.js"}}`, "not one program"}, {`{"version":"1.0.0","bin":"../../a.js"}`, "outside of itself"}, {`{`, "read what"},
	} {
		_, err := binOf([]byte(tc.described), serverPackage{Identifier: "x", Version: "1.0.0"})
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", tc.described, err)
		}
	}
	var argument serverArgument
	for text, want := range map[string]string{
		`{"type":"positional","value":"a"}`: "a", `{"type":"named","name":"--a","value":"b"}`: "--a b", `{"type":"named","name":"--a"}`: "--a",
		`{"type":"positional","value":"{x}"}`: "!", `{"type":"positional"}`: "!", `{"type":"other","value":"a"}`: "!",
	} {
		argument = serverArgument{}
		if err := json.Unmarshal([]byte(text), &argument); err != nil {
			t.Fatal(err)
		}
		words, ok := argument.words()
		if got := strings.Join(words, " "); ok == (want == "!") || ok && got != want {
			t.Errorf("%s adds %q", text, got)
		}
	}
}
