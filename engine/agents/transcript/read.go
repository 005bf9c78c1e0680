package transcript

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/registry/gaps"
)

// Form is the form of a transcript.
type Form string

// The forms.
const (
	Text   Form = "text"
	Claude Form = "claude-code"
	Codex  Form = "codex"
	Hook   Form = "hook"
)

const (
	// MaxLine bounds a line, in bytes. Longer ones are named and skipped.
	MaxLine = 16 << 20
	// maxDamaged is how many damaged lines are named.
	maxDamaged = 20
)

// Damage is a line that cannot be read.
type Damage struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// Summary says what was read.
type Summary struct {
	// Form is the form of the first line that has a known one; empty if no line has.
	Form  Form `json:"form"`
	Lines int  `json:"lines"`
	// Messages counts the agent's messages, Calls its calls, Failed those that failed.
	Messages int `json:"messages"`
	Calls    int `json:"calls"`
	Failed   int `json:"failed_calls"`
	// Tokens and Cost, in US dollars, are what the client says that the session used; 0 if it does not say.
	Tokens int64   `json:"tokens"`
	Cost   float64 `json:"cost_usd"`
	// Damaged are the first lines that cannot be read, DamagedLines counts all of them.
	Damaged      []Damage `json:"damaged"`
	DamagedLines int      `json:"damaged_lines"`
	// Unknown counts lines of JSON with another form than the known ones.
	Unknown int `json:"unknown_lines"`
}

// ErrBinary says that an input is no text.
var ErrBinary = errors.New("the input is not text: it has NUL bytes or is not UTF-8")

// Read reads a transcript and hands over its events in order.
func Read(in io.Reader, hear func(gaps.Event)) (Summary, error) {
	r := reader{in: bufio.NewReaderSize(in, 64<<10), pending: map[string]gaps.Call{}, out: Summary{Damaged: []Damage{}}}
	r.hear = func(e gaps.Event) {
		switch {
		case e.Call != nil && e.Call.Failed:
			r.out.Failed++
			fallthrough
		case e.Call != nil:
			r.out.Calls++
		case e.Words != "":
			r.out.Messages++
		}
		if e.Line == 0 {
			e.Line = r.out.Lines
		}
		hear(e)
	}
	err := r.read()
	r.out.Tokens, r.out.Cost = r.spent.tokens, r.spent.cost
	return r.out, err
}

type reader struct {
	in      *bufio.Reader
	line    []byte
	hear    func(gaps.Event)
	out     Summary
	pending map[string]gaps.Call
	order   []string // of pending
	plain   text
	spent   spent
	whole   []byte // all lines, up to MaxLine; for one JSON value of no known form
}

func (r *reader) read() error {
	for {
		cut, err := r.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read line %d of the transcript: %w", r.out.Lines+1, err)
		}
		if ended := errors.Is(err, io.EOF); ended && len(r.line) == 0 && !cut {
			break
		}
		r.out.Lines++
		if plain := r.out.Form == "" || r.out.Form == Text; plain && len(r.whole) <= MaxLine {
			r.whole = append(append(r.whole, r.line...), '\n')
		}
		if wrong := r.take(cut); wrong != nil {
			return wrong
		}
		if err != nil {
			break
		}
	}
	r.plain.end(r.hear)
	if r.unknown() {
		r.out.Form = ""
		r.out.Unknown++
	}
	return nil
}

// cutShort reports whether JSON ends in the middle of a value.
func cutShort(err error) bool { return strings.HasPrefix(err.Error(), "unexpected end") }

// unknown reports whether a text is one JSON value, or the beginning of an object or a list.
func (r *reader) unknown() bool {
	whole := bytes.TrimSpace(r.whole)
	if r.out.Form != Text && r.out.Form != "" || len(whole) == 0 || len(whole) > MaxLine {
		return false
	}
	var value json.RawMessage
	err := json.Unmarshal(whole, &value)
	return err == nil || bytes.IndexByte([]byte("{["), whole[0]) >= 0 && cutShort(err)
}

// next reads a line into r.line, without its end. cut says that it is longer than MaxLine, and that its
// rest was skipped.
func (r *reader) next() (cut bool, err error) {
	r.line = r.line[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		if len(r.line)+len(part) > MaxLine {
			cut = true
		} else if !cut {
			r.line = append(r.line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			r.line = bytes.TrimRight(r.line, "\r\n")
			return cut, err
		}
	}
}

// take reads one line.
func (r *reader) take(cut bool) error {
	line := bytes.TrimSpace(r.line)
	switch {
	case cut:
		r.damaged(fmt.Sprintf("it has more than %d MiB", MaxLine>>20))
		return nil
	case r.out.Form == "" && (bytes.IndexByte(line, 0) >= 0 || !utf8.Valid(line)):
		return ErrBinary
	case len(line) == 0 && r.out.Form != Text:
		return nil
	case r.out.Form == Text, r.out.Form == "" && line[0] != '{':
		r.out.Form = Text
		r.plain.line(r.out.Lines, string(bytes.ToValidUTF8(r.line, nil)), r.hear)
		return nil
	}
	var e entry
	err := json.Unmarshal(line, &e)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && cutShort(err):
		r.damaged("it ends in the middle")
		return nil
	case errors.As(err, &syntax):
		r.damaged("it is no JSON: " + err.Error())
		return nil
	}
	// A field of another type than expected leaves the others.
	form := r.entry(&e)
	if form == "" {
		r.out.Unknown++
	}
	r.out.Form = cmp.Or(r.out.Form, form)
	return nil
}

func (r *reader) damaged(why string) {
	if r.out.DamagedLines++; len(r.out.Damaged) < maxDamaged {
		r.out.Damaged = append(r.out.Damaged, Damage{r.out.Lines, why})
	}
}

const (
	// maxPending bounds the calls that wait for a result.
	maxPending = 1000
	// maxInput and maxOutput bound the kept parts of a call, in bytes.
	maxInput  = 2 << 10
	maxOutput = 8 << 10
)

// called keeps a call until its result is read.
func (r *reader) called(id, tool, input string) {
	if id == "" || tool == "" {
		return
	}
	if len(r.order) == maxPending {
		delete(r.pending, r.order[0])
		r.order = r.order[1:]
	}
	if _, twice := r.pending[id]; !twice {
		r.order = append(r.order, id)
	}
	r.pending[id] = gaps.Call{Tool: tool, Input: head(input)}
}

// answered hands over a call with its result.
func (r *reader) answered(id, output string, failed bool) {
	c, known := r.pending[id]
	if !known {
		return
	}
	delete(r.pending, id)
	for i, other := range r.order {
		if other == id {
			r.order = append(r.order[:i], r.order[i+1:]...)
			break
		}
	}
	r.done(c.Tool, c.Input, output, failed)
}

func (r *reader) done(tool, input, output string, failed bool) {
	r.hear(gaps.Event{Call: &gaps.Call{Tool: tool, Input: head(input), Output: tail(output), Failed: failed}})
}

// said hands over the agent's words.
func (r *reader) said(words string) {
	if words != "" {
		r.hear(gaps.Event{Words: words})
	}
}

func head(s string) string {
	if len(s) > maxInput {
		s = string(bytes.ToValidUTF8([]byte(s[:maxInput]), nil))
	}
	return s
}

func tail(s string) string {
	if len(s) > maxOutput {
		s = string(bytes.ToValidUTF8([]byte(s[len(s)-maxOutput:]), nil))
	}
	return s
}
