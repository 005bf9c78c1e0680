package program

import "strings"

// postfix reads what follows an operand: members, elements and calls. base is
// the variable that it began with, if it was one.
func (s *scriptReader) postfix(v Value, base string) Value {
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

// member is a field of v.
func (s *scriptReader) member(v Value, name string) Value {
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
	return s.refValue(ref, v)
}

// refValue is what the dotted name stands for.
func (s *scriptReader) refValue(ref string, of Value) Value {
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

// plainRef drops what only says where a global stands.
func plainRef(ref string) string {
	for _, p := range []string{"__builtins__.", "builtins.", "globalThis.", "window.", "global.", "self.window.", "unsafeWindow.", "root."} {
		ref = strings.TrimPrefix(ref, p)
	}
	return strings.TrimPrefix(ref, "sys.modules.")
}

// index reads v[...]: an element, a slice, or a member by a name that was put
// together.
func (s *scriptReader) index(v Value) Value {
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

// arguments reads call arguments behind the opening bracket.
func (s *scriptReader) arguments() []Value {
	var args []Value
	for s.i < len(s.tokens) && s.budget > 0 {
		s.skipLines()
		if s.accept(")") {
			break
		}
		if s.accept(",") {
			continue
		}
		key := ""
		if s.lang == Python && s.peek(0).kind == tokenName && s.peek(1).is("=") {
			key = s.peek(0).text
			s.i += 2
			s.skipLines()
		}
		before := s.i
		v := s.expression()
		if v.ref == "element" {
			v.ref = ""
		}
		if s.i == before && key == "" {
			if t := s.peek(0); t.is("]") || t.is("}") || s.i >= len(s.tokens)-1 {
				break
			}
			s.i++
			continue
		}
		if key != "" {
			v.Key = key
		} else if v.items == nil {
			v.Key = ""
		}
		if len(args) < 200 {
			args = append(args, v)
		}
	}
	return args
}

// method calls v.name(...).
func (s *scriptReader) method(v Value, name, base string) Value {
	s.accept("?.")
	s.i++
	from := s.i
	if name == "map" && len(v.items) > 0 && s.lang == JavaScript {
		if out, ok := s.mapped(v); ok {
			return out
		}
	}
	if v.Has(Fetched) || networkRef(v.ref+"."+name) {
		s.receivers(from)
	}
	args := s.arguments()
	if name == "get" || name == "match" || name == "exec" || name == "search" {
		v = v.picked()
	}
	if v.ref != "" {
		ref := plainRef(v.ref + "." + name)
		out := s.apply(ref, v, args, from)
		s.fill(base, args)
		return out
	}
	if out, ok := s.textMethod(v, name, args); ok {
		return out
	}
	if out, ok := s.vars[name+"()"]; ok && s.params[name] != nil {
		s.pass(name, args)
		return out.with(args...).with(v)
	}
	s.fill(base, args)
	return mixed(v).with(args...)
}

// fill adds arguments to the variable that a method was called on, as
// list.append and dict.update do. Headers are logins and no payload.
func (s *scriptReader) fill(base string, args []Value) {
	old, ok := s.vars[base]
	if !ok || old.ref != "" && !strings.Contains(old.ref, "()") {
		return
	}
	for _, a := range args {
		if a.Origin != 0 && !a.Login {
			s.carry(base, Value{Origin: a.Origin, Names: a.Names})
		}
	}
}

// mapped evaluates items.map(x => ...) for each item.
func (s *scriptReader) mapped(v Value) (Value, bool) {
	start := s.i
	bracket := s.accept("(")
	name := s.peek(0)
	if name.kind != tokenName {
		s.i = start
		return Value{}, false
	}
	s.i++
	if bracket {
		for n := 0; n < 6 && !s.peek(0).is(")"); n++ {
			s.i++
		}
		s.accept(")")
	}
	if !s.accept("=>") || s.peek(0).is("{") {
		s.i = start
		return Value{}, false
	}
	body := s.i
	out := mixed(v)
	silent := s.silent
	for _, item := range v.items {
		if s.budget <= 0 {
			break
		}
		s.vars[name.text] = item
		s.i = body
		w := s.operand()
		for s.peek(0).kind == tokenOperator && strings.Contains(" + - ^ * ", " "+s.peek(0).text+" ") {
			op := s.peek(0).text
			s.i++
			w = arithmeticOf(op, w, s.operand())
		}
		out.items = append(out.items, w)
		s.silent = true
	}
	s.silent = silent
	s.accept(")")
	return out, true
}

// pass gives the parameters of a function what it is called with.
func (s *scriptReader) pass(name string, args []Value) {
	params := s.params[name]
	if len(params) > 0 && (params[0] == "self" || params[0] == "cls") {
		params = params[1:]
	}
	for i, a := range args {
		switch {
		case a.Key != "" && a.items == nil && contains(params, a.Key):
			s.receive(a.Key, a)
		case i < len(params):
			s.receive(params[i], a)
		}
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// receive is a parameter's value: known if every call passes the same.
func (s *scriptReader) receive(name string, v Value) {
	v.Key = ""
	old, ok := s.vars[name]
	if ok && (old.Text != v.Text || old.ref != v.ref) && old.ref != name {
		v.Text, v.Known, v.ref, v.items = "", false, "", nil
		v = v.with(old)
	}
	s.vars[name] = v
}

func (v Value) unlessRef() Value {
	if v.ref != "" {
		return Value{}
	}
	return v
}

// networkRef reports whether a JavaScript function hands what it fetches to a
// function among its arguments.
func networkRef(ref string) bool {
	switch ref {
	case "https.get", "http.get", "https.request", "http.request", "request", "request.get", "needle", "needle.get", "superagent.get", "axios.get", "$.get", "$.getJSON":
		return true
	}
	return false
}

// receivers gives the parameters of the first function among the arguments that
// begin at index from what a server answered.
func (s *scriptReader) receivers(from int) {
	if s.lang != JavaScript {
		return
	}
	for i := from; i < len(s.tokens) && i < from+80; i++ {
		t := s.tokens[i]
		var start int
		switch {
		case t.is("=>") && s.tokens[i-1].kind == tokenName:
			start = i - 1
		case t.is("=>"), t.named("function"):
			for start = i - 1; t.is("=>") && start > from && !s.tokens[start].is("("); start-- {
			}
			if t.named("function") {
				start = i + 1
			}
		case t.kind == tokenLine && t.end > t.at && i > from+40:
			return
		default:
			continue
		}
		for j := max(start, 0); j < len(s.tokens) && j < start+8 && !s.tokens[j].is(")") && !s.tokens[j].is("=>"); j++ {
			if s.tokens[j].kind == tokenName && !s.tokens[j].named("function") {
				s.carry(s.tokens[j].text, Value{Origin: Fetched})
			}
		}
		return
	}
}
