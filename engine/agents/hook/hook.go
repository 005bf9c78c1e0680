package hook

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxEvent bounds an event, in bytes: the content of a file that is written is part of it.
const MaxEvent = 32 << 20

// The events that have answers.
const (
	SessionStart = "SessionStart"
	PreToolUse   = "PreToolUse"
)

// WritingTools matches the tools that write a file, as a client's matcher.
const WritingTools = "Write|Edit|MultiEdit|NotebookEdit"

// Event is what a client tells its hooks.
type Event struct {
	Name  string `json:"hook_event_name"`
	Dir   string `json:"cwd"`
	Tool  string `json:"tool_name"`
	Input struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
	} `json:"tool_input"`
}

// Parse reads an event. Unknown fields are ignored, because later clients send more.
func Parse(data []byte) (Event, error) {
	var e Event
	if len(data) > MaxEvent {
		return e, fmt.Errorf("the event has more than %d bytes", MaxEvent)
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("read the event: %w", err)
	}
	return e, nil
}

// Writes is the file that a tool is about to write, relative to Dir or absolute; "" for another event.
func (e Event) Writes() string {
	switch {
	case e.Name != PreToolUse:
		return ""
	case e.Input.File != "":
		return e.Input.File
	}
	return e.Input.Notebook
}

// answer is the form that clients read.
type answer struct {
	Output output `json:"hookSpecificOutput"`
}

type output struct {
	Event    string `json:"hookEventName"`
	Context  string `json:"additionalContext,omitempty"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
}

// Tell adds a text to what the model reads.
func (e Event) Tell(text string) ([]byte, error) {
	return json.Marshal(answer{output{Event: e.Name, Context: text}})
}

// Deny keeps a tool from running; the model reads why.
func (e Event) Deny(reason string) ([]byte, error) {
	return json.Marshal(answer{output{Event: e.Name, Decision: "deny", Reason: reason}})
}

// maxContext is how many characters of an answer clients pass on: Codex cuts above 10 000.
const maxContext = 9500

// Start is the text for the start of a session: who the agent is, then the news. An identity that does
// not fit is cut at a line, and the text says how to read all of it. soul is "" without an identity.
func Start(agent, soul string, news []string) string {
	head := "You are the agent " + agent + " of an assent workspace."
	if soul != "" {
		head += " Your identity, approved and in force:\n\n"
	}
	tail := "\n\n" + strings.Join(news, "\n") + "\n"
	room := maxContext - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	soul = strings.TrimSpace(soul)
	if utf8.RuneCountInString(soul) > room {
		rest := "\n(cut; `assent soul show " + agent + "` prints all of it)"
		soul = string([]rune(soul)[:max(0, room-len(rest))])
		if at := strings.LastIndexByte(soul, '\n'); at > 0 {
			soul = soul[:at]
		}
		soul += rest
	}
	return head + soul + tail
}
