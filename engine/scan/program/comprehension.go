package program

import "strings"

// comprehension reads "for x in xs if c" behind an element that was read before
// x was known, and evaluates the element for each where that can be done.
func (s *expressionReader) comprehension(element Value) Value {
	end := s.i
	start := s.opening(end)
	s.i++
	s.loop()
	iterated := s.vars[s.tokens[min(end+1, len(s.tokens)-1)].text]
	for s.peek(0).named("if") {
		s.i++
		element = element.with(mixed(s.operand()))
		for s.peek(0).kind == tokenOperator && strings.Contains(" + - * == != > < <= >= % ", " "+s.peek(0).text+" ") {
			s.i++
			s.operand()
		}
	}
	after := s.i
	name := s.tokens[min(end+1, len(s.tokens)-1)].text
	if start < 0 || len(iterated.items) == 0 || iterated.ref != "element" || !s.silent && s.budget < 0 {
		return element.with(mixed(iterated))
	}
	out := mixed(iterated)
	silent := s.silent
	s.silent = true
	for _, item := range iterated.items {
		if s.budget <= 0 {
			break
		}
		s.vars[name] = item
		s.i = start
		out.items = append(out.items, s.operandChain(end))
	}
	s.silent = silent
	s.i = after
	s.vars[name] = iterated
	return out
}

// operandChain evaluates the tokens up to end as one element.
func (s *expressionReader) operandChain(end int) Value {
	v := s.operand()
	for s.i < end && s.peek(0).kind == tokenOperator {
		op := s.peek(0).text
		s.i++
		w := s.operand()
		v = arithmeticOf(op, v, w)
	}
	return v
}

// opening returns the index behind the bracket that is open before index end, or
// -1.
func (s *cursor) opening(end int) int {
	depth := 0
	for i := end - 1; i >= 0 && end-i < 60; i-- {
		switch t := s.tokens[i]; {
		case t.is(")") || t.is("]") || t.is("}"):
			depth++
		case t.is("(") || t.is("[") || t.is("{"):
			if depth == 0 {
				return i + 1
			}
			depth--
		}
	}
	return -1
}

func (s *cursor) wasComprehension(from int) bool {
	for i := from; i < s.i && i < from+60; i++ {
		if s.tokens[i].named("for") {
			return true
		}
	}
	return false
}
