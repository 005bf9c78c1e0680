package program

import "strings"

// template reads the expressions in the braces of a Python f-string.
func (s *expressionReader) template(t token) Value {
	if s.lang != Python || s.depth > maxExpression-20 {
		return Value{Text: t.text}
	}
	var parts []Value
	rest := t.text
	for len(parts) < 200 {
		i := strings.IndexByte(rest, '{')
		if i < 0 {
			parts = append(parts, known(rest))
			break
		}
		if strings.HasPrefix(rest[i:], "{{") {
			parts = append(parts, known(rest[:i+1]))
			rest = rest[i+2:]
			continue
		}
		parts = append(parts, known(rest[:i]))
		end := closingBrace(rest[i+1:])
		parts = append(parts, s.embedded(rest[i+1:i+1+end]))
		rest = rest[min(len(rest), i+2+end):]
	}
	out := join("", parts...)
	out.Disguised = out.Disguised || t.hid
	return out
}

func closingBrace(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{', '(', '[':
			depth++
		case ')', ']':
			depth--
		case '}':
			if depth <= 0 {
				return i
			}
			depth--
		}
	}
	return len(s)
}

// embedded evaluates an expression inside of a string.
func (s *expressionReader) embedded(text string) Value {
	if len(text) > s.nested || len(text) > 4096 {
		return Value{}
	}
	s.nested -= len(text)
	inner := newScriptReader(s.scope, lexPython(nil, text))
	inner.lang, inner.depth, inner.budget, inner.embeddedText = Python, s.depth+10, 40*len(text)+100, true
	return inner.expression()
}
