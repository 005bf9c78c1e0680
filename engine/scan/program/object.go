package program

import "strings"

// objectFollows tells an object from a block.
func (s *cursor) objectFollows() bool {
	i := s.i + 1
	for i < len(s.tokens)-1 && s.tokens[i].kind == tokenLine {
		i++
	}
	if i+1 >= len(s.tokens) {
		return false
	}
	a, b := s.tokens[i], s.tokens[i+1]
	return a.is("}") || a.is("...") || a.is("[") || (a.kind == tokenName || a.kind == tokenString || a.kind == tokenNumber) && (b.is(":") || b.is(",") || b.is("}"))
}

// object reads the fields of an object or dict.
func (s *expressionReader) object() Value {
	out := Value{items: []Value{}}
	for s.i < len(s.tokens) && s.budget > 0 {
		s.skipLines()
		if s.accept("}") {
			break
		}
		if s.accept(",") {
			continue
		}
		before := s.i
		key := s.peek(0)
		v := s.expression()
		if s.accept(":") {
			s.skipLines()
			v = s.expression()
		} else if s.peek(0).is("{") && s.lang == JavaScript {
			s.block()
		}
		if s.i == before {
			if t := s.peek(0); t.is(")") || t.is("]") || s.i >= len(s.tokens)-1 {
				break
			}
			s.i++
			continue
		}
		if s.peek(0).named("for") && s.lang == Python {
			v = s.comprehension(v)
		}
		v.Key = key.text
		if loginKey(key.text) {
			v.Login = true
		}
		if len(out.items) < maxItems {
			out.items = append(out.items, v)
		}
		if v.Login {
			out.Logins = addNames(out.Logins, v.Names)
			v = v.only(v.Origin &^ Secret)
		}
		out = out.with(v)
	}
	return out
}

// loginKey reports whether a field of a request is where a login belongs.
func loginKey(key string) bool {
	key = strings.ToLower(key)
	return key == "headers" || key == "authorization" || key == "auth" || key == "cookies" || strings.HasPrefix(key, "x-") || key == "api-key" || key == "apikey" || key == "cookie" || key == "api_key" || key == "bearer" || key == "proxy-authorization"
}

// statements reads a block to the bracket that closes it.
func (s *scriptReader) statements() {
	if !s.accept("{") {
		return
	}
	for s.i < len(s.tokens)-1 && s.budget > 0 {
		if s.accept("}") {
			return
		}
		s.step()
	}
}
