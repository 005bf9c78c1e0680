package program

import "strings"

// postfix reads the members, elements and calls after an operand. base is the
// variable at its beginning, if it began with one.
func (s *expressionReader) postfix(v Value, base string) Value {
	for s.i < len(s.tokens) && s.budget > 0 {
		t := s.tokens[s.i]
		switch {
		case t.is(".") || t.is("?."):
			s.i++
			next := s.peek(0)
			switch {
			case next.kind == tokenName:
				s.i++
				if s.peek(0).is("(") || s.peek(0).is("?.") && s.peek(1).is("(") {
					v = s.method(v, next.text, base)
				} else {
					v = s.member(v, next.text)
				}
			case next.is("[") || next.is("("):
			default:
				return v
			}
		case t.is("["):
			v = s.index(v)
		case t.is("("):
			s.i++
			from := s.i
			if networkRef(v.ref) {
				s.receivers(from)
			}
			called := v
			called.items = nil
			v = s.apply(v.ref, called.unlessRef(), s.arguments(), from)
		case t.is("!") && (s.peek(1).is(".") || s.peek(1).is("[")):
			s.i++
		default:
			return v
		}
		s.budget--
	}
	return v
}

// member returns the field name of v.
func (s *scope) member(v Value, name string) Value {
	v = v.picked()
	if v.ref == "" {
		return mixed(v)
	}
	if strings.HasSuffix(name, "__dict__") {
		return v
	}
	ref := plainRef(v.ref + "." + name)
	if set, ok := s.vars[ref]; ok {
		return set
	}
	switch {
	case ref == "sys.executable":
		return known("python3")
	case ref == "process.execPath":
		return known("node")
	case ref == "open().name" && len(v.items) == 1:
		return v.items[0]
	}
	return s.refValue(ref, v)
}

// refValue returns the value of the dotted name ref.
func (s *scope) refValue(ref string, of Value) Value {
	if len(ref) > 300 {
		return mixed(of)
	}
	if environmentRef(ref) {
		out := Value{ref: ref}
		return out.from(Environment, "environment")
	}
	if dot := strings.LastIndexByte(ref, '.'); dot > 0 && environmentRef(ref[:dot]) {
		return variable(ref[dot+1:])
	}
	if v := imported(ref); v.Origin != 0 {
		return v
	}
	out := mixed(Value{Origin: of.Origin &^ Environment, Names: of.Names, Disguised: of.Disguised, Logins: of.Logins})
	out.ref = ref
	return out
}

func environmentRef(ref string) bool {
	switch ref {
	case "os.environ", "os.environb", "process.env", "Deno.env", "Bun.env", "import.meta.env", "posix.environ":
		return true
	}
	return false
}

// imported returns the value that a module has under the name ref: data from the caller
// of the program, or data of a request to a server, by the names that the servers of
// both languages use.
func imported(ref string) Value {
	v := Value{ref: ref}
	switch ref {
	case "sys.argv", "sys.stdin", "process.argv", "process.stdin", "Deno.args", "Bun.argv":
		v.Origin = Handed
	case "self.rfile", "flask.request", "bottle.request", "req.body", "req.query", "ctx.request.body":
		v = v.from(Fetched, Request)
	}
	return v
}

// plainRef drops prefixes that only name the global scope.
func plainRef(ref string) string {
	for _, p := range []string{"__builtins__.", "builtins.", "globalThis.", "window.", "global.", "self.window.", "unsafeWindow.", "root."} {
		ref = strings.TrimPrefix(ref, p)
	}
	return strings.TrimPrefix(ref, "sys.modules.")
}

// index reads v[...]: an element, a slice, or a member by a name that was put
// together.
func (s *expressionReader) index(v Value) Value {
	s.i++
	s.skipLines()
	if s.peek(0).is(":") && s.peek(1).is(":") && s.peek(2).is("-") && s.peek(3).text == "1" {
		s.i += 4
		s.accept("]")
		return reversed(v)
	}
	key := s.expression()
	sliced := false
	for n := 0; n < 40 && s.i < len(s.tokens)-1 && !s.peek(0).is("]"); n++ {
		sliced = true
		before := s.i
		s.expression()
		if s.i == before {
			s.i++
		}
	}
	s.accept("]")
	if !sliced {
		v = v.picked()
	}
	switch {
	case sliced:
		return mixed(v)
	case v.ref != "" && key.Known:
		if _, isNumber := whole(key.Text); isNumber {
			return mixed(v).named(v.ref)
		}
		out := s.member(v, key.Text)
		out.Disguised = out.Disguised || key.Disguised
		return out
	case v.items != nil && key.Known:
		if n, ok := whole(key.Text); ok && n >= 0 && n < len(v.items) {
			return v.items[n]
		}
		for _, item := range v.items {
			if item.Key != "" && item.Key == key.Text {
				return item
			}
		}
	case v.Known && key.Known:
		if n, ok := whole(key.Text); ok && n >= 0 && n < len(v.Text) {
			out := known(v.Text[n : n+1]).with(v)
			out.Disguised = true
			return out
		}
	case environmentRef(v.ref):
		return mixed().from(Secret, "environment")
	}
	out := mixed(v, key)
	if v.ref != "" && key.Text == "" {
		out.ref = v.ref + ".…"
	}
	return out
}

func (v Value) named(ref string) Value {
	v.ref = ref
	return v
}

func reversed(v Value) Value {
	if v.items != nil {
		out := mixed(v)
		out.items = make([]Value, len(v.items))
		for i, item := range v.items {
			out.items[len(v.items)-1-i] = item
		}
		return out
	}
	out := decode(v, decodeReverse)
	out.Disguised = out.Disguised || v.Known && len(v.Text) > 3
	return out
}
