package program

import "strings"

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

// loop assigns the origins of the iterated value to the target of a loop.
func (s *expressionReader) loop() {
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

// drawn returns an unknown element of v.
func (v Value) drawn() Value {
	if len(v.items) > 0 {
		out := mixed(v.items...).with(v)
		out.items = v.items
		out.ref = "element"
		out.choices = leaves(v.items, nil)
		return out
	}
	out := mixed(v)
	switch {
	case v.choices != nil:
		out.choices = v.choices
	case strings.ContainsAny(v.Text, "/~*") && len(v.Text) <= maxChoice:
		// The files of a folder, or those that match a pattern.
		out.choices = []string{v.Text}
	}
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
