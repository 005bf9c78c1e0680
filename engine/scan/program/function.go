package program

// definition reads the head of a function and leaves its body to the steps that
// follow. The statements of the body count wherever the function is called.
func (s *expressionReader) definition() {
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
func (s *cursor) parameters() []string {
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

func (s *scope) returned(v Value) {
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
