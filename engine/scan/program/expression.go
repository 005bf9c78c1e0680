package program

import "strings"

// expression reads one expression and returns its value. Operators have no
// precedence here: it matters only which values are joined.
func (s *expressionReader) expression() Value {
	if s.depth >= maxExpression || s.budget <= 0 {
		return Value{}
	}
	s.depth++
	s.budget--
	defer func() { s.depth-- }()
	v := s.operand()
	for s.i < len(s.tokens) {
		t := s.tokens[s.i]
		switch {
		case t.is("+"):
			s.i++
			s.skipLines()
			v = arithmeticOf("+", v, s.operand())
		case t.is("/") && s.lang == Python:
			s.i++
			v = join("/", v, s.operand())
		case t.is("%") && s.lang == Python:
			s.i++
			v = formatted(v, s.operand())
		case t.is(",") && s.lang == JavaScript && s.peek(1).kind == tokenName && s.peek(2).is(")") && s.peek(3).is("("):
			// (0, eval)(...) is eval(...).
			s.i++
			v = s.operand()
		case t.kind == tokenOperator && strings.Contains(" - * ** // @ == != === !== < > <= >= & && | || ?? ^ << >> ? := => ", " "+t.text+" "):
			s.i++
			s.skipLines()
			if t.text == "=>" {
				return s.arrow()
			}
			w := s.operand()
			if t.text == "||" || t.text == "??" {
				v = either(v, w)
			} else {
				v = arithmeticOf(t.text, v, w)
			}
		case t.named("or"):
			s.i++
			v = either(v, s.operand())
		case t.named("and"), t.named("in") && s.lang == Python && s.depth > 2, t.named("is"), t.named("not"), t.named("instanceof"):
			s.i++
			v = mixed(v, s.operand())
		case t.named("if"), t.named("else"):
			if s.lang == JavaScript {
				return v
			}
			s.i++
			v = either(v, s.operand())
		case t.named("for") && s.lang == Python && s.depth > 1:
			v = s.comprehension(v)
		case t.named("async") && s.peek(1).named("for"):
			s.i++
		case t.kind == tokenString || t.kind == tokenTemplate:
			if s.i > 0 && (s.tokens[s.i-1].kind == tokenString || s.tokens[s.i-1].kind == tokenTemplate) {
				v = joined(v, s.operand())
				continue
			}
			return v
		case t.kind == tokenLine && s.lang == JavaScript && (s.peek(1).is(".") || s.peek(1).is("?.") || s.peek(1).is("+")):
			s.i++
			if !s.peek(0).is("+") {
				v = s.postfix(v, "")
			}
		default:
			return v
		}
	}
	return v
}

// arrow reads the body of an arrow function and returns its result.
func (s *expressionReader) arrow() Value {
	if s.peek(0).is("{") {
		s.block()
		return Value{}
	}
	target := s.peek(0)
	start := s.i
	v := s.expression()
	if op := s.peek(0); target.kind == tokenName && s.i == start+1 && (op.is("=") || op.is("+=")) {
		s.i++
		v = mixed(v, s.expression())
		s.assignName(target.text, v)
	}
	return v
}
