package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-dev/assent/engine/agents/hook"
)

// hooks answers calls of the tool hook.ToolName, which a client's settings name and no listing does,
// so that it costs the model nothing. An error is logged and changes nothing for the client.
func (s *server) hooks(answer func(context.Context, *hook.Event) ([]byte, error)) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			call, ok := req.(*mcp.CallToolRequest)
			if !ok || call.Params == nil || call.Params.Name != hook.ToolName {
				return next(ctx, method, req)
			}
			e, err := hook.Parse(call.Params.Arguments)
			out := hook.Nothing()
			if err == nil {
				var text []byte
				if text, err = answer(ctx, e); text != nil {
					out = text
				}
			}
			if err != nil {
				s.log.Warn("an event has no whole answer", "event", e.Name, "error", err)
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(out)}}}, nil
		}
	}
}
