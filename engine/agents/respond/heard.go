package respond

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/assent-dev/assent/engine/agents/hook"
	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/agents/transcript"
	"github.com/assent-dev/assent/engine/registry/gaps"
)

// heard answers the end of a turn: what the agent lacked in it, and what serves that already. The client
// continues the turn with the answer. A turn that was continued in this way gets no second answer.
func (r Responder) heard(ctx context.Context, e *hook.Event) ([]byte, error) {
	if e.Continued() {
		return nil, nil
	}
	found, err := toolset.Hear(ctx, r.Agent, func(rules gaps.Rules) ([]gaps.Gap, error) { return lastTurn(e, rules) })
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var lines []string
	for _, g := range found {
		lines = append(lines, g.Name+" ("+string(g.Type)+"): "+g.Served())
	}
	return e.Continue(hook.Lacks(lines))
}

// maxTail is how much of a transcript is read, from its end, in bytes.
const maxTail = 64 << 10

// lastTurn hears gaps in the last turn of a session, by its transcript and the last message. A model can
// call the tool of the hooks with any path: only a client's transcript is read, and nothing of it but
// the names of gaps is answered.
func lastTurn(e *hook.Event, rules gaps.Rules) ([]gaps.Gap, error) {
	var turn []gaps.Event
	err := readTail(e.Transcript, func(event gaps.Event) {
		if turn = append(turn, event); event.Asked {
			turn = nil
		}
	})
	h := gaps.New(rules)
	for _, event := range append(turn, gaps.Event{Words: e.Last}) {
		h.Hear(event)
	}
	return h.Gaps(), err
}

// readTail reads the end of a transcript; none where there is no such file.
func readTail(path string, hear func(gaps.Event)) error {
	if !filepath.IsAbs(path) || filepath.Ext(path) != ".jsonl" {
		return nil
	}
	at, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && !at.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	f, err := os.Open(path) //nolint:gosec // see lastTurn
	if err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	defer f.Close()
	if _, err := f.Seek(max(0, at.Size()-maxTail), io.SeekStart); err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	in := bufio.NewReader(io.LimitReader(f, maxTail))
	if at.Size() > maxTail {
		if _, err := in.ReadString('\n'); err != nil { // a line is cut, and it may be the only one
			return nil //nolint:nilerr // then nothing is heard
		}
	}
	if _, err = transcript.Read(in, hear); errors.Is(err, transcript.ErrBinary) {
		return nil
	}
	return err
}
