package program

import "strings"

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
		from := s.i
		module := s.dotted()
		s.imports(module, from)
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

func (s *cursor) dotted() string {
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
	from := s.i
	module := s.dotted()
	if !s.peek(0).named("import") {
		return
	}
	s.imports(module, from)
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
			s.vars[s.peek(1).text] = imported(module + "." + name)
			s.i += 2
		} else {
			s.vars[name] = imported(module + "." + name)
		}
		if !s.accept(",") {
			s.skipIfBracketed()
			s.accept(")")
			return
		}
	}
}

func (s *cursor) skipIfBracketed() {
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
				s.vars[b.name] = imported(ref)
			}
			s.imports(t.text, s.i)
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

// imports reports that the module is loaded whose name begins at the token from.
func (s *expressionReader) imports(name string, from int) {
	if s.silent || len(s.out.Imports) >= maxItems || name == "" || name[0] == '.' || from >= len(s.tokens) {
		return
	}
	for i := from - 1; s.lang == Python && i > 0 && i > from-8 && s.tokens[i].kind != tokenLine; i-- {
		if s.tokens[i].is(".") && s.tokens[i-1].named("from") {
			return // a module beside the program: from .a import b
		}
	}
	in := Import{At: s.at, End: s.end, Language: s.lang, Name: name}
	if s.reader.depth == 0 && !s.embeddedText {
		in.At, in.End = s.tokens[from].at, s.tokens[min(max(from+1, s.i), len(s.tokens))-1].end
	}
	s.out.Imports = append(s.out.Imports, in)
}

// module returns the name of a module without its scheme.
func module(name string) string { return strings.TrimPrefix(name, "node:") }
