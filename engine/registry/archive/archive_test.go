package archive

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/registry/trial"
)

func sample() Archive {
	a := Archive{Header: Header{Workspace: strings.Repeat("1", 40), Commit: strings.Repeat("2", 40)}, Files: []tree.Edit{
		{Path: "skills/a/SKILL.md", Mode: tree.Regular, Content: []byte("---\nname: a\n---\n\u2028<b>é\x01\n")},
		{Path: "skills/a/assets/x.png", Mode: tree.Regular, Content: []byte{0x89, 0xff}},
		{Path: "skills/a/empty", Mode: tree.Regular, Content: []byte{}},
		{Path: "skills/a/scripts/main.py", Mode: tree.Executable, Content: []byte("pass")},
	}}
	w := trial.WriterOf([]byte("w"))
	var last trial.ID
	for range 3 {
		last = trial.Next(last, time.Unix(1e9, 0), w)
		o := trial.Observation{At: time.Unix(1e9, 0).UTC(), Source: trial.Self, Level: trial.Followed, Capability: "a", Outcome: trial.Success}
		a.Trials = append(a.Trials, trial.Kept{Writer: w, Trial: trial.Trial{V: 1, ID: last, Observation: o}})
	}
	return a
}

func encoded(t testing.TB, a Archive) []byte {
	t.Helper()
	data, err := a.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestRoundTrip: what is written is read, in pieces of any size, and has the same bytes again.
func TestRoundTrip(t *testing.T) {
	data := encoded(t, sample())
	if !bytes.HasPrefix(data, []byte(Prefix)) {
		t.Errorf("it begins %.60q", data)
	}
	for _, r := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data))} {
		a, err := Read(r)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Files) != 4 || a.Files[3].Mode != tree.Executable || string(a.Files[1].Content) != "\x89\xff" || len(a.Trials) != 3 {
			t.Errorf("%+v", a)
		}
		if !bytes.Equal(encoded(t, a), data) {
			t.Error("it is written in another way")
		}
	}
}

// TestRefused: nothing but the one form of an archive is read.
func TestRefused(t *testing.T) {
	whole := string(encoded(t, sample()))
	lines := strings.SplitAfter(whole, "\n")
	with := func(files string) string {
		n := strings.Count(files, "\n")
		return strings.NewReplacer(`"files":4`, `"files":`+string(rune('0'+n)), `"trials":3`, `"trials":0`).Replace(lines[0]) + files
	}
	file := func(path string) string { return `{"path":"` + path + `","text":"x"}` + "\n" }
	for name, text := range map[string]string{
		"nothing":            "",
		"other JSON":         "{}\n",
		"a newer format":     strings.Replace(whole, `"v":1`, `"v":2`, 1),
		"an unknown field":   strings.Replace(whole, `"v":1`, `"v":1,"w":2`, 1),
		"another spelling":   strings.Replace(whole, `"v":1,`, `"v": 1,`, 1),
		"cut":                whole[:len(whole)-10],
		"a line less":        strings.Join(lines[:len(lines)-2], ""),
		"more":               whole + "{}\n",
		"many":               strings.Replace(whole, `"files":4`, `"files":2000000`, 1),
		"many trials":        strings.Replace(whole, `"trials":3`, `"trials":20000`, 1),
		"negative":           strings.Replace(whole, `"files":4`, `"files":-1`, 1),
		"order":              with(lines[2] + lines[1]),
		"twice":              with(lines[1] + lines[1]),
		"trials twice":       strings.Replace(whole, lines[5]+lines[6], lines[5]+lines[5], 1),
		"another's trial":    strings.Replace(whole, string(trial.WriterOf([]byte("w"))), string(trial.WriterOf([]byte("v"))), 1),
		"text and bytes":     with(`{"path":"skills/a/x","text":"x","bytes":"eA=="}` + "\n"),
		"neither":            with(`{"path":"skills/a/x"}` + "\n"),
		"text as bytes":      with(`{"path":"skills/a/x","bytes":"eA=="}` + "\n"),
		"a link":             with(`{"path":"skills/a/x","link":"/etc/passwd"}` + "\n"),
		"above":              with(file("skills/../../x")),
		"absolute":           with(file("/skills/a/x")),
		"dot":                with(file("skills/./a/x")),
		"double slash":       with(file("skills//a/x")),
		"backslash":          with(file(`skills\\a\\x`)),
		"git":                with(file("skills/a/.git/config")),
		"git in disguise":    with(file("skills/a/.GIT/config")),
		"policies":           with(file("policies/roles.yaml")),
		"a NUL":              with(file(`skills/a/\u0000`)),
		"the top":            with(file("skills")),
		"a drive":            with(file("C:/skills/a")),
		"invisible":          with(file(`skills/a/\u202ex`)),
		"a file in the soul": with(file("soul/scout/SOUL.md")),
	} {
		_, err := Read(strings.NewReader(text))
		if err == nil {
			t.Errorf("%s: it is read", name)
		}
		if (name == "nothing" || name == "other JSON") != errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "a newer format" && !errors.Is(err, ErrVersion) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// endless is a line without an end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read += len(p)
	return len(p), nil
}

// TestEndless: a line is read to its bound and no further.
func TestEndless(t *testing.T) {
	var more endless
	header := strings.Replace(strings.Split(string(encoded(t, sample())), "\n")[0], `"files":4`, `"files":9`, 1) + "\n"
	if _, err := Read(io.MultiReader(strings.NewReader(header), &more)); err == nil || more.read > maxLine+1<<20 {
		t.Errorf("%d bytes were read: %v", more.read, err)
	}
}

// FuzzRead: what is read has the same bytes when it is written.
func FuzzRead(f *testing.F) {
	whole := encoded(f, sample())
	f.Add(whole)
	f.Add(bytes.Replace(whole, []byte("skills/a/empty"), []byte("skills/../x"), 1))
	f.Add(whole[:200])
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		if again, err := a.Encode(); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%v: %q is written as %q", err, data, again)
		}
	})
}
