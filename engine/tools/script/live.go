package script

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/workspace/run"
)

// Each line of the output of a script that runs begins with one of these bytes.
const (
	LiveStdout = 'o'
	LiveStderr = 'e'
)

// MaxLive bounds the output of a script that runs, in bytes.
const MaxLive = 2 << 20

// live passes on the output of a script while it runs, line by line, up to the limit of a script's output.
type live struct {
	mu   sync.Mutex
	to   io.Writer
	left int64
}

func (l *live) write(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left -= int64(len(p)); l.left >= 0 {
		_, _ = l.to.Write(p) // what is missing comes with the result
	}
}

// stream is one of a script's two outputs. It passes on whole lines. With a mark, the lines from there on are
// artifacts: what precedes the mark ends one byte before it, so the newest line waits for the next.
type stream struct {
	live *live
	name byte
	mark string
	part []byte
	held []byte
	over bool
}

// Write implements io.Writer. It never fails.
func (s *stream) Write(p []byte) (int, error) {
	var out []byte
	for s.part = append(s.part, p...); !s.over; {
		line, rest, whole := bytes.Cut(s.part, []byte("\n"))
		if !whole {
			break
		}
		if s.part = rest; s.mark != "" && string(line) == s.mark {
			s.over = true
			break
		}
		line = append(append([]byte{s.name}, line...), '\n')
		if s.mark != "" {
			line, s.held = s.held, line
		}
		out = append(out, line...)
	}
	if s.over = s.over || len(s.part) > run.MaxOutput; s.over {
		s.part = nil
	}
	if len(out) > 0 {
		s.live.write(out)
	}
	return len(p), nil
}

// ReadLive returns what was passed on of a script's output, in the form of the output of one that ended, but whole.
// The last line may be incomplete, as a killed process leaves it.
func ReadLive(data []byte) (out run.Output) {
	var stdout, stderr strings.Builder
	for line := range strings.Lines(string(data)) {
		to := &stdout
		switch {
		case !strings.HasSuffix(line, "\n"):
			continue
		case line[0] == LiveStderr:
			to = &stderr
		}
		to.WriteString(strings.ToValidUTF8(line[1:], "�"))
	}
	out.Stdout, out.Stderr = stdout.String(), stderr.String()
	return out
}
