package program

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxDepth bounds programs inside of programs and expressions inside of
	// expressions.
	maxDepth = 6
	// maxActs bounds the acts, and the lines, that are reported for one text.
	maxActs = 20_000
	// maxNestedBytes bounds the bytes that are read again inside a text. Read adds four
	// times the length of the text. Hostile nesting costs no more than that.
	maxNestedBytes = 1 << 20
	// perCall is the cost of a call of a shell's function beyond its body, in bytes that
	// are read again.
	perCall = 512
)

// notes collect the report on one text.
type notes struct {
	out Reading
	// source is the outermost text.
	source string
	// depth is the number of programs and functions around the one being read.
	depth int
	// at and end are the offsets of the outermost command while inside one.
	at, end int
	// raised says that the command being read has the administrator's rights.
	raised bool
	// silent drops acts: a pass that only gathers variables.
	silent bool
}

// memory holds the values of variables and files while a text is read.
type memory struct {
	// vars are the values of variables and the results of functions, by name.
	vars map[string]Value
	// files are the data written to files, by path.
	files map[string]Value
	// folders are the archives unpacked into folders, by path of the folder.
	folders map[string]Value
}

// trace reads programs that only move data: it reports and remembers their effects.
type trace struct {
	notes
	memory
	// inserted is the value that an unknown part of the command line being read may have.
	inserted Value
}

// reader reads one text and the programs inside of it: it knows the programs that run
// others, and gives each to the reader of its language.
type reader struct {
	trace
	// nested is how many bytes may still be read again.
	nested int
	// carrying is the number of commands around the one being read that run another.
	carrying int
	sh       *shellReader
}

// Read reads text as a program of the given language.
func Read(text string, lang Language) Reading {
	return read(text, lang, nil)
}

func read(text string, lang Language, args []string) Reading {
	r := newReader(text, maxNestedBytes+4*len(text))
	for i, a := range args {
		r.vars[string(rune('1'+i))] = known(a)
	}
	return r.reading(func() { r.read(text, lang) })
}

func newReader(source string, nested int) *reader {
	r := &reader{nested: nested}
	r.source = source
	r.vars, r.files, r.folders = map[string]Value{}, map[string]Value{}, map[string]Value{}
	r.sh = &shellReader{reader: r, functions: map[string]bool{}, bodies: map[string]*syntax.Stmt{}, aliases: map[string]Value{}}
	return r
}

// ReadCommand reads one command that is given as words, as configuration files
// give it: nothing in the words is expanded but by the program that gets them.
// env are the names of variables that it is handed.
func ReadCommand(words []string, text string) Reading {
	r := newReader(text, maxNestedBytes)
	r.end = len(text)
	r.depth = 1
	values := make([]Value, len(words))
	for i, w := range words {
		values[i] = r.expandPlain(w)
	}
	return r.reading(func() { r.command(values, Value{}) })
}

func (r *reader) read(text string, lang Language) {
	switch lang {
	case Shell:
		r.sh.shell(text)
	case Ruby, Perl, PHP, PowerShell, Compiled:
		r.outlined(text, lang)
	default:
		r.scriptText(text, lang)
	}
}

// inner reads a program nested in the one being read. Its acts get the place of the
// command that contains it.
func (r *reader) inner(text string, lang Language) {
	if r.depth >= maxDepth || len(text) > r.nested || strings.TrimSpace(text) == "" || text == unknown {
		return
	}
	r.nested -= len(text)
	r.depth++
	r.read(text, lang)
	r.depth--
}

// act reports a.
func (r *notes) act(a Act) {
	if r.silent || len(r.out.Acts) >= maxActs {
		return
	}
	a.At, a.End, a.Nested, a.Raised = r.at, r.end, r.depth > 0, r.raised
	r.out.Acts = append(r.out.Acts, a)
}

// line reports a command or call in plain spelling.
func (r *notes) line(text string, disguised bool) {
	if r.silent || len(r.out.Lines) >= maxActs || text == "" {
		return
	}
	r.out.Lines = append(r.out.Lines, Line{At: r.at, End: r.end, Text: text, Disguised: disguised})
}
