package program

import "strings"

// assignment reads an expression. If the expression is the target of an
// assignment, it also reads the assigned value.
func (s *scriptReader) assignment() {
	from := s.i
	if s.destructured() {
		return
	}
	target := s.peek(0)
	v := s.expression()
	annotated := s.lang == Python && s.peek(0).is(":") && s.i-from == 1 || s.lang == JavaScript && s.peek(0).is(":") && s.peek(1).kind == tokenName
	if annotated {
		// Skip the type annotation between the name and its value.
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

// assignName gives a variable a value. A second value for a name keeps the origins
// of both, as the reader does not know which branch is taken.
func (s *scope) assignName(name string, v Value) {
	old, ok := s.vars[name]
	if ok && old.ref == "" {
		v = v.with(Value{Origin: old.Origin, Names: old.Names})
	}
	s.vars[name] = v
}

// carry adds the origins of v to the variable name.
func (s *scope) carry(name string, v Value) {
	if v.Origin == 0 {
		return
	}
	old, ok := s.vars[name]
	if !ok {
		old = Value{ref: name}
	}
	s.vars[name] = old.with(v)
}
