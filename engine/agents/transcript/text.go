package transcript

import (
	"strings"

	"github.com/assent-dev/assent/engine/registry/gaps"
)

// text collects the lines of a plain text into messages. Without names of speakers all of it is the
// agent's; with them, what others say is not.
type text struct {
	others bool // another one speaks
	from   int  // the line of the first words
	words  strings.Builder
}

// maxWords bounds a message of a plain text, in bytes; the text goes on as the next one.
const maxWords = 32 << 10

// line takes the next line.
func (t *text) line(number int, line string, hear func(gaps.Event)) {
	if who, rest, ok := speaker(line); ok {
		t.end(hear)
		if t.others = !who.agent; who.person {
			hear(gaps.Event{Asked: true})
		}
		line = rest
	}
	if t.others {
		return
	}
	if t.words.Len() == 0 {
		t.from = number
	}
	if t.words.WriteString(line + "\n"); t.words.Len() > maxWords || strings.TrimSpace(line) == "" && t.words.Len() > maxWords/2 {
		t.end(hear)
	}
}

// end hands over the message.
func (t *text) end(hear func(gaps.Event)) {
	if words := t.words.String(); strings.TrimSpace(words) != "" {
		hear(gaps.Event{Line: t.from, Words: words, Lines: true})
	}
	t.words.Reset()
}

type who struct{ agent, person bool }

// speaker reads the name of a speaker at the start of a line, such as "User: …".
func speaker(line string) (w who, rest string, ok bool) {
	name, rest, ok := strings.Cut(line, ":")
	if !ok || len(name) > 12 {
		return w, line, false
	}
	switch strings.ToLower(strings.Trim(name, " *#[]_")) {
	case "assistant", "agent", "claude", "codex", "gemini", "model", "ai":
		return who{agent: true}, rest, true
	case "user", "human", "you", "me":
		return who{person: true}, rest, true
	case "system", "tool", "result", "output", "function":
		return who{}, rest, true
	}
	return w, line, false
}
