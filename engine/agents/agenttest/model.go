package agenttest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Turn is one answer of the model. It answers the first request that offers tools and whose
// newest text contains When.
type Turn struct {
	When string
	// Tool is called with Input, in OpenAI's form as text if it is one; OpenAI's clients give the tools of a
	// server a Namespace.
	// Without a tool the model answers Say, which ends the client's turn.
	Tool, Namespace string
	Input           any
	Say             string
	// Before, if not nil, runs before the answer is sent.
	Before func()
	// Spare turns may be left out.
	Spare bool
}

// Request is one request of a client.
type Request struct {
	// Tools are the names of those that it offers, with their namespace before "::".
	Tools []string
	// Last is the text after the model's last answer, Body all of it.
	Last, Body string
}

// Model is a model that follows a script.
type Model struct {
	// URL is its address, without a path.
	URL string

	mu       sync.Mutex
	turns    []Turn
	requests []Request
}

// Ended is the model's answer if no turn matches.
const Ended = "the script has ended"

// Serve starts a model that ends with the test.
func Serve(t *testing.T, turns ...Turn) *Model {
	t.Helper()
	m := &Model{turns: turns}
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	m.URL = s.URL
	return m
}

// Requests are those that offered tools, in their order.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request{}, m.requests...)
}

// Left are the turns that were not played.
func (m *Model) Left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := 0
	for _, t := range m.turns {
		if !t.Spare {
			left++
		}
	}
	return left
}

// ServeHTTP implements http.Handler.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	var body map[string]any
	if err != nil || r.Method != http.MethodPost || json.Unmarshal(data, &body) != nil {
		writeJSON(w, map[string]any{"data": []any{}})
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/messages"):
		req := Request{Tools: toolNames(body["tools"]), Last: lastMessage(body), Body: string(data)}
		m.messages(w, body, m.play(req))
	case strings.HasSuffix(r.URL.Path, "/responses"):
		req := Request{Tools: toolNames(body["tools"]), Last: lastInput(body), Body: string(data)}
		m.responses(w, m.play(req))
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		req := Request{Tools: functionNames(body["tools"]), Last: lastMessage(body), Body: string(data)}
		m.completions(w, body, m.play(req))
	case strings.HasSuffix(r.URL.Path, "enerateContent"):
		req := Request{Tools: declaredNames(body["tools"]), Last: lastContent(body), Body: string(data)}
		m.contents(w, strings.HasSuffix(r.URL.Path, ":streamGenerateContent"), m.play(req))
	default: // a count of tokens, a probe
		writeJSON(w, map[string]any{"input_tokens": len(data) / 4, "totalTokens": len(data) / 4})
	}
}

// play takes the turn that fits a request.
func (m *Model) play(req Request) Turn {
	if len(req.Tools) == 0 {
		return Turn{Say: "ok"}
	}
	turn := m.take(req)
	if turn.Before != nil {
		turn.Before()
	}
	return turn
}

func (m *Model) take(req Request) Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, req)
	for i, t := range m.turns {
		if strings.Contains(req.Last, t.When) {
			m.turns = append(append([]Turn{}, m.turns[:i]...), m.turns[i+1:]...)
			return t
		}
	}
	return Turn{Say: Ended}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a client that went away misses nothing
}

// event writes a server-sent event.
func event(w http.ResponseWriter, kind string, v map[string]any) {
	v["type"] = kind
	data, _ := json.Marshal(v)
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
}

// messages answers as Anthropic's API.
func (m *Model) messages(w http.ResponseWriter, body map[string]any, t Turn) {
	block, delta, stop := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": t.Say}, "end_turn"
	if t.Tool != "" {
		input, _ := json.Marshal(t.Input)
		block = map[string]any{"type": "tool_use", "id": m.id("toolu"), "name": t.Tool, "input": map[string]any{}}
		delta, stop = map[string]any{"type": "input_json_delta", "partial_json": string(input)}, "tool_use"
	}
	usage := map[string]any{"input_tokens": 1, "output_tokens": 1}
	message := map[string]any{"id": m.id("msg"), "type": "message", "role": "assistant", "model": body["model"], "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}
	if body["stream"] != true {
		if t.Tool == "" {
			block["text"] = t.Say
		} else {
			block["input"] = t.Input
		}
		message["content"], message["stop_reason"] = []any{block}, stop
		writeJSON(w, message)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "message_start", map[string]any{"message": message})
	event(w, "content_block_start", map[string]any{"index": 0, "content_block": block})
	event(w, "content_block_delta", map[string]any{"index": 0, "delta": delta})
	event(w, "content_block_stop", map[string]any{"index": 0})
	event(w, "message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	event(w, "message_stop", map[string]any{})
}

// responses answers as OpenAI's API, always as a stream.
func (m *Model) responses(w http.ResponseWriter, t Turn) {
	item := map[string]any{"type": "message", "role": "assistant", "id": m.id("msg"), "content": []any{map[string]any{"type": "output_text", "text": t.Say}}}
	if t.Tool != "" {
		input, _ := json.Marshal(t.Input)
		item = map[string]any{"type": "function_call", "id": m.id("fc"), "call_id": m.id("call"), "name": t.Tool, "arguments": string(input)}
		if t.Namespace != "" {
			item["namespace"] = t.Namespace
		}
		if plain, is := t.Input.(string); is {
			item = map[string]any{"type": "custom_tool_call", "id": m.id("ctc"), "call_id": m.id("call"), "name": t.Tool, "input": plain}
		}
	}
	id := m.id("resp")
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "response.created", map[string]any{"response": map[string]any{"id": id}})
	event(w, "response.output_item.done", map[string]any{"output_index": 0, "item": item})
	event(w, "response.completed", map[string]any{"response": map[string]any{"id": id, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
}

// id returns a name with the number of earlier requests.
func (m *Model) id(kind string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return fmt.Sprintf("%s_%d_%d", kind, len(m.requests), len(m.turns))
}

func toolNames(v any) (out []string) {
	list, _ := v.([]any)
	for _, e := range list {
		tool, _ := e.(map[string]any)
		name, _ := tool["name"].(string)
		if tool["type"] != "namespace" {
			out = append(out, name)
			continue
		}
		for _, inner := range toolNames(tool["tools"]) {
			out = append(out, name+"::"+inner)
		}
	}
	return out
}

// lastMessage returns the text since the model's last answer, in Anthropic's form.
func lastMessage(body map[string]any) string {
	all, _ := body["messages"].([]any)
	out := ""
	for i := len(all) - 1; i >= 0; i-- {
		message, _ := all[i].(map[string]any)
		if message["role"] == "assistant" {
			break
		}
		out = text(message["content"]) + "\n" + out
	}
	return out
}

// lastInput is the same in OpenAI's.
func lastInput(body map[string]any) string {
	all, _ := body["input"].([]any)
	out := ""
	for i := len(all) - 1; i >= 0; i-- {
		item, _ := all[i].(map[string]any)
		if kind, _ := item["type"].(string); item["role"] == "assistant" || strings.HasSuffix(kind, "_call") {
			break
		}
		out = text(item["content"]) + text(item["output"]) + "\n" + out
	}
	return out
}

// text is all text of a content.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		out := ""
		for _, e := range v {
			out += text(e) + "\n"
		}
		return out
	case map[string]any:
		if t, ok := v["text"]; ok {
			return text(t)
		}
		return text(v["content"])
	}
	return ""
}
