package work_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/flows/work"
)

// TestLog: a log has the beginning and the end of what was written, in whatever pieces, and says how much is missing.
func TestLog(t *testing.T) {
	const most = 400
	for _, lines := range []int{0, 1, 40, 41, 79, 100, 1000} {
		var all strings.Builder
		for i := range lines {
			fmt.Fprintf(&all, "line %04d\n", i)
		}
		for _, piece := range []int{1, 7, 100, 399, 5000} {
			var out bytes.Buffer
			l := work.NewLog(&out, most)
			for rest := []byte(all.String()); len(rest) > 0; {
				n := min(piece, len(rest))
				if wrote, err := l.Write(rest[:n]); wrote != n || err != nil {
					t.Fatalf("wrote %d of %d: %v", wrote, n, err)
				}
				rest = rest[n:]
			}
			if err := l.End(); err != nil {
				t.Fatal(err)
			}
			if all.Len() <= most {
				if out.String() != all.String() || l.LeftOut != 0 {
					t.Errorf("%d lines by %d: %d left out of %q", lines, piece, l.LeftOut, out.String())
				}
				continue
			}
			head, end, found := strings.Cut(out.String(), fmt.Sprintf("\n[assent left out %d bytes of the output]\n", l.LeftOut))
			if !found || !strings.HasPrefix(all.String(), head) || !strings.HasSuffix(all.String(), "\n"+end) ||
				len(head) != most-most/4 || end == "" || int64(len(head)+len(end))+l.LeftOut != int64(all.Len()) {
				t.Errorf("%d lines by %d: %d left out of %q", lines, piece, l.LeftOut, out.String())
			}
		}
	}
	var out bytes.Buffer
	l := work.NewLog(&out, 8)
	_, _ = l.Write([]byte("one line of a length beyond all bounds"))
	if err := l.End(); err != nil || !strings.HasSuffix(out.String(), "]\nds") {
		t.Errorf("one long line: %q %v", out.String(), err)
	}
}
