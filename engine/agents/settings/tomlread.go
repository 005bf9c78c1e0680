package settings

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// tomlFile walks over TOML 1.1 and knows the place of everything. It accepts all valid files, and refuses what a person
// breaks by hand: structure, strings, values, and keys and tables that are there twice.
type tomlFile struct {
	src    []byte
	at     int
	places []tomlPlace
	seen   map[string]tomlKind
}

// tomlPlace is the head of a table or a key of the file itself, with its whole path.
type tomlPlace struct {
	path []string
	at   int
	kind tomlKind
}

type tomlKind int

const (
	tomlValue tomlKind = iota + 1
	tomlTable
	tomlTables // [[x]]
)

var (
	tomlBare   = regexp.MustCompile(`^[A-Za-z0-9_-]+`)
	tomlEscape = regexp.MustCompile(`^\\(?:[btnfre"\\]|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[ \t]*\r?\n)`)
	// tomlWord matches what can begin a number, a date, true or false; tomlScalar one of these.
	tomlWord   = regexp.MustCompile(`^(?:\d{4}-\d\d-\d\d \d\d:[\d:.Zz+-]*|[A-Za-z0-9_+.:-]+)`)
	tomlScalar = regexp.MustCompile(`^(?:true|false|[+-]?(?:inf|nan|(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?)` +
		`|0x[\da-fA-F](?:_?[\da-fA-F])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*` +
		`|(?:\d{4}-\d\d-\d\d(?:[Tt ]|$))?(?:\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?)$`)
)

// readTOML returns the tables and keys of a file in their order.
func readTOML(src []byte) ([]tomlPlace, error) {
	f := &tomlFile{src: src, seen: map[string]tomlKind{}}
	if bytes.HasPrefix(src, bom) {
		f.at = len(bom)
	}
	if at := notUTF8(src); at < len(src) {
		return nil, fault(src, at, "save it as UTF-8", "it is not UTF-8")
	}
	var table []string
	for {
		if f.blank(); f.at == len(src) {
			return f.places, nil
		}
		p := tomlPlace{at: f.at, kind: tomlValue}
		var err error
		switch {
		case f.take("[["):
			p.kind = tomlTables
			p.path, err = f.head("]]")
			table = p.path
		case f.take("["):
			p.kind = tomlTable
			p.path, err = f.head("]")
			table = p.path
		default:
			p.path, err = f.pair(table, 0)
		}
		if err == nil && p.kind != tomlValue {
			err = f.define(p)
		}
		if err != nil {
			return nil, err
		}
		f.places = append(f.places, p)
		if f.comment(); f.at < len(src) && !f.take("\n") && !f.take("\r\n") {
			return nil, f.fault("a new line is expected here")
		}
	}
}

// notUTF8 is the place of the first byte that is no UTF-8, or the length.
func notUTF8(src []byte) int {
	at := 0
	for at < len(src) {
		r, size := utf8.DecodeRune(src[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

func (f *tomlFile) fault(format string, args ...any) error {
	return fault(f.src, f.at, "mend the file first", format, args...)
}

func (f *tomlFile) take(text string) bool {
	if !bytes.HasPrefix(f.src[f.at:], []byte(text)) {
		return false
	}
	f.at += len(text)
	return true
}

func (f *tomlFile) space() {
	for f.take(" ") || f.take("\t") {
		continue
	}
}

// comment goes to the end of a line, as far as nothing but a comment is left of it.
func (f *tomlFile) comment() {
	if f.space(); f.take("#") {
		rest := f.src[f.at:]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			rest = rest[:i]
		}
		f.at += len(bytes.TrimSuffix(rest, []byte("\r")))
	}
}

// blank goes to the next token.
func (f *tomlFile) blank() {
	for f.comment(); f.take("\n") || f.take("\r\n"); f.comment() {
		continue
	}
}

func (f *tomlFile) head(end string) ([]string, error) {
	path, err := f.key()
	if err == nil && !f.take(end) {
		err = f.fault("%s is expected after the name of a table", end)
	}
	return path, err
}

// key reads a dotted key, and the blanks behind it.
func (f *tomlFile) key() (path []string, err error) {
	for {
		f.space()
		from := f.at
		switch word := tomlBare.Find(f.src[f.at:]); {
		case word != nil:
			f.at += len(word)
		case f.next('"') || f.next('\''):
			if err := f.text(false); err != nil {
				return nil, err
			}
		default:
			return nil, f.fault("a key is expected here")
		}
		part := string(f.src[from:f.at])
		if part[0] == '\'' || part[0] == '"' && !strings.Contains(part, `\`) { // one with an escape is like no other
			part = part[1 : len(part)-1]
		}
		path = append(path, part)
		if f.space(); !f.take(".") {
			return path, nil
		}
	}
}

func (f *tomlFile) next(c byte) bool { return f.at < len(f.src) && f.src[f.at] == c }

// pair reads key = value in a table, and returns the whole path.
func (f *tomlFile) pair(table []string, depth int) ([]string, error) {
	from := f.at
	path, err := f.key()
	if err != nil {
		return nil, err
	}
	if !f.take("=") {
		return nil, f.fault("= is expected after the key %s", quoted(strings.Join(path, ".")))
	}
	path = slices.Concat(table, path)
	if err := f.value(path, depth); err != nil {
		return nil, err
	}
	return path, f.define(tomlPlace{path, from, tomlValue})
}

// define refuses a key or table that is there twice, or in what is no table.
func (f *tomlFile) define(p tomlPlace) error {
	name := func(n int) string { return strings.Join(p.path[:n], "\x00") }
	said, own := quoted(strings.Join(p.path, ".")), name(len(p.path))
	for n := 1; n < len(p.path); n++ {
		if f.seen[name(n)] == tomlValue {
			return fault(f.src, p.at, "mend the file first", "%s is in what has a value already", said)
		}
	}
	if had := f.seen[own]; had != 0 && (had != tomlTables || p.kind != tomlTables) {
		return fault(f.src, p.at, "remove one of them", "%s is there twice", said)
	}
	if p.kind == tomlTables { // the tables below the one before are another's
		for key := range f.seen {
			if strings.HasPrefix(key, own+"\x00") {
				delete(f.seen, key)
			}
		}
	}
	f.seen[own] = p.kind
	return nil
}

func (f *tomlFile) value(path []string, depth int) error {
	if depth > maxDepth {
		return f.fault("it nests more than %d deep", maxDepth)
	}
	switch f.space(); {
	case f.next('"') || f.next('\''):
		return f.text(true)
	case f.take("["):
		n := 0
		return f.list("]", func() error {
			n++
			return f.value(append(slices.Clone(path), "#"+strconv.Itoa(n)), depth+1)
		})
	case f.take("{"):
		return f.list("}", func() error {
			_, err := f.pair(path, depth+1)
			return err
		})
	}
	word := tomlWord.Find(f.src[f.at:])
	if len(word) == 0 {
		return f.fault("a value is expected here")
	}
	if !tomlScalar.Match(word) {
		return f.fault("%s is no value; a text needs quotes", quoted(string(word)))
	}
	f.at += len(word)
	return nil
}

// list reads items with commas between them up to a bracket.
func (f *tomlFile) list(end string, item func() error) error {
	for {
		if f.blank(); f.take(end) {
			return nil
		}
		if err := item(); err != nil {
			return err
		}
		if f.blank(); !f.take(",") && !f.next(end[0]) {
			return f.fault(", or %s is expected after a value", end)
		}
	}
}

// text reads a string; with lines it may be one of several lines.
func (f *tomlFile) text(lines bool) error {
	from, quote := f.at, f.src[f.at]
	end := []byte{quote}
	if triple := bytes.Repeat(end, 3); lines && bytes.HasPrefix(f.src[f.at:], triple) {
		end = triple
	}
	for f.at += len(end); f.at < len(f.src); f.at++ {
		switch rest := f.src[f.at:]; {
		case rest[0] == '\\' && quote == '"':
			if !tomlEscape.Match(rest) {
				return f.fault("a backslash that begins no escape: write two, or the text in single quotes")
			}
			f.at++
		case bytes.HasPrefix(rest, end):
			f.at += len(end)
			for n := 0; n < 2 && len(end) == 3 && f.next(quote); n++ {
				f.at++
			}
			return nil
		case rest[0] == '\n' && len(end) == 1:
			f.at = from
			return f.fault("a string without its closing quote")
		}
	}
	f.at = from
	return f.fault("a string without its closing quote")
}
