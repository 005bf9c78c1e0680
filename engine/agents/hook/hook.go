package hook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/names"
)

// MaxEvent bounds an event, in bytes: the content of a file that is written is part of it.
const MaxEvent = 32 << 20

// The events that are answered or recorded.
const (
	SessionStart     = "SessionStart"
	UserPromptSubmit = "UserPromptSubmit"
	PreToolUse       = "PreToolUse"
	PostToolUse      = "PostToolUse"
	Stop             = "Stop"
)

// ToolName is the tool of the server assent that answers events. No listing has it.
const ToolName = "hook"

// geminiNames are Claude Code's for the events of Gemini CLI.
var geminiNames = map[string]string{"BeforeAgent": UserPromptSubmit, "BeforeTool": PreToolUse, "AfterTool": PostToolUse, "AfterAgent": Stop}

// Event is what a client sends to its hooks. Name is that of Claude Code for the same event.
type Event struct {
	Name   string `json:"hook_event_name"`
	Dir    string `json:"cwd"`
	Prompt string `json:"prompt"`
	Tool   string `json:"tool_name"`
	Input  Input  `json:"tool_input"`
	// Output is what a tool returned: in Codex a text, in other clients an object.
	Output json.RawMessage `json:"tool_response"`
	// Turn is sent by Codex only.
	Turn string `json:"turn_id"`
	// Transcript is the file of the session's transcript, Last the agent's last message.
	Transcript string `json:"transcript_path"`
	Last       string `json:"last_assistant_message"`
	// Active says at the end of a turn that it went on because of a hook, as JSON or in a string.
	Active json.RawMessage `json:"stop_hook_active"`
	// Response is Gemini CLI's name for Last.
	Response string `json:"prompt_response"`
	// sent is the name that the client gave the event.
	sent string
}

// Continued reports whether a turn went on because of a hook. A value that is not false counts, so that no
// client goes on without end.
func (e *Event) Continued() bool {
	switch string(e.Active) {
	case "", "null", "false", `"false"`, `""`:
		return false
	}
	return true
}

// Input is the part of a tool's input that hooks look at.
type Input struct {
	File     string `json:"file_path"`
	Notebook string `json:"notebook_path"`
	Skill    string `json:"skill"`
	// Name is Gemini CLI's field for Skill.
	Name string `json:"name"`
	// Command is a command of a shell or, in Codex, a patch.
	Command string `json:"command"`
}

// UnmarshalJSON also reads an input that is JSON in a string: Claude Code puts it so into the
// arguments of a hook that is an MCP tool.
func (i *Input) UnmarshalJSON(data []byte) error {
	type plain Input
	var text string
	if json.Unmarshal(data, &text) == nil {
		data = []byte(text)
	}
	return json.Unmarshal(data, (*plain)(i))
}

// Arguments are those of a hook that is an MCP tool, for events of one kind about these tools. The client fills
// in the values; Parse reads the result like an event.
func Arguments(event, tools string) map[string]string {
	out := map[string]string{"hook_event_name": "${hook_event_name}", "cwd": "${cwd}"}
	switch event {
	case UserPromptSubmit:
		out["prompt"] = "${prompt}"
		return out
	case Stop:
		out["transcript_path"], out["last_assistant_message"], out["stop_hook_active"] = "${transcript_path}", "${last_assistant_message}", "${stop_hook_active}"
		return out
	}
	out["tool_name"], out["tool_input"] = "${tool_name}", "${tool_input}"
	if event == PostToolUse && tools == shellTool { // what a command has read is in its output only
		out["tool_response"] = "${tool_response}"
	}
	return out
}

// Parse reads an event; it is never nil. Unknown fields are ignored, because later clients send more.
func Parse(data []byte) (*Event, error) {
	e := &Event{}
	if len(data) > MaxEvent {
		return e, fmt.Errorf("the event has more than %d bytes", MaxEvent)
	}
	if err := json.Unmarshal(data, e); err != nil {
		return e, fmt.Errorf("read the event: %w", err)
	}
	e.sent = e.Name
	if name := geminiNames[e.Name]; name != "" {
		e.Name, e.Last, e.Input.Skill = name, e.Response, e.Input.Name
		if _, own, found := strings.Cut(e.Prompt, "</hook_context>"); found { // the text for the session's start
			e.Prompt = own
		}
	}
	return e, nil
}

// gemini reports whether the client is Gemini CLI.
func (e *Event) gemini() bool { return e.sent != e.Name }

// shellTool runs commands in Claude Code and Codex.
const shellTool = "Bash"

// writing and running are the clients' tools that write files, and that run commands.
var (
	writing = []string{"Write", "Edit", "MultiEdit", "NotebookEdit", "apply_patch", "write_file", "replace"}
	running = []string{shellTool, "run_shell_command"}
)

// Reads is the file that a tool has read or the name of the skill that it has loaded; both are ""
// for another event.
func (e *Event) Reads() (file, skill string) {
	if e.Name != PostToolUse || slices.Contains(writing, e.Tool) {
		return "", ""
	}
	return e.Input.File, e.Input.Skill
}

var (
	// skillFiles are the words of a command that end in the file of a skill.
	skillFiles = regexp.MustCompile(`[^\s"'` + "`" + `;|&<>()=]+/` + names.SkillFile)
	// mention is how a person names a skill to Codex.
	mention = regexp.MustCompile(`\$([a-z0-9][a-z0-9-]*)`)
)

// maxShown bounds the files of one command, and the mentions of one prompt, that are looked at.
const maxShown = 20

// Shown are the files of skills that a command named, and what it printed. Codex reads skills by commands.
func (e *Event) Shown() (files []string, output string) {
	if e.Name != PostToolUse || e.Tool != shellTool || json.Unmarshal(e.Output, &output) != nil {
		return nil, ""
	}
	return skillFiles.FindAllString(e.Input.Command[:min(len(e.Input.Command), maxWrap)], maxShown), output
}

// Mentions are the names of skills in a prompt whose text Codex adds to it.
func (e *Event) Mentions() (out []string) {
	if e.Turn == "" {
		return nil
	}
	for _, m := range mention.FindAllStringSubmatch(e.Prompt, maxShown) {
		out = append(out, m[1])
	}
	return out
}

// hinted reports whether what the model should know about a call of a tool goes with this event. Gemini CLI gives
// it only what follows the call.
func (e *Event) hinted() bool { return e.Name == PreToolUse || e.gemini() && e.Name == PostToolUse }

// patched are the lines of a patch that name files. Codex also finds a patch in a command.
var patched = regexp.MustCompile(`(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$`)

// Writes are the files that a tool is about to write, relative to Dir or absolute; none for another event. What may
// become a folder ends in a slash.
func (e *Event) Writes() []string {
	var out []string
	if !e.hinted() {
		return nil
	}
	for _, m := range patched.FindAllStringSubmatch(e.Input.Command, -1) {
		out = append(out, m[1])
	}
	if slices.Contains(running, e.Tool) {
		out = append(out, created(e.Input.Command[:min(len(e.Input.Command), maxWrap)])...)
	}
	if file := cmp.Or(e.Input.File, e.Input.Notebook); file != "" && (e.Name == PreToolUse || slices.Contains(writing, e.Tool)) {
		out = append(out, file)
	}
	return out
}

// creating are the parts of a command that create files: a redirection, a command whose arguments are all
// created, as files or as folders, and one whose last argument is.
var creating = regexp.MustCompile(`>\|?\s*([^\s;|&<>()]+)|\b(?:touch|tee)\s([^;|&<>()\n]+)|\bmkdir\s([^;|&<>()\n]+)|\b(?:cp|mv|ln|install|rsync|clone)\s([^;|&<>()\n]+)`)

// descriptor is a redirection of errors and the like.
var descriptor = regexp.MustCompile(`\s[0-9]+>`)

// created returns paths that a shell command creates, as the command spells them. It knows the commonest ways only.
func created(command string) (out []string) {
	words := func(s string) []string {
		return slices.DeleteFunc(strings.Fields(strings.NewReplacer(`"`, "", "'", "", "$HOME/", "~/", "${HOME}/", "~/").Replace(s)), func(w string) bool { return w[0] == '-' })
	}
	for _, m := range creating.FindAllStringSubmatch(descriptor.ReplaceAllString(command, " >"), maxNamed) {
		out = append(out, words(m[1]+m[2])...)
		for _, made := range words(m[3]) {
			out = append(out, made+"/")
		}
		if all := words(m[4]); len(all) > 0 {
			into := all[len(all)-1]
			out = append(out, folder(into))
			for _, from := range all[:len(all)-1] {
				if strings.HasSuffix(folder(into), "/") {
					out = append(out, folder(into+"/"+path.Base(from)))
				}
			}
		}
	}
	return out[:min(len(out), maxNamed)]
}

// folder adds a slash to a path that a command copies to, unless its name has an ending, as that of a file.
func folder(to string) string {
	if len(path.Ext(to)) < 2 { // . and .. have none
		to += "/"
	}
	return to
}

// Begins reports whether the tool has not run yet.
func (e *Event) Begins() bool { return e.Name == PreToolUse }

// answer is the form that clients read. Decision and Reason end a turn otherwise than the agent would; with them
// Gemini CLI also refuses a tool.
type answer struct {
	Output   *output `json:"hookSpecificOutput,omitempty"`
	Decision string  `json:"decision,omitempty"`
	Reason   string  `json:"reason,omitempty"`
}

type output struct {
	Event    string `json:"hookEventName"`
	Context  string `json:"additionalContext,omitempty"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
}

// Tell adds a text to what the model reads.
func (e *Event) Tell(text string) ([]byte, error) {
	return json.Marshal(answer{Output: &output{Event: e.sent, Context: text}})
}

// Continue has the agent go on at the end of a turn; the model reads the text.
func (e *Event) Continue(text string) ([]byte, error) {
	return json.Marshal(answer{Decision: "block", Reason: text})
}

// Deny keeps a tool from running; the model reads why.
func (e *Event) Deny(reason string) ([]byte, error) {
	if e.gemini() {
		return json.Marshal(answer{Decision: "deny", Reason: reason})
	}
	return json.Marshal(answer{Output: &output{Event: e.sent, Decision: "deny", Reason: reason}})
}

// Nothing is the answer that changes nothing, for a client that waits for one.
func Nothing() []byte { return []byte("{}") }

// maxContext is how many characters of an answer clients pass on: Codex cuts above 10 000.
const maxContext = 9500

// maxNews is the part of it that news may take, so that no number of them displaces the identity.
const maxNews = 2000

// Start is the text for the start of a session: who the agent is, then the news. News beyond their part
// are left out. An identity that does not fit is cut at a line, and the text says how to read all of
// it. soul is "" without an identity.
func Start(agent, soul string, news []string) string {
	head := "You are the agent " + agent + " of an assent workspace."
	switch {
	case agent == "":
		head = "This session is connected to an assent workspace."
	case soul != "":
		head += " Your identity, approved and in force:\n\n"
	}
	tail := "\n\n" + bounded(news) + "\n"
	room := maxContext - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	soul = strings.TrimSpace(soul)
	if utf8.RuneCountInString(soul) > room {
		rest := "\n(cut; `assent soul show " + names.ShellWord(agent) + "` prints all of it)"
		soul = string([]rune(soul)[:max(0, room-len(rest))])
		if at := strings.LastIndexByte(soul, '\n'); at > 0 {
			soul = soul[:at]
		}
		soul += rest
	}
	return head + soul + tail
}

// bounded joins the news that fit.
func bounded(news []string) string {
	var b strings.Builder
	left := maxNews
	for i, n := range news {
		if left -= utf8.RuneCountInString(n) + 1; left < 0 {
			fmt.Fprintf(&b, "\n(%d more; the tool status of the server assent has them)", len(news)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(n)
	}
	return b.String()
}
