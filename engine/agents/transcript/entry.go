package transcript

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/registry/gaps"
)

// entry has the fields of all forms of a line.
type entry struct {
	Type string `json:"type"`
	// Message is one of Claude Code: the agent's, or a person's with results.
	Message message `json:"message"`
	// Meta marks a text that the client wrote in a person's place.
	Meta bool `json:"isMeta"`
	// Usage, Cost and Answer are those of a whole session of Claude Code, Usage that of a turn of codex exec.
	Usage  usage   `json:"usage"`
	Cost   float64 `json:"total_cost_usd"`
	Answer string  `json:"result"`
	// Payload is an item of a rollout of Codex, Item one of codex exec --json.
	Payload item `json:"payload"`
	Item    item `json:"item"`

	// The others are those of a hook.
	Event     string          `json:"hook_event_name"`
	Last      string          `json:"last_assistant_message"`
	Response  string          `json:"prompt_response"`
	Tool      string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"`
	ToolOut   json.RawMessage `json:"tool_response"`
	Error     string          `json:"error"`
}

type message struct {
	ID      string  `json:"id"`
	Usage   usage   `json:"usage"`
	Role    string  `json:"role"`
	Model   string  `json:"model"`
	Content content `json:"content"`
}

// content is a text or a list of blocks.
type content []block

type block struct {
	Type   string          `json:"type"`
	Text   string          `json:"text"`
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
	For    string          `json:"tool_use_id"`
	Result content         `json:"content"`
	Failed bool            `json:"is_error"`
}

// UnmarshalJSON reads both forms.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if len(data) > 0 && data[0] == '"' {
		err := json.Unmarshal(data, &text)
		*c = content{{Type: "text", Text: text}}
		return err
	}
	return json.Unmarshal(data, (*[]block)(c))
}

func (c content) text() string {
	var b strings.Builder
	for _, part := range c {
		b.WriteString(part.Text)
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}

// item is one of Codex.
type item struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Text      string          `json:"text"`
	Content   content         `json:"content"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Action    json.RawMessage `json:"action"`
	ID        string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`

	Info struct {
		Total struct {
			Tokens int64 `json:"total_tokens"`
		} `json:"total_token_usage"`
	} `json:"info"`

	Command string `json:"command"`
	Printed string `json:"aggregated_output"`
	Exit    *int   `json:"exit_code"`
	Status  string `json:"status"`
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
}

// entry hands over the events of a line, and returns its form; "" for an unknown one.
func (r *reader) entry(e *entry) Form {
	switch {
	case e.Event != "":
		r.hook(e)
		return Hook
	case e.Type == "assistant" && e.Message.Role == "assistant":
		if e.Message.Model != "<synthetic>" { // a message of the client
			r.blocks(e.Message.Content)
			r.spent.message(e.Message.ID, e.Message.Usage.tokens())
		}
		return Claude
	case e.Type == "result":
		if r.out.Messages == 0 { // with --output-format json, all that the agent said
			r.said(e.Answer)
		}
		r.spent.session(e.Usage.tokens(), e.Cost)
		return Claude
	case e.Type == "user" && e.Message.Role == "user":
		r.results(e.Message.Content, e.Meta)
		return Claude
	case e.Type == "response_item":
		r.item(&e.Payload)
		return Codex
	case e.Type == "turn.completed":
		r.spent.add(e.Usage.tokens())
		return Codex
	case e.Type == "event_msg" && e.Payload.Type == "token_count":
		r.spent.total(e.Payload.Info.Total.Tokens)
		return Codex
	case e.Type == "session_meta", e.Type == "turn_context", e.Type == "event_msg": // events repeat items
		return Codex
	case e.Type == "item.completed":
		r.executed(&e.Item)
		return Codex
	case e.Type == "thread.started":
		return Codex
	case e.Type == "summary", e.Type == "system", e.Type == "file-history-snapshot", e.Type == "queue-operation":
		return Claude
	}
	return ""
}

func (r *reader) blocks(c content) {
	for _, b := range c {
		switch b.Type {
		case "text":
			r.said(b.Text)
		case "tool_use":
			r.called(b.ID, b.Name, inputOf(b.Input))
		}
	}
}

// results reads a message in a person's name: results of calls, or a person's words.
func (r *reader) results(c content, meta bool) {
	for _, b := range c {
		switch {
		case b.Type == "tool_result":
			r.answered(b.For, b.Result.text(), b.Failed)
		case b.Type == "text" && !meta:
			r.hear(gaps.Event{Asked: true})
		}
	}
}

func (r *reader) item(i *item) {
	switch i.Type {
	case "message":
		switch i.Role {
		case "assistant":
			r.said(i.Content.text())
		case "user":
			r.hear(gaps.Event{Asked: true})
		}
	case "function_call", "custom_tool_call", "local_shell_call":
		input := i.Arguments
		if len(input) == 0 {
			input = i.Input
		}
		name := i.Name
		if i.Type == "local_shell_call" {
			name, input = "local_shell", i.Action
		}
		if i.Namespace != "" {
			name = i.Namespace + "__" + name
		}
		r.called(i.ID, name, inputOf(input))
	case "function_call_output", "custom_tool_call_output":
		text, failed := outputOf(i.Output)
		r.answered(i.ID, text, failed)
	}
}

// executed reads an item of codex exec --json, which holds a call together with its result.
func (r *reader) executed(i *item) {
	switch i.Type {
	case "agent_message":
		r.said(i.Text)
	case "command_execution":
		r.done("command_execution", i.Command, i.Printed, i.Status == "failed" || i.Exit != nil && *i.Exit != 0)
	case "mcp_tool_call":
		r.done("mcp__"+i.Server+"__"+i.Tool, inputOf(i.Arguments), i.Error.Message, i.Status == "failed")
	}
}

func (r *reader) hook(e *entry) {
	switch e.Event {
	case "Stop", "SubagentStop":
		r.said(e.Last)
	case "AfterAgent":
		r.said(e.Response)
	case "UserPromptSubmit", "BeforeAgent":
		r.hear(gaps.Event{Asked: true})
	case "PostToolUseFailure":
		r.done(e.Tool, inputOf(e.ToolInput), e.Error, true)
	case "PostToolUse":
		r.done(e.Tool, inputOf(e.ToolInput), "", false)
	case "AfterTool":
		var out struct {
			Error json.RawMessage `json:"error"`
			Text  string          `json:"llmContent"`
		}
		_ = json.Unmarshal(e.ToolOut, &out) // another form says nothing of a failure
		failed := len(out.Error) > 0 && string(out.Error) != "null"
		r.done(e.Tool, inputOf(e.ToolInput), out.Text+string(out.Error), failed)
	}
}

// inputOf returns the command or address of a call, else its input as JSON. An input may be JSON in a string.
func inputOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if !strings.HasPrefix(strings.TrimSpace(text), "{") {
			return text
		}
		raw = json.RawMessage(text)
	}
	var in struct {
		Command json.RawMessage `json:"command"`
		Cmd     string          `json:"cmd"`
		URL     string          `json:"url"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return string(raw)
	}
	var words []string
	switch {
	case json.Unmarshal(in.Command, &text) == nil && text != "":
		return text
	case json.Unmarshal(in.Command, &words) == nil && len(words) > 0:
		if len(words) == 3 && strings.HasSuffix(words[0], "sh") && strings.HasPrefix(words[1], "-") { // bash -lc "…"
			return words[2]
		}
		return strings.Join(words, " ")
	case in.Cmd != "":
		return in.Cmd
	case in.URL != "":
		return in.URL
	}
	return string(raw)
}

// exited finds the exit code in the head of an output of Codex.
var exited = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^(?:process )?exit(?:ed with)? code:? (\d+)`)
})

// headOf returns the part of an output of Codex before what the program printed: the lines before Output:,
// else the first line.
func headOf(text string) string {
	first, _, _ := strings.Cut(text[:min(len(text), 1000)], "\nOutput:")
	if len(first) == min(len(text), 1000) {
		first, _, _ = strings.Cut(first, "\n")
	}
	return first
}

// outputOf reads an output of Codex: a text that may begin with the exit code, JSON in a string, an object
// with success, or blocks.
func outputOf(raw json.RawMessage) (text string, failed bool) {
	var out struct {
		Output   string  `json:"output"`
		Content  content `json:"content"`
		Success  *bool   `json:"success"`
		IsError  bool    `json:"isError"`
		Metadata struct {
			Exit int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal(raw, &text) != nil {
		var blocks content
		if json.Unmarshal(raw, &blocks) == nil {
			return blocks.text(), false
		}
		text = string(raw)
	}
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &out) == nil && (out.Output != "" || len(out.Content) > 0 || out.Metadata.Exit != 0 || out.Success != nil) {
		return out.Output + out.Content.text(), out.Metadata.Exit != 0 || out.IsError || out.Success != nil && !*out.Success
	}
	if m := exited().FindStringSubmatch(headOf(text)); m != nil {
		code, err := strconv.Atoi(m[1])
		return text, err != nil || code != 0
	}
	return text, false
}
