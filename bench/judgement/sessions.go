package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/assent-dev/assent/engine/agents/transcript"
	lack "github.com/assent-dev/assent/engine/registry/gaps"
)

//go:embed testdata/transcripts.txt
var ownSessions string

// othersSessions were written and labelled by authors who did not know the rules.
//
//go:embed testdata/others.txt
var othersSessions string

// session is a labelled session of an agent. Its turns begin with U, A, T, R or E.
type session struct {
	client string
	labels []string
	turns  []string
}

// readSessions reads the labelled sessions.
func readSessions(src string) (out []session) {
	for line := range strings.Lines(src) {
		line = strings.TrimRight(line, "\n")
		head, isHead := strings.CutPrefix(line, "## ")
		switch {
		case isHead:
			client, labels, _ := strings.Cut(head, " | ")
			s := session{client: client}
			if labels != "none" {
				s.labels = strings.Split(labels, ", ")
			}
			out = append(out, s)
		case len(out) == 0 || line == "":
		case strings.HasPrefix(line, "  "):
			turns := out[len(out)-1].turns
			turns[len(turns)-1] += "\n" + line[2:]
		default:
			out[len(out)-1].turns = append(out[len(out)-1].turns, line)
		}
	}
	return out
}

// transcript is the session as its client records it.
func (s session) transcript() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	tool, id := "", ""
	for n, turn := range s.turns {
		kind, text, _ := strings.Cut(turn, ":")
		text = strings.TrimPrefix(text, " ")
		q := quoted(text)
		if kind == "T" {
			tool, text, _ = strings.Cut(text, " ")
			q, id = inputFor(tool, text), fmt.Sprint("call_", n)
		}
		switch s.client + " " + kind {
		case "claude-code U":
			line(`{"type":"user","message":{"role":"user","content":%s},"uuid":"u%d"}`, q, n)
		case "claude-code A":
			line(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":%s}]},"uuid":"u%d"}`, q, n)
		case "claude-code T":
			line(`{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"%s","name":"%s","input":%s}]}}`, id, tool, q)
		case "claude-code R", "claude-code E":
			line(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":%s,"is_error":%t}]}}`, id, q, kind == "E")
		case "codex U":
			line(`{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":%s}]}}`, q)
		case "codex A":
			line(`{"type":"event_msg","payload":{"type":"agent_message","message":%s}}`, q)
			line(`{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":%s}]}}`, q)
		case "codex T":
			line(`{"type":"response_item","payload":{"type":"function_call","name":"%s","arguments":%s,"call_id":"%s"}}`, tool, quoted(q), id)
		case "codex R", "codex E":
			code := map[string]int{"E": 1}[kind]
			line(`{"type":"response_item","payload":{"type":"function_call_output","call_id":"%s","output":%s}}`, id, quoted(fmt.Sprintf(`{"output":%s,"metadata":{"exit_code":%d}}`, q, code)))
		case "text U":
			line("User: %s", text)
		case "text A":
			line("Assistant: %s", text)
		}
	}
	return b.String()
}

// inputFor is the JSON that a client records for the input of a call.
func inputFor(tool, text string) string {
	switch {
	case strings.HasPrefix(text, "{"):
		return text
	case tool == "shell":
		return `{"command":["bash","-lc",` + quoted(text) + `]}`
	case tool == "WebFetch":
		return `{"url":` + quoted(text) + `}`
	case tool == "Bash":
		return `{"command":` + quoted(text) + `}`
	}
	return `{"input":` + quoted(text) + `}`
}

func quoted(s string) string {
	out, _ := json.Marshal(s) // a string is always JSON
	return string(bytes.TrimSpace(out))
}

// hear returns the gaps in a session.
func (s session) hear() ([]lack.Gap, error) {
	h := lack.New(lack.Rules{})
	read, err := transcript.Read(strings.NewReader(s.transcript()), h.Hear)
	if err == nil && read.DamagedLines > 0 {
		err = fmt.Errorf("a session is not rendered well: %v", read.Damaged)
	}
	return h.Gaps(), err
}

// is reports whether a gap is that of a label, and whether its type is.
func is(label string, g lack.Gap) (same, typed bool) {
	kind, word, _ := strings.Cut(label, ":")
	same = strings.Contains(strings.ToLower(g.Name+" "+g.Purpose), word)
	return same, same && kind == string(g.Type)
}

// heard judges package gaps by one part of the labelled sessions of each set. What is
// wrong is written to misses.
func heard(sealed bool, misses io.Writer) ([]figure, error) {
	own, err := heardIn("sessions", readSessions(ownSessions), sealed, misses)
	if err != nil {
		return nil, err
	}
	others, err := heardIn("sessions by others", readSessions(othersSessions), sealed, misses)
	return append(own, others...), err
}

func heardIn(set string, sessions []session, sealed bool, misses io.Writer) ([]figure, error) {
	count := map[string][2]int{}
	add := func(what string, hits int) { c := count[what]; count[what] = [2]int{c[0] + hits, c[1] + 1} }
	for _, s := range sessions {
		if (query{text: strings.Join(s.turns, "\n")}).sealed() != sealed {
			continue
		}
		found, err := s.hear()
		if err != nil {
			return nil, err
		}
		for _, g := range found {
			right := 0
			for _, label := range s.labels {
				if same, _ := is(label, g); same {
					right = 1
				}
			}
			add("reported and right (precision)", right)
			if right == 0 {
				fmt.Fprintf(misses, "FALSE %v %+v\n%s\n", s.labels, g, strings.Join(s.turns, "\n"))
			}
		}
		for _, label := range s.labels {
			hit, kind := 0, 0
			for _, g := range found {
				if same, typed := is(label, g); same {
					hit = 1
					if typed {
						kind = 1
					}
				}
			}
			add("labelled and reported (recall)", hit)
			if hit == 1 {
				add("reported with the right type", kind)
			}
			if kind == 0 {
				fmt.Fprintf(misses, "MISSED %v %+v\n%s\n", label, found, strings.Join(s.turns, "\n"))
			}
		}
		if len(s.labels) == 0 {
			add("sessions without a gap, nothing reported", map[bool]int{true: 1}[len(found) == 0])
		}
	}
	var out []figure
	for _, what := range []string{"reported and right (precision)", "labelled and reported (recall)", "reported with the right type", "sessions without a gap, nothing reported"} {
		out = append(out, figure{set, what, count[what][0], count[what][1], 0})
	}
	return out, nil
}
