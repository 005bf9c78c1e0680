package graph

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// readCypher reads texts with + between them as a reader of Cypher does, and returns the rest.
func readCypher(s string) (text, rest string, ok bool) {
	var out strings.Builder
	for {
		if !strings.HasPrefix(s, "'") {
			return "", s, false
		}
		s = s[1:]
		for s != "" && s[0] != '\'' {
			if s[0] != '\\' {
				out.WriteByte(s[0])
				s = s[1:]
				continue
			}
			if len(s) < 2 {
				return "", s, false
			}
			plain, known := map[byte]byte{'\\': '\\', '\'': '\'', 'n': '\n', 'r': '\r', 't': '\t'}[s[1]]
			if !known {
				return "", s, false
			}
			out.WriteByte(plain)
			s = s[2:]
		}
		if s == "" {
			return "", s, false
		}
		s = s[1:]
		if !strings.HasPrefix(s, " + ") {
			return out.String(), s, true
		}
		s = s[3:]
	}
}

func seed(f *testing.F) {
	f.Helper()
	for _, s := range hostile {
		f.Add(s)
	}
}

// FuzzCypher: a text is read as itself, and no engine finds a \u in it.
func FuzzCypher(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		quoted := cypherText(s)
		got, rest, ok := readCypher(quoted + "X")
		if !ok || rest != "X" || got != strings.ToValidUTF8(s, "\uFFFD") {
			t.Errorf("%q is read as %q, %q", quoted, got, rest)
		}
		if strings.Contains(quoted, `\u`) || strings.Contains(quoted, `\U`) {
			t.Errorf("%q has an escape that other readers replace first", quoted)
		}
	})
}

// FuzzMermaid: a text has no character of the syntax but that of an entity.
func FuzzMermaid(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		s = printable(s)
		got := mermaidText(s)
		if strings.ContainsAny(got, "\"'`[](){}<>|&%\n\r\\") {
			t.Errorf("%q has syntax: %q", s, got)
		}
		var back strings.Builder
		for rest := got; rest != ""; {
			r, n := utf8.DecodeRuneInString(rest)
			if r == '#' {
				code, after, _ := strings.Cut(rest[1:], ";")
				if c, err := strconv.Atoi(code); err == nil {
					r, n = rune(c), len(rest)-len(after)
				}
			}
			back.WriteRune(r)
			rest = rest[n:]
		}
		if back.String() != s {
			t.Errorf("%q is read as %q", s, back.String())
		}
	})
}

// FuzzDOT: a text ends where its quote ends.
func FuzzDOT(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, s string) {
		quoted := dotText(s)
		inside := strings.NewReplacer(`\\`, "", `\"`, "", `\n`, "").Replace(quoted[1 : len(quoted)-1])
		if strings.ContainsAny(inside, "\"\\\n") {
			t.Errorf("%q leaves its quotes: %q", s, quoted)
		}
	})
}
