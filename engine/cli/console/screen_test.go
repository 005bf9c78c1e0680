package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// TestCut: what is cut has its columns, wide characters stay whole, and the work grows with the text.
func TestCut(t *testing.T) {
	for _, tc := range []struct {
		in      string
		columns int
		want    string
	}{
		{"plain", 5, "plain"}, {"plain text", 5, "plai…"}, {"two words", 5, "two…"}, {"漢漢漢", 4, "漢…"}, {"a👩\u200d🚀b", 3, "a…"}, {"", 3, ""}, {"abc", 0, "…"},
		{strings.Repeat("x", 1<<20), 10, "xxxxxxxxx…"},
	} {
		if got := Cut(tc.in, tc.columns); got != tc.want {
			t.Errorf("%.20q in %d columns: %q, want %q", tc.in, tc.columns, got, tc.want)
		}
	}
}

func TestClean(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"text", "a\tb\nÄ 漢 👩\u200d🚀", "a\tb\nÄ 漢 👩\u200d🚀"},
		{"a window's title", "\x1b]0;mine\a", `\u001b]0;mine\u0007`},
		{"colours", "\x1b[31mred\x1b[0m", `\u001b[31mred\u001b[0m`},
		{"one-byte control", "\u009b2J", `\u009b2J`},
		{"back and over", "safe\r\bevil\x7f", `safe\u000d\u0008evil\u007f`},
		{"direction", "\u202eabc\u2066", `\u202eabc\u2066`},
		{"invisible", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"tags", "\U000e0041", `\udb40\udc41`},
		{"separators that are not line ends", "a\u2028b\u2029", `a\u2028b\u2029`},
		{"not UTF-8", "a\xff\xc0b", "a\ufffd\ufffdb"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Clean(tc.in); got != tc.want {
				t.Errorf("clean(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

// A line of untrusted text never begins in the column of one of ours.
func TestInset(t *testing.T) {
	if got := inset("no such file\nhint: run this"); got != "no such file\n    hint: run this" {
		t.Errorf("%q", got)
	}
	if got := OneLine("a\nhint: b\r\n"); got != "a hint: b" {
		t.Errorf("%q", got)
	}
}

// Our own colours, and those of the log, pass the filter as they are.
func TestScreenKeepsColours(t *testing.T) {
	var p Style
	var log bytes.Buffer
	Logger(&Console{World: World{Err: &log, ErrTerminal: true}}).Error("x", "y", errors.New("z"))
	for _, s := range []string{log.String(), p.Bad("x"), p.Warn("x"), p.Good("x"), p.Bold("x"), p.Dim("x")} {
		var out bytes.Buffer
		if _, err := (screen{&out}).Write([]byte(s)); err != nil || out.String() != s || !strings.Contains(s, "\x1b[") {
			t.Errorf("%q became %q (%v)", s, out.String(), err)
		}
	}
}

// Neither output lets control sequences through that a command forgot to clean, even if a program
// reads it; Raw does.
func TestOutputsAreFiltered(t *testing.T) {
	const evil = "\u009b2J\u202e\x1b]0;t\a\r"
	var out, errs bytes.Buffer
	c := New(World{Out: &out, Err: &errs})
	c.Printf("%s", evil)
	c.Complain("%s", evil)
	c.JSON = true
	if err := c.Emit(evil); err != nil {
		t.Fatal(err)
	}
	Show(c, errors.New(evil))
	fmt.Fprint(c.World.Out, evil)
	fmt.Fprint(c.World.Err, evil)
	for _, r := range out.String() + errs.String() {
		if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Cf, r) {
			t.Errorf("%U came through in %q, %q", r, out.String(), errs.String())
		}
	}
	out.Reset()
	if _, err := c.Raw().Write([]byte(evil)); err != nil || out.String() != evil {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// For any text, a terminal gets no control sequence but those colours, and JSON stays the same
// JSON.
func FuzzScreen(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[31mx\x1b[m", "\x1b[8mhidden", "\x1b[30;40m", "\x1b]8;;http://x\x1b\\", "\u009b1m", "\x1b\x1b[1m[2J", "\U000e0001", "\xff\x1b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range colour.ReplaceAllString(harmless(s), "") {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' {
				t.Fatalf("%q lets %U through", s, r)
			}
		}
		data, err := json.Marshal(s)
		if err != nil {
			t.Skip(err)
		}
		var was, is string
		if err := json.Unmarshal(data, &was); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(harmless(string(data))), &is); err != nil || is != was {
			t.Fatalf("%q became %q (%v)", was, is, err)
		}
	})
}
