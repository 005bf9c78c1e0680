package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// FormatVersion is the version of the format, and the only one that is read.
const FormatVersion = 1

// Bounds of an archive.
const (
	MaxTrials = 10_000
	MaxFiles  = 200_000
	// MaxBytes bounds the whole archive, maxLine one line: a file, written in JSON.
	MaxBytes = 256 << 20
	maxLine  = 64 << 20
)

var (
	// ErrNone is returned for a file that does not begin as an archive does.
	ErrNone = errors.New("it is no export of a registry")
	// ErrVersion is returned for an archive of a newer program.
	ErrVersion = errors.New("the export is in a newer format: update assent")
)

// Prefix begins every archive.
const Prefix = `{"v":1,"assent":"registry",`

// kind is what the first line says, so that no other JSON is taken for an archive.
const kind = "registry"

// Header is the first line.
type Header struct {
	V      int    `json:"v"`
	Assent string `json:"assent"`
	// Workspace is the id of the workspace, Commit the one in force there.
	Workspace string `json:"workspace"`
	Commit    string `json:"commit"`
	// Files and Trials count the lines that follow.
	Files  int `json:"files"`
	Trials int `json:"trials"`
}

// Archive is a registry. Paths of files are in the tree; modes are those of regular files. Files are
// in the order of their paths, trials in that of their ids and writers.
type Archive struct {
	Header
	Files  []tree.Edit
	Trials []trial.Kept
}

// file is the line of a file: as text where it is one.
type file struct {
	Path       string  `json:"path"`
	Executable bool    `json:"executable,omitempty"`
	Text       *string `json:"text,omitempty"`
	Bytes      []byte  `json:"bytes,omitempty"`
}

func fileOf(e tree.Edit) file {
	f := file{Path: e.Path, Executable: e.Mode == tree.Executable}
	if utf8.Valid(e.Content) {
		text := string(e.Content)
		f.Text = &text
	} else {
		f.Bytes = e.Content
	}
	return f
}

func (f file) edit() tree.Edit {
	e := tree.Edit{Path: f.Path, Mode: tree.Regular, Content: f.Bytes}
	if f.Executable {
		e.Mode = tree.Executable
	}
	if f.Text != nil {
		e.Content = []byte(*f.Text)
	}
	return e
}

// Encode writes the header as a line.
func (h Header) Encode() ([]byte, error) {
	if h.V != FormatVersion {
		return nil, ErrVersion
	}
	if h.Files < 0 || h.Files > MaxFiles || h.Trials < 0 || h.Trials > MaxTrials {
		return nil, fmt.Errorf("%d files, %d trials: at most %d and %d", h.Files, h.Trials, MaxFiles, MaxTrials)
	}
	for _, text := range []string{h.Workspace, h.Commit} {
		if err := canonical.CheckPhrase(text, 64); err != nil {
			return nil, err
		}
	}
	return canonical.Line(h)
}

// Encode writes a file as a line.
func (f file) Encode() ([]byte, error) {
	//defence:archives-hold-plain-paths
	if ds := names.CheckPath(f.Path); len(ds) > 0 {
		return nil, fmt.Errorf("%.200q: %s", f.Path, ds[0].Message)
	}
	if !strings.HasPrefix(f.Path, string(names.SkillsArea)+"/") {
		return nil, fmt.Errorf("%.200q is not below %s/", f.Path, names.SkillsArea)
	}
	return canonical.Line(fileOf(f.edit()))
}

// Encode writes an archive, with the counts of what it holds. Files and trials must be in order.
func (a Archive) Encode() ([]byte, error) {
	a.V, a.Assent, a.Header.Files, a.Header.Trials = FormatVersion, kind, len(a.Files), len(a.Trials)
	var out bytes.Buffer
	put := func(line []byte, err error) error {
		out.Write(line)
		if err == nil && (out.Len() > MaxBytes || len(line) > maxLine) {
			err = fmt.Errorf("the registry has more than %d bytes, or a file of more than %d", MaxBytes, maxLine)
		}
		return err
	}
	if err := put(a.Header.Encode()); err != nil {
		return nil, err
	}
	for _, e := range a.Files {
		if err := put(fileOf(e).Encode()); err != nil {
			return nil, err
		}
	}
	for _, t := range a.Trials {
		if err := put(t.Encode()); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// MaxRows is how many lines that cannot be read are named; the rest is not read.
const MaxRows = 20

// Row is a line that cannot be read.
type Row struct {
	Line int
	Err  error
	// Fix says what to do.
	Fix string
}

// RowsError has the lines that cannot be read, in order; there is one.
type RowsError []Row

func (e RowsError) Error() string {
	return fmt.Sprintf("line %d of the export: %v", e[0].Line, e[0].Err)
}

func (e RowsError) Unwrap() error { return e[0].Err }

const exportAgain = "copy the file again, or export the registry again (assent export --registry FILE)"

// Read reads an archive. The error wraps ErrNone where the file is something else, else it is a RowsError.
func Read(r io.Reader) (Archive, error) {
	in := lines{from: bufio.NewReader(io.LimitReader(r, MaxBytes+1))}
	line, err := in.next()
	var first Header
	if err != nil || json.Unmarshal(line, &first) != nil || first.Assent != kind {
		return Archive{}, errors.Join(ErrNone, err)
	}
	a := Archive{}
	if a.Header, err = canonical.Decode[Header]("", line, maxLine); err != nil {
		in.wrong(err, exportAgain)
		return a, in.bad
	}
	in.rows("files", a.Header.Files, func(line []byte) error {
		f, err := canonical.Decode[file]("", line, maxLine)
		if n := len(a.Files); err == nil && n > 0 && a.Files[n-1].Path >= f.Path {
			err = fmt.Errorf("%s does not follow %s in order", f.Path, a.Files[n-1].Path)
		}
		if err == nil {
			a.Files = append(a.Files, f.edit())
		}
		return err
	})
	in.rows("trials", a.Header.Trials, func(line []byte) error {
		t, err := canonical.Decode[trial.Kept]("", line, maxLine)
		if n := len(a.Trials); err == nil && n > 0 && a.Trials[n-1].Compare(t) >= 0 {
			err = fmt.Errorf("the trial %s does not follow %s in order", t.ID, a.Trials[n-1].ID)
		}
		if err == nil {
			a.Trials = append(a.Trials, t)
		}
		return err
	})
	if !in.ended {
		if _, err := in.from.ReadByte(); !errors.Is(err, io.EOF) {
			in.number++
			in.wrong(errors.Join(errors.New("there is more than the first line counts"), err), exportAgain)
		}
	}
	if len(in.bad) > 0 {
		return a, in.bad
	}
	return a, nil
}

// rows reads the lines that a field of the first line counts.
func (l *lines) rows(counted string, n int, take func(line []byte) error) {
	for range n {
		if l.ended {
			return
		}
		line, err := l.next()
		if err != nil {
			l.ended = true
			l.wrong(err, exportAgain)
			return
		}
		err = take(line)
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, canonical.ErrForm):
			err = errors.New("it is not as assent writes it: another field, order, spelling or space")
		case errors.As(err, &syntax):
			err = fmt.Errorf("it is not JSON: %w", err)
		}
		if err != nil {
			l.wrong(err, "take the line out and lower "+counted+" in line 1 by one, or export the registry again")
		}
	}
}

// lines reads bounded lines, and keeps the bad ones.
type lines struct {
	from   *bufio.Reader
	number int
	read   int
	bad    RowsError
	// ended is set if nothing more is to be read.
	ended bool
}

func (l *lines) wrong(err error, fix string) {
	l.bad = append(l.bad, Row{l.number, err, fix})
	l.ended = l.ended || len(l.bad) == MaxRows
}

func (l *lines) next() ([]byte, error) {
	l.number++
	var line []byte
	for {
		part, err := l.from.ReadSlice('\n')
		line = append(line, part...)
		l.read += len(part)
		switch {
		case len(line) > maxLine || l.read > MaxBytes:
			return nil, fmt.Errorf("it has more than %d bytes, or the export more than %d", maxLine, MaxBytes)
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("it ends too early: %w", err)
		}
	}
}
