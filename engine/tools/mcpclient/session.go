package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/format/capability"
)

// maxMethods is how many methods a server may list, maxLine how long one message may be.
const (
	maxMethods = 1000
	maxLine    = 4 << 20
)

// Session is a conversation with one server.
type Session struct {
	session *mcp.ClientSession
	listed  []capability.Method
	// stale: the server has announced another list.
	stale atomic.Bool
}

// Open begins a conversation: from is the server's output, to its input, protocol the version to speak, empty for the
// latest.
func Open(ctx context.Context, from io.Reader, to io.WriteCloser, protocol string) (*Session, error) {
	out := &Session{}
	client := mcp.NewClient(&mcp.Implementation{Name: "assent", Version: version.Engine}, &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { out.stale.Store(true) },
	})
	s, err := client.Connect(ctx, &mcp.IOTransport{Reader: io.NopCloser(from), Writer: to, MaxLineLength: maxLine}, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		return nil, fmt.Errorf("begin a conversation with the server: %w", err)
	}
	out.session = s
	return out, nil
}

// Close ends the conversation; the server reads its end.
func (s *Session) Close() error { return s.session.Close() } //nolint:wrapcheck // there is nothing to add

// Methods lists the methods in the server's order, as it first listed them in this conversation. A later
// change is followed only with again, if the server announced it.
func (s *Session) Methods(ctx context.Context, again bool) ([]capability.Method, error) {
	if s.listed != nil && !(again && s.stale.Swap(false)) {
		return slices.Clone(s.listed), nil
	}
	out := []capability.Method{}
	for t, err := range s.session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list the server's methods: %w", err)
		}
		if len(out) == maxMethods {
			return nil, fmt.Errorf("the server lists more than %d methods", maxMethods)
		}
		schema, _ := t.InputSchema.(map[string]any)
		out = append(out, capability.Method{Name: t.Name, Description: t.Description, Input: schema})
	}
	s.listed = out
	return slices.Clone(out), nil
}

// Answer is the result of a call.
type Answer struct {
	// Value is plain data: the structured answer; else the text, decoded if it is JSON; else
	// the list of contents as the server sent it.
	Value any
	// Failed is set if the method reports a failure; Text describes it.
	Failed bool
	Text   string
	// Refused: it failed because of its input, by the protocol's code for invalid parameters or
	// with invalid_input in _meta as assent/error_type.
	Refused bool
	// Cost is the cost that it reports, in _meta as assent/cost.
	Cost float64
}

// Call calls a method with a JSON object.
func (s *Session) Call(ctx context.Context, method string, input json.RawMessage) (Answer, error) {
	res, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: method, Arguments: input})
	if told := (*jsonrpc.Error)(nil); errors.As(err, &told) && told.Code == jsonrpc.CodeInvalidParams {
		return Answer{Failed: true, Refused: true, Text: told.Message}, nil
	}
	if err != nil {
		return Answer{}, fmt.Errorf("call %s: %w", method, err)
	}
	out := Answer{Failed: res.IsError, Refused: res.IsError && res.Meta["assent/error_type"] == "invalid_input"}
	if cost, ok := res.Meta["assent/cost"].(float64); ok && cost > 0 {
		out.Cost = cost
	}
	texts := true
	for i, c := range res.Content {
		t, is := c.(*mcp.TextContent)
		if !is {
			texts = false
			continue
		}
		if i > 0 {
			out.Text += "\n"
		}
		out.Text += t.Text
	}
	switch {
	case res.StructuredContent != nil:
		out.Value = res.StructuredContent
	case texts:
		out.Value = out.Text
		var value any
		if json.Unmarshal([]byte(out.Text), &value) == nil {
			out.Value = value
		}
	default:
		out.Value = res.Content
	}
	return out, nil
}
