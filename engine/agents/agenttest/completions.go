package agenttest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chunk writes a server-sent event without a name.
func chunk(w http.ResponseWriter, v any) {
	data, _ := json.Marshal(v)
	fmt.Fprintf(w, "data: %s\n\n", data)
}

// completions answers as OpenAI's older API, which OpenCode uses for providers of its configuration.
func (m *Model) completions(w http.ResponseWriter, body map[string]any, t Turn) {
	message, reason := map[string]any{"role": "assistant", "content": t.Say}, "stop"
	if t.Tool != "" {
		input, _ := json.Marshal(t.Input)
		call := map[string]any{"index": 0, "id": m.id("call"), "type": "function", "function": map[string]any{"name": t.Tool, "arguments": string(input)}}
		message, reason = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}}, "tool_calls"
	}
	usage := map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	answer := func(kind string, usage any, choices ...any) map[string]any {
		return map[string]any{"id": m.id("chat"), "object": kind, "created": 1, "model": body["model"], "usage": usage, "choices": choices}
	}
	if body["stream"] != true {
		writeJSON(w, answer("chat.completion", usage, map[string]any{"index": 0, "message": message, "finish_reason": reason}))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk(w, answer("chat.completion.chunk", nil, map[string]any{"index": 0, "delta": message, "finish_reason": nil}))
	chunk(w, answer("chat.completion.chunk", usage, map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// functionNames are the tools of a request to it.
func functionNames(v any) (out []string) {
	list, _ := v.([]any)
	for _, e := range list {
		tool, _ := e.(map[string]any)
		out = append(out, toolNames([]any{tool["function"]})...)
	}
	return out
}

// contents answers as Google's API.
func (m *Model) contents(w http.ResponseWriter, stream bool, t Turn) {
	part := map[string]any{"text": t.Say}
	if t.Tool != "" {
		part = map[string]any{"functionCall": map[string]any{"name": t.Tool, "args": t.Input}}
	}
	answer := map[string]any{
		"candidates":    []any{map[string]any{"index": 0, "finishReason": "STOP", "content": map[string]any{"role": "model", "parts": []any{part}}}},
		"usageMetadata": map[string]any{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	}
	if !stream {
		writeJSON(w, answer)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk(w, answer)
}

// declaredNames are the tools of a request to it.
func declaredNames(v any) (out []string) {
	list, _ := v.([]any)
	for _, e := range list {
		tool, _ := e.(map[string]any)
		out = append(out, toolNames(tool["functionDeclarations"])...)
	}
	return out
}

// lastContent returns the text since the model's last answer, in Google's form.
func lastContent(body map[string]any) string {
	all, _ := body["contents"].([]any)
	out := ""
	for i := len(all) - 1; i >= 0; i-- {
		content, _ := all[i].(map[string]any)
		if content["role"] == "model" {
			break
		}
		parts, _ := content["parts"].([]any)
		for _, p := range parts {
			part, _ := p.(map[string]any)
			result, _ := part["functionResponse"].(map[string]any)
			response, _ := result["response"].(map[string]any)
			out += text(response["output"]) + text(response["error"]) + text(part["text"]) + "\n"
		}
	}
	return out
}
