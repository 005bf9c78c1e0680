package program

import "strings"

// operand reads one operand with the members and calls that follow it.
func (s *expressionReader) operand() Value {
	s.budget--
	if s.i >= len(s.tokens) || s.depth >= maxExpression || s.budget <= 0 {
		return Value{}
	}
	s.depth++
	defer func() { s.depth-- }()
	t := s.tokens[s.i]
	switch t.kind {
	case tokenString:
		s.i++
		v := known(t.text)
		v.Disguised = t.hid
		return s.postfix(v, "")
	case tokenTemplate:
		s.i++
		return s.postfix(s.template(t), "")
	case tokenNumber:
		s.i++
		v := known(t.text)
		v.number = true
		return s.postfix(v, "")
	case tokenName:
		return s.nameOperand(t)
	case tokenOperator:
		return s.bracketOperand(t)
	}
	return Value{}
}

func (s *expressionReader) nameOperand(t token) Value {
	switch t.text {
	case "await", "not", "new", "typeof", "void", "yield", "async", "delete":
		s.i++
		if t.text == "async" && s.peek(0).named("function") {
			return s.nameOperand(s.peek(0))
		}
		return s.operand()
	case "function":
		s.definition()
		if s.peek(0).is("{") {
			s.block()
		}
		return s.postfix(Value{}, "")
	case "lambda":
		s.i++
		for n := 0; n < 40 && !s.peek(0).is(":") && s.peek(0).kind != tokenLine; n++ {
			s.i++
		}
		s.accept(":")
		return s.expression()
	case "for", "if", "else", "in", "of", "return", "import":
		if t.text == "import" && s.peek(1).is("(") {
			break
		}
		return Value{}
	}
	s.i++
	v, ok := s.vars[t.text]
	if !ok {
		v = Value{ref: t.text}
	} else if v.ref == "element" {
		v.items, v.ref = nil, ""
	}
	return s.postfix(v, t.text)
}

func (s *expressionReader) bracketOperand(t token) Value {
	switch t.text {
	case "(":
		s.i++
		v := s.bracketed(")", false)
		if len(v.items) == 1 && v.Key != "tuple" {
			v = v.items[0]
		}
		return s.postfix(v, "")
	case "[":
		s.i++
		return s.postfix(s.bracketed("]", true), "")
	case "{":
		if s.lang == Python || s.objectFollows() {
			s.i++
			return s.postfix(s.object(), "")
		}
		s.block()
		return Value{}
	case "-", "+", "!", "~", "*", "**", "...", "++", "--", "@":
		s.i++
		v := s.operand()
		if t.text == "-" && v.Known {
			v.Text = "-" + v.Text
		}
		return v
	}
	return Value{}
}

// bracketed reads elements up to closing.
func (s *expressionReader) bracketed(closing string, list bool) Value {
	out := Value{}
	for s.i < len(s.tokens) && s.budget > 0 {
		s.skipLines()
		if s.accept(closing) {
			break
		}
		if s.accept(",") {
			out.Key = "tuple"
			continue
		}
		before := s.i
		v := s.expression()
		if v.ref == "element" {
			v.ref = ""
		}
		if list && v.items != nil && s.i > before && s.peek(0).is(closing) && len(out.items) == 0 && s.wasComprehension(before) {
			out = v
			continue
		}
		if s.i == before {
			if s.peek(0).kind == tokenOperator && strings.Contains(")]}", s.peek(0).text) || s.i >= len(s.tokens)-1 {
				break
			}
			s.i++
			continue
		}
		if len(out.items) < maxItems {
			out.items = append(out.items, v)
		}
		out = out.with(v)
	}
	if out.items == nil && list {
		out.items = []Value{}
	}
	return out
}
