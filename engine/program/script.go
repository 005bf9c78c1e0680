package program

import "strings"

const (
	// maxExpression bounds expressions inside of expressions.
	maxExpression = 120
	// passes is how often a script is read: what a function returns is known to
	// the calls above it the next time.
	passes = 3
)

// scriptReader reads the tokens of one Python or JavaScript program.
type scriptReader struct {
	*reader
	tokens []token
	i      int
	lang   Language
	depth  int
	// function is the function whose body is being read.
	function string
	// params are the parameters of functions, by the functions' names.
	params map[string][]string
	// budget bounds how often tokens are looked at in one pass.
	budget int
	// embeddedText says that the tokens are of an expression inside of a string.
	embeddedText bool
}

// passesOf returns how often tokens are read: what neither repeats nor defines
// anything does what it does in the order that it is written in.
func passesOf(tokens []token) int {
	for i := range tokens {
		switch t := &tokens[i]; t.text {
		case "for", "while", "def", "class", "function", "lambda", "=>", "func", "do":
			if t.kind == tokenName || t.kind == tokenOperator {
				return passes
			}
		case "{":
			// A block may be a function's; a dictionary of Python's is none.
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

// script reads tokens up to three times: the first passes gather what variables
// hold and functions return, the last reports acts.
func (r *reader) script(tokens []token, lang Language) {
	silent := r.silent
	s := &scriptReader{reader: r, tokens: tokens, lang: lang, params: map[string][]string{}}
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

func (s *scriptReader) peek(n int) token {
	if s.i+n < len(s.tokens) && s.i+n >= 0 {
		return s.tokens[s.i+n]
	}
	return token{kind: tokenLine}
}

func (s *scriptReader) accept(op string) bool {
	if s.peek(0).is(op) {
		s.i++
		return true
	}
	return false
}

// skipLines passes over line ends, inside of brackets.
func (s *scriptReader) skipLines() {
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

// keyword handles words after which an expression or a target follows.
func (s *scriptReader) keyword(word string) {
	s.i++
	switch word {
	case "for":
		s.loop()
	case "with":
		s.with()
	}
}

// loop gives the target of a loop what the iterated value is made of.
func (s *scriptReader) loop() {
	s.accept("(")
	var names []string
	for n := 0; n < 12; n++ {
		t := s.peek(0)
		switch {
		case t.named("in"), t.named("of"):
			s.i++
			v := s.expression()
			for _, name := range names {
				s.assignName(name, v.drawn())
			}
			return
		case t.kind == tokenName:
			if t.text != "const" && t.text != "let" && t.text != "var" && t.text != "await" {
				names = append(names, t.text)
			}
		case t.is("(") || t.is(")") || t.is("[") || t.is("]") || t.is(","):
		default:
			return
		}
		s.i++
	}
}

// drawn is an element of v, of which it is not known which.
func (v Value) drawn() Value {
	if len(v.items) > 0 {
		out := mixed(v.items...).with(v)
		out.items = v.items
		out.ref = "element"
		return out
	}
	out := mixed(v)
	return out
}

// with binds "with expression as name".
func (s *scriptReader) with() {
	for n := 0; n < 8; n++ {
		v := s.expression()
		if !s.peek(0).named("as") {
			return
		}
		s.i++
		if s.peek(0).kind == tokenName {
			s.assignName(s.peek(0).text, v)
			s.i++
		}
		if !s.accept(",") {
			return
		}
		s.skipLines()
	}
}

// importStatement reads Python's and JavaScript's import.
func (s *scriptReader) importStatement() {
	s.i++
	if s.peek(0).is("(") {
		s.i--
		s.assignment()
		return
	}
	if s.lang == JavaScript {
		s.importJavaScript()
		return
	}
	for s.peek(0).kind == tokenName {
		module := s.dotted()
		name, _, _ := strings.Cut(module, ".")
		ref := name
		if s.peek(0).named("as") && s.peek(1).kind == tokenName {
			name, ref = s.peek(1).text, module
			s.i += 2
		}
		s.vars[name] = Value{ref: ref}
		if !s.accept(",") {
			return
		}
	}
}

func (s *scriptReader) dotted() string {
	name := s.peek(0).text
	s.i++
	for s.peek(0).is(".") && s.peek(1).kind == tokenName {
		name += "." + s.peek(1).text
		s.i += 2
		if len(name) > 200 {
			break
		}
	}
	return name
}

// fromStatement reads "from module import a as b, c".
func (s *scriptReader) fromStatement() {
	s.i++
	if s.peek(0).kind != tokenName {
		return
	}
	module := s.dotted()
	if !s.peek(0).named("import") {
		return
	}
	s.i++
	s.accept("(")
	for n := 0; n < 100; n++ {
		s.skipIfBracketed()
		t := s.peek(0)
		if t.kind != tokenName {
			if t.is("*") {
				for _, f := range []string{"system", "popen", "environ", "getenv", "b64decode", "run", "Popen", "call", "check_output", "check_call", "urlopen", "post", "get", "socket"} {
					if _, ok := s.vars[f]; !ok {
						s.vars[f] = Value{ref: module + "." + f}
					}
				}
				s.i++
			}
			s.accept(")")
			return
		}
		name := t.text
		s.i++
		if s.peek(0).named("as") && s.peek(1).kind == tokenName {
			s.vars[s.peek(1).text] = Value{ref: module + "." + name}
			s.i += 2
		} else {
			s.vars[name] = Value{ref: module + "." + name}
		}
		if !s.accept(",") {
			s.skipIfBracketed()
			s.accept(")")
			return
		}
	}
}

func (s *scriptReader) skipIfBracketed() {
	if s.peek(0).kind == tokenLine && s.peek(0).text == "" {
		s.i++
	}
}

// importJavaScript reads import a, {b as c}, * as d from 'module'.
func (s *scriptReader) importJavaScript() {
	type bound struct{ name, member string }
	var names []bound
	for n := 0; n < 200; n++ {
		t := s.peek(0)
		switch {
		case t.kind == tokenString:
			for _, b := range names {
				ref := module(t.text)
				if b.member != "" {
					ref += "." + b.member
				}
				s.vars[b.name] = Value{ref: ref}
			}
			s.i++
			return
		case t.named("from"), t.named("type"), t.is("{"), t.is("}"), t.is(","), t.kind == tokenLine && s.peek(0).at < s.peek(0).end:
		case t.is("*") && s.peek(1).named("as"):
			names = append(names, bound{s.peek(2).text, ""})
			s.i += 2
		case t.kind == tokenName && s.peek(1).named("as"):
			names = append(names, bound{s.peek(2).text, t.text})
			s.i += 2
		case t.kind == tokenName:
			member := t.text
			if prev := s.peek(-1); prev.named("import") {
				member = ""
			}
			names = append(names, bound{t.text, member})
		default:
			return
		}
		s.i++
	}
}

// module is the name of a module without what does not tell it apart.
func module(name string) string { return strings.TrimPrefix(name, "node:") }

// definition reads the head of a function and leaves its body to the steps that
// follow; what stands in it counts wherever it is called from.
func (s *scriptReader) definition() {
	word := s.peek(0).text
	s.i++
	s.accept("*")
	t := s.peek(0)
	name := ""
	if t.kind == tokenName {
		name = t.text
		s.i++
	}
	if word == "class" {
		return
	}
	if s.peek(0).is("(") {
		s.params[name] = s.parameters()
	}
	if name != "" {
		s.function = name
		if _, ok := s.vars[name]; !ok {
			s.vars[name] = Value{ref: name}
		}
	}
}

// parameters reads the names in a parameter list, to its closing bracket.
func (s *scriptReader) parameters() []string {
	var names []string
	s.i++
	for depth := 1; s.i < len(s.tokens) && depth > 0 && len(names) < 40; s.i++ {
		t := s.tokens[s.i]
		switch {
		case t.is("(") || t.is("[") || t.is("{"):
			depth++
		case t.is(")") || t.is("]") || t.is("}"):
			depth--
		case t.kind == tokenName && depth <= 2 && (s.peek(-1).is("(") || s.peek(-1).is(",") || s.peek(-1).is("{") || s.peek(-1).is("*") || s.peek(-1).is("...")):
			names = append(names, t.text)
		}
	}
	return names
}

// tuple reads an expression, or several that Python makes a tuple of.
func (s *scriptReader) tuple() Value {
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

func (s *scriptReader) returned(v Value) {
	if s.function == "" {
		return
	}
	key := s.function + "()"
	old, ok := s.vars[key]
	if !ok {
		s.vars[key] = v
		return
	}
	if old.Text != v.Text || old.Known != v.Known {
		old.Text, old.Known = "", false
	}
	old.items = eachWith(old.items, v.items)
	s.vars[key] = old.with(v)
}

// eachWith joins the elements of two tuples that a function returns; of tuples
// that differ in length it is not known which element is which.
func eachWith(a, b []Value) []Value {
	if len(a) != len(b) || len(a) > 40 {
		return nil
	}
	out := make([]Value, len(a))
	for i := range a {
		out[i] = a[i].with(b[i])
	}
	return out
}

// assignment reads an expression and, where it is the target of one, what is
// assigned to it.
func (s *scriptReader) assignment() {
	from := s.i
	if s.destructured() {
		return
	}
	target := s.peek(0)
	v := s.expression()
	annotated := s.lang == Python && s.peek(0).is(":") && s.i-from == 1 || s.lang == JavaScript && s.peek(0).is(":") && s.peek(1).kind == tokenName
	if annotated {
		// A type stands between the name and its value.
		for n := 0; n < 30 && s.peek(0).kind != tokenLine && !s.peek(0).is("="); n++ {
			s.i++
		}
	}
	for {
		op := s.peek(0)
		if !op.is("=") && !op.is("+=") && !op.is("|=") && !op.is("??=") && !op.is("||=") && !op.is(":=") {
			return
		}
		s.i++
		s.skipLines()
		width := s.i
		value := s.expression()
		if s.i == width {
			return
		}
		if op.is("+=") && v.Text+value.Text != "" {
			value = join("", v, value)
		}
		if target.kind != tokenName {
			return
		}
		switch {
		case width-from == 2 || annotated:
			if value.ref != "" && value.ref == target.text {
				continue
			}
			s.assignName(target.text, value)
		default:
			// A field or element was set: the whole carries it.
			s.carry(target.text, value)
			if ref := v.ref; ref != "" && strings.HasPrefix(ref, target.text) {
				s.vars[ref] = value
			}
		}
		// Only a chain a = b = c goes on.
		target = token{}
	}
}

// destructured reads const {a, b: c} = value and a, b = value.
func (s *scriptReader) destructured() bool {
	start := s.i
	closing := ""
	switch {
	case s.peek(0).is("{") && s.lang == JavaScript && (s.peek(-1).named("const") || s.peek(-1).named("let") || s.peek(-1).named("var")):
		closing = "}"
	case s.peek(0).is("[") && (s.peek(-1).named("const") || s.peek(-1).named("let")):
		closing = "]"
	case s.lang == Python && s.peek(0).kind == tokenName && s.peek(1).is(","):
	default:
		return false
	}
	var names, members []string
	for n := 0; n < 60; n++ {
		t := s.peek(0)
		switch {
		case closing != "" && t.is(closing), closing == "" && t.is("="):
			if closing != "" {
				s.i++
			}
			if !s.accept("=") {
				s.i = start
				return false
			}
			s.bind(names, members, s.expression(), closing)
			return true
		case t.kind == tokenName && s.peek(1).is(":") && s.peek(2).kind == tokenName:
			names, members = append(names, s.peek(2).text), append(members, t.text)
			s.i += 2
		case t.kind == tokenName:
			names, members = append(names, t.text), append(members, t.text)
		case t.is("{") || t.is(",") || t.is("[") || t.is("...") || t.is("(") || t.is(")") || t.kind == tokenLine && closing != "":
		default:
			s.i = start
			return false
		}
		s.i++
	}
	s.i = start
	return false
}

func (s *scriptReader) bind(names, members []string, v Value, closing string) {
	for i, name := range names {
		part := mixed(v)
		switch {
		case closing == "}" && v.ref != "":
			part = s.member(v, members[i])
		case closing == "}":
			part = part.picked()
		case closing != "}" && len(v.items) == len(names):
			part = v.items[i]
		}
		s.assignName(name, part)
	}
}

// assignName gives a variable a value. A second value for a name joins what
// either is made of, as no branch is known to be the one that is taken.
func (s *scriptReader) assignName(name string, v Value) {
	old, ok := s.vars[name]
	if ok && old.ref == "" {
		v = v.with(Value{Origin: old.Origin, Names: old.Names})
	}
	s.vars[name] = v
}

// carry adds what v is made of to the variable name.
func (s *scriptReader) carry(name string, v Value) {
	if v.Origin == 0 {
		return
	}
	old, ok := s.vars[name]
	if !ok {
		old = Value{ref: name}
	}
	s.vars[name] = old.with(v)
}
