package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/assent-dev/assent/engine/base/diag"
)

// load parses src and returns the content of its only document.
func (d *Doc) load(src []byte, ds *diag.List) (*yaml.Node, bool) {
	if root, ok := plain(src); ok {
		return root, true
	}
	return d.parse(src, ds)
}

// parse is load with the library.
func (d *Doc) parse(src []byte, ds *diag.List) (*yaml.Node, bool) {
	feed := &lineFeed{rest: src}
	dec := yaml.NewDecoder(feed)
	var doc yaml.Node
	err := decodeNode(dec, &doc)
	switch {
	case errors.Is(err, io.EOF), err == nil && len(doc.Content) == 0:
		ds.Errorf(RuleDocuments, d.lines.offset(0), "write the fields that the format asks for", "the YAML is empty")
		return nil, false
	case err != nil:
		d.syntax(err, feed.lines, ds)
		return nil, false
	}
	var second yaml.Node
	switch err := decodeNode(dec, &second); {
	case errors.Is(err, io.EOF):
		return doc.Content[0], true
	case err != nil:
		d.syntax(err, feed.lines, ds)
	default:
		ds.Errorf(RuleDocuments, d.lines.mark(second.Line, second.Column), "keep one document and remove the rest",
			"a second YAML document begins here")
	}
	return nil, false
}

// decodeNode converts a panic of the YAML library to an error: its input comes from agents, and
// a parser bug must not stop the gate.
func decodeNode(dec *yaml.Decoder, into *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: cannot be parsed (%v)", r)
		}
	}()
	return dec.Decode(into)
}

var reported = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// backtrack bounds the bytes parsed again to locate a syntax error.
const backtrack = 256 << 10

// syntax reports the library's error at the line where it applies: the library names the start
// of the enclosing structure, often a line off. The line after the longest valid prefix is
// where people look.
func (d *Doc) syntax(err error, reached int, ds *diag.List) {
	m := reported.FindStringSubmatch(strings.SplitN(err.Error(), "\n", 2)[0])
	line, _ := strconv.Atoi(m[1])
	line = max(line, 1)
	reached = min(reached, len(d.lines.feeds)-1)
	for n, spent := reached, 0; n >= 0 && spent < backtrack; n-- {
		prefix := d.lines.src[:d.lines.feeds[n]]
		spent += len(prefix)
		if n == 0 || readable(prefix) {
			line = n + 1
			break
		}
	}
	pos := d.lines.offset(d.lines.feeds[min(line, len(d.lines.feeds))-1])
	ds.Errorf(RuleSyntax, diag.Pos{File: pos.File, Line: pos.Line}, syntaxFix(m[2]), "not valid YAML: %s", m[2])
}

func readable(src []byte) bool {
	dec := yaml.NewDecoder(bytes.NewReader(src))
	for {
		var n yaml.Node
		if err := decodeNode(dec, &n); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

func syntaxFix(message string) string {
	switch {
	case strings.Contains(message, "mapping values are not allowed"):
		return "put the value in quotes: it contains a colon followed by a space"
	case strings.Contains(message, "cannot start any token"):
		return "indent with spaces, and put values that start with a special character in quotes"
	case strings.Contains(message, "unknown anchor"):
		return "write the value out, or put it in quotes if it should start with '*'"
	default:
		return "check indentation, quotes and brackets on this line and above"
	}
}

// lineFeed passes the parser one line at a time, so that lines is the number of lines read when
// it failed.
type lineFeed struct {
	rest  []byte
	lines int
}

func (f *lineFeed) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		return 0, io.EOF
	}
	n := len(f.rest)
	if i := bytes.IndexByte(f.rest, '\n'); i >= 0 {
		n = i + 1
	}
	n = copy(p, f.rest[:n])
	if f.rest[n-1] == '\n' {
		f.lines++
	}
	f.rest = f.rest[n:]
	return n, nil
}
