package cli_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/cli/clitest"
)

// conformancePackage is the protocol's own suite, in the last version that Node.js 20 runs. Later
// versions have the same scenarios of servers.
const conformancePackage = "@modelcontextprotocol/conformance@0.1.13"

// six are the tools of assent mcp.
var six = []string{"call", "find", "load", "propose", "report", "status"}

// TestConformance: the server of assent serve passes the protocol's conformance suite, and that of
// assent mcp its inspector.
func TestConformance(t *testing.T) {
	if os.Getenv("ASSENT_TEST_NPX") == "" {
		t.Skip("set ASSENT_TEST_NPX=1 to run " + conformancePackage + " and " + inspectorPackage + " from npm")
	}
	for _, program := range []string{"npm", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	tools, home := t.TempDir(), t.TempDir()
	installNPM(t, tools, conformancePackage, inspectorPackage)
	writeText(t, filepath.Join(home, ".gitconfig"), clitest.GitConfig)
	t.Setenv("HOME", home)
	t.Setenv("ASSENT_HOME", filepath.Join(home, "assent"))
	ws := filepath.Join(home, "ws")
	if out, err := exec.CommandContext(t.Context(), "assent", "init", ws, "--agent", "scout").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	t.Run("streams", func(t *testing.T) {
		inspector := filepath.Join(tools, "node_modules", ".bin", "mcp-inspector")
		server := []string{"assent", "-C", ws, "mcp", "--agent", "scout"}
		// The inspector hands few variables on.
		server = append([]string{"env", "HOME=" + home, "ASSENT_HOME=" + os.Getenv("ASSENT_HOME")}, server...)
		inspectServer(t, inspector, inspected{methods: six, calls: []inspectorCall{
			{"load", `{"name": "nothing-of-that-name"}`, "nothing in force is called \"nothing-of-that-name\"\nNext: find searches by words; report says what is missing"},
			{"find", `{"wrods": "csv"}`, "the arguments do not fit: unknown field \"wrods\"\nNext: see the tool's input schema, and call it again"},
		}}, server...)
		if said, failed := inspectorCalls(t, inspector, server, inspectorCall{method: "find", input: `{"words": "csv"}`}); failed || !strings.Contains(said, "parse-csv") {
			t.Errorf("find says %q (an error: %t)", said, failed)
		}
	})

	t.Run("http", func(t *testing.T) {
		const token = "0123456789abcdef0123456789abcdef"
		tokens := filepath.Join(home, "tokens")
		writeText(t, tokens, "scout "+token+"\n")
		daemon := exec.CommandContext(t.Context(), "assent", "-C", ws, "serve", "--listen", "127.0.0.1:0", "--mcp-tokens-file", tokens)
		daemon.Cancel = func() error { return daemon.Process.Signal(os.Interrupt) }
		log, err := daemon.StderrPipe()
		if err == nil {
			err = daemon.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = daemon.Wait() }) // the test's context ended it
		address := ""
		for lines := bufio.NewScanner(log); address == "" && lines.Scan(); {
			var line struct{ Msg, Address string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
				address = line.Address
			}
		}
		go func() { _, _ = io.Copy(io.Discard, log) }()
		// The suite sends no token. The name that it asks for stays, because one scenario sends a false one.
		gate := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: address})
			r.Out.Host = r.In.Host
			r.Out.Header.Set("Authorization", "Bearer "+token)
		}})
		t.Cleanup(gate.Close)
		expected, err := filepath.Abs(filepath.Join("testdata", "conformance.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		suite := exec.CommandContext(t.Context(), filepath.Join(tools, "node_modules", ".bin", "conformance"), "server",
			"--url", strings.Replace(gate.URL, "127.0.0.1", "localhost", 1)+"/mcp", "--suite", "all", "--expected-failures", expected, "-o", t.TempDir())
		out, err := suite.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		// The suite ends well without a check, too.
		for _, passed := range []string{"server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"} {
			if !slices.ContainsFunc(strings.Split(string(out), "\n"), func(l string) bool {
				return strings.Contains(l, passed+": ") && !strings.Contains(l, ": 0 passed")
			}) {
				t.Errorf("%s did not pass:\n%s", passed, out)
			}
		}
	})
}
