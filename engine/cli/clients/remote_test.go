package clients_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/cli/clitest"
)

// TestRemote: the scripts in testdata/remote use a server at $FAR, which counts the calls of each session and says whether the
// session began with the right token.
func TestRemote(t *testing.T) {
	p := clitest.Params("remote")
	surround := p.Setup
	p.Setup = func(env *testscript.Env) error {
		server := httptest.NewServer(mcp.NewStreamableHTTPHandler(counter, nil))
		env.Defer(func() { server.CloseClientConnections(); server.Close() })
		env.Setenv("FAR", server.Listener.Addr().String())
		return surround(env)
	}
	testscript.Run(t, p)
}

func counter(r *http.Request) *mcp.Server {
	s, calls := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil), 0
	token := r.Header.Get("X-Token") == "t secret of the test"
	s.AddTool(&mcp.Tool{Name: "next", Description: "Counts.", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			calls++
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("call %d, token %v", calls, token)}}}, nil
		})
	return s
}
