package program

import "strings"

const (
	// maxExpression bounds expressions inside of expressions.
	maxExpression = 120
	// passes is how often a script is read: the calls above a function know its
	// result in the next pass.
	passes = 3
)

// cursor is a place among the tokens of a program.
type cursor struct {
	tokens []token
	i      int
}

// scope resolves the names of a Python or JavaScript program.
type scope struct {
	*reader
	lang Language
	// function is the function whose body is being read.
	function string
	// params are the parameters of functions, by the functions' names.
	params map[string][]string
}

// library knows the effects of the functions of both languages and of their modules.
type library struct{ scope }

// expressionReader reads expressions, and the bodies of functions in them.
type expressionReader struct {
	library
	cursor
	depth int
	// budget bounds how often tokens are looked at in one pass.
	budget int
	// embeddedText says that the tokens are of an expression inside of a string.
	embeddedText bool
	// block reads the statements of a body.
	block func()
}

// scriptReader reads the statements of one Python or JavaScript program.
type scriptReader struct{ expressionReader }

func newScriptReader(in scope, tokens []token) *scriptReader {
	s := &scriptReader{expressionReader{library: library{in}, cursor: cursor{tokens: tokens}}}
	s.block = s.statements
	return s
}

// passesOf returns how often tokens are read. A program without loops and definitions
// runs in the order of its text, so that one pass is enough.
func passesOf(tokens []token) int {
	for i := range tokens {
		switch t := &tokens[i]; t.text {
		case "for", "while", "def", "class", "function", "lambda", "=>", "func", "do":
			if t.kind == tokenName || t.kind == tokenOperator {
				return passes
			}
		case "{":
			// A block may be the body of a function; a Python dictionary is not.
			if i > 0 && tokens[i-1].is(")") {
				return passes
			}
		}
		if tokens[i].kind == tokenTemplate && strings.Contains(tokens[i].text, " for ") {
			return passes
		}
	}
	return 1
}

// script reads tokens up to three times: the first passes gather the values of
// variables and the results of functions, the last reports acts.
func (r *reader) script(tokens []token, lang Language) {
	silent := r.silent
	s := newScriptReader(scope{reader: r, lang: lang, params: map[string][]string{}}, tokens)
	last := passesOf(tokens) - 1
	for pass := range last + 1 {
		r.silent = silent || pass < last
		s.i, s.depth, s.function = 0, 0, ""
		s.budget = 40*len(tokens) + 1000
		for s.i < len(s.tokens) {
			s.step()
		}
	}
	r.silent = silent
}

// step reads one statement, or at least one token.
func (s *scriptReader) step() {
	before := s.i
	if s.depth < maxExpression {
		s.depth++
		s.scriptStatement()
		s.depth--
	}
	if s.i == before {
		s.i++
	}
}

func (s *cursor) peek(n int) token {
	if s.i+n < len(s.tokens) && s.i+n >= 0 {
		return s.tokens[s.i+n]
	}
	return token{kind: tokenLine}
}

func (s *cursor) accept(op string) bool {
	if s.peek(0).is(op) {
		s.i++
		return true
	}
	return false
}

// skipLines passes over line ends, inside of brackets.
func (s *cursor) skipLines() {
	for s.i < len(s.tokens)-1 && s.tokens[s.i].kind == tokenLine {
		s.i++
	}
}

func (s *scriptReader) scriptStatement() {
	t := s.peek(0)
	if t.kind == tokenName && !(s.lang == JavaScript && onlyPython(t.text)) {
		switch t.text {
		case "import":
			s.importStatement()
			return
		case "from":
			s.fromStatement()
			return
		case "def", "function", "class", "func":
			s.definition()
			return
		case "return", "yield":
			s.i++
			s.returned(s.tuple())
			return
		case "for", "while", "with", "if", "elif", "else", "async", "await", "try", "except", "finally", "export", "default", "switch", "case", "do", "catch", "throw", "raise", "new", "in", "of", "not", "and", "or", "static", "assert", "del", "global", "lambda", "as", "is", "pass", "break", "continue":
			s.keyword(t.text)
			return
		case "const", "let", "var":
			s.i++
			s.assignment()
			return
		}
	}
	s.assignment()
}

// onlyPython reports whether a word that Python reserves is a name elsewhere.
func onlyPython(word string) bool {
	switch word {
	case "def", "elif", "except", "raise", "not", "and", "or", "assert", "del", "global", "lambda", "as", "is", "pass", "from":
		return true
	}
	return false
}

// tuple reads an expression, or several that Python makes a tuple of.
func (s *expressionReader) tuple() Value {
	v := s.expression()
	if s.lang != Python || !s.peek(0).is(",") {
		return v
	}
	items := []Value{v}
	for len(items) < 40 && s.accept(",") && s.peek(0).kind != tokenLine {
		items = append(items, s.expression())
	}
	out := mixed(items...)
	out.items = items
	return out
}
