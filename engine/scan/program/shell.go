package program

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxShell is the largest text that is parsed as a whole, in bytes; a longer
	// one is read in pieces.
	maxShell = 64 << 10
	// maxNesting bounds brackets and quotes that are open at once, because the
	// parser is recursive.
	maxNesting = 100
)

// shellReader reads the shell programs of one text. Functions and aliases of one are
// known to the next.
type shellReader struct {
	*reader
	// functions and aliases are the functions and aliases that a word may name.
	functions map[string]bool
	aliases   map[string]Value
	// bodies are the bodies of functions, without the function that is being read.
	bodies map[string]*syntax.Stmt
	// last is the output of the last statement.
	last Value
	// bash is made when it is first needed.
	bash *syntax.Parser
}

// shell reads text as a shell program. A part that does not parse is read line
// by line, and a line that does not parse is split by hand.
func (r *shellReader) shell(text string) {
	if len(text) <= maxShell && r.shellWhole(text) {
		return
	}
	for start := 0; start < len(text); {
		end := logicalLine(text, start)
		r.shellLine(text[start:end], start)
		start = end
	}
}

// shellWhole parses text and walks it, or does nothing and returns false.
func (r *shellReader) shellWhole(text string) bool {
	if tooNested(text) {
		return false
	}
	file, err := r.parser().Parse(strings.NewReader(text), "")
	if err != nil {
		return false
	}
	for _, s := range file.Stmts {
		r.topStatement(s, 0)
	}
	return true
}

// parser returns the parser for all programs of a text. A later parse does not change
// the trees of earlier ones.
func (r *shellReader) parser() *syntax.Parser {
	if r.bash == nil {
		r.bash = syntax.NewParser(syntax.Variant(syntax.LangBash))
	}
	return r.bash
}

func (r *shellReader) shellLine(line string, offset int) {
	body := stripPrompt(line)
	if strings.TrimSpace(body) == "" || strings.HasPrefix(strings.TrimSpace(body), "#") {
		return
	}
	offset += len(line) - len(body)
	if len(body) <= maxShell && !tooNested(body) {
		if file, err := r.parser().Parse(strings.NewReader(body), ""); err == nil {
			for _, s := range file.Stmts {
				r.topStatement(s, offset)
			}
			return
		}
	}
	r.out.Broken = true
	r.place(offset, offset+len(strings.TrimRight(body, "\n")))
	r.roughLine(body)
}

// topStatement walks a statement of the text itself and keeps its place.
func (r *shellReader) topStatement(s *syntax.Stmt, offset int) {
	r.place(offset+int(s.Pos().Offset()), offset+int(s.End().Offset()))
	r.last = r.statement(s, Value{})
}

// place says where the next acts stand, unless they are inside of another.
func (r *notes) place(at, end int) {
	if r.depth == 0 {
		r.at, r.end = at, end
	}
}

// logicalLine returns the end of the line that starts at start, continued lines
// and here-documents not included, newline included.
func logicalLine(text string, start int) int {
	for i := start; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return len(text)
		}
		i += n + 1
		if i < 2 || text[i-2] != '\\' || i-start > maxShell {
			return i
		}
	}
}

// stripPrompt removes the prompt of a terminal in front of a command.
func stripPrompt(line string) string {
	t := strings.TrimLeft(line, " \t")
	for _, p := range []string{"$ ", "# ", "> ", "% ", "PS> ", "C:\\> "} {
		if strings.HasPrefix(t, p) && p != "# " {
			return t[len(p):]
		}
	}
	return line
}

// tooNested reports whether more brackets are open at once than the recursive
// parser should see, or more words that open a block than a program has.
func tooNested(text string) bool {
	depth, worst := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[', '`':
			depth++
			worst = max(worst, depth)
		case ')', '}', ']':
			depth = max(0, depth-1)
		case '\n':
			if depth > 0 && i > 0 && text[i-1] == '\n' {
				depth--
			}
		}
	}
	return worst > maxNesting || strings.Count(text, "if ")+strings.Count(text, "while ")+strings.Count(text, "! ")+strings.Count(text, "for ")+strings.Count(text, "case ") > 4000
}

// unquoted removes the characters that quote and group words.
var unquoted = strings.NewReplacer(`"`, "", `'`, "", `\`, "", "${IFS}", " ", "$IFS", " ", "$(", " ", "`", " ", "(", " ", ")", " ")

// roughLine splits a line by operators and blanks, without quotes.
func (r *shellReader) roughLine(line string) {
	for _, part := range strings.FieldsFunc(line, func(c rune) bool { return c == ';' || c == '&' || c == '\n' }) {
		var input Value
		for _, cmd := range strings.Split(part, "|") {
			cmd = unquoted.Replace(cmd)
			var words []Value
			for _, w := range strings.Fields(cmd) {
				words = append(words, r.expandPlain(w))
			}
			if len(words) > 0 {
				input = r.command(words, input)
			}
		}
	}
}
