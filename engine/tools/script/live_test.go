package script

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Whatever the pieces in which output arrives, what is passed on are whole lines, a beginning of what is kept, and no
// artifact.
func TestLiveIsABeginning(t *testing.T) {
	const mark = "assent-artifacts-X"
	dice := rand.New(rand.NewPCG(20, 4))
	parts := []string{"a", "\n", "é", "\xff", "\xff\xfe", "\n\n", "line of text", mark, "\r"}
	for range 3000 {
		var own strings.Builder
		for range dice.IntN(12) {
			own.WriteString(parts[dice.IntN(len(parts))])
		}
		said, use := own.String(), ""
		if dice.IntN(2) == 0 {
			use = mark
			said += "\n" + mark + "\n" + strings.Repeat("QUJD\n", dice.IntN(3))
		}
		var file bytes.Buffer
		s := &stream{live: &live{to: &file, left: 1 << 20}, name: LiveStdout, mark: use}
		for rest := []byte(said); len(rest) > 0; {
			n := 1 + dice.IntN(len(rest))
			_, _ = s.Write(rest[:n])
			rest = rest[n:]
		}
		kept := []byte(said)
		if use != "" {
			kept, _, _ = unbundle(kept, use, nil)
		}
		text, _ := end(kept)
		got := ReadLive(file.Bytes()).Stdout
		if !strings.HasPrefix(text, got) || strings.Count(text[len(got):], "\n") > 1 && !strings.Contains(own.String(), mark) || use == "" && strings.Contains(text[len(got):], "\n") {
			t.Fatalf("%q: passed on %q, kept %q", said, got, text)
		}
	}
}

// Beyond the limit, and after a line that does not end, nothing is passed on. A file that a killed process left is read
// up to its last whole line.
func TestLiveIsBounded(t *testing.T) {
	var file bytes.Buffer
	l := &live{to: &file, left: 10}
	out, errs := &stream{live: l, name: LiveStdout}, &stream{live: l, name: LiveStderr}
	for _, s := range []*stream{out, errs, out, errs} {
		_, _ = s.Write([]byte("abc\n"))
	}
	if got := ReadLive(file.Bytes()); got.Stdout != "abc\n" || got.Stderr != "abc\n" {
		t.Errorf("%+v", got)
	}
	l.left = 1 << 20
	_, _ = out.Write(make([]byte, run.MaxOutput+1))
	_, _ = out.Write([]byte("\nabc\n"))
	if got := ReadLive(file.Bytes()); got.Stdout != "abc\n" || len(out.part) > 0 {
		t.Errorf("%+v, and %d bytes are held", got, len(out.part))
	}
	if got := ReadLive([]byte("oabc\neab")); got.Stdout != "abc\n" || got.Stderr != "" {
		t.Errorf("%+v", got)
	}
}

// A secret is redacted in what is passed on, too.
func TestLiveWithoutSecrets(t *testing.T) {
	box, err := sandbox.New(t.Context())
	if err != nil {
		t.Skip(err)
	}
	var file bytes.Buffer
	c := Call{InForce: true, Live: &file, View: tree.NewMap()}
	c.Runtime, c.Text, c.Timeout = "bash", "echo one; echo $TOKEN; echo $TOKEN >&2; echo two", sandbox.Default().Wall
	r := Ready{Call: c, runner: box, args: []string{"bash", "-c", c.Text}, secrets: map[string]string{"TOKEN": "correct horse battery staple"}}
	out, _, why, err := r.Run(t.Context())
	if err != nil || why != "" {
		t.Fatal(err, why)
	}
	got := ReadLive(file.Bytes())
	if got.Stdout != out.Stdout || got.Stderr != out.Stderr || got.Stdout != "one\n[redacted:TOKEN]\ntwo\n" || strings.Contains(file.String(), "horse") {
		t.Errorf("%q; kept %+v", file.String(), out)
	}
}
