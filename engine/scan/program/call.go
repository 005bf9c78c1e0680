package program

import "strings"

// arguments reads call arguments behind the opening bracket.
func (s *expressionReader) arguments() []Value {
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
func (s *expressionReader) method(v Value, name, base string) Value {
	s.accept("?.")
	s.i++
	from := s.i
	if name == "map" && len(v.items) > 0 && s.lang == JavaScript {
		if out, ok := s.mapped(v); ok {
			return out
		}
	}
	if v.items != nil && s.peek(0).is(")") && (name == "items" || name == "values" || name == "entries") {
		s.i++
		return v
	}
	if s.lang == JavaScript && (v.items != nil || v.choices != nil) && eachMethod(name) {
		s.firstParameter(from, v.drawn())
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
func (s *scope) fill(base string, args []Value) {
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
func (s *expressionReader) mapped(v Value) (Value, bool) {
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

// pass assigns the arguments of a call to the parameters of the function name.
func (s *scope) pass(name string, args []Value) {
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

// receive sets a parameter's value, which is known only if every call passes the same value.
func (s *scope) receive(name string, v Value) {
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

// networkRef reports whether a JavaScript function passes the data it fetches to a
// callback among its arguments.
func networkRef(ref string) bool {
	switch ref {
	case "https.get", "http.get", "https.request", "http.request", "request", "request.get", "needle", "needle.get", "superagent.get", "axios.get", "$.get", "$.getJSON":
		return true
	}
	return false
}

// eachMethod reports whether a method of a list calls a function for each element.
func eachMethod(name string) bool {
	switch name {
	case "forEach", "map", "flatMap", "filter", "some", "every", "find":
		return true
	}
	return false
}

// firstParameter assigns v to the first parameter of the function at token index from.
func (s *expressionReader) firstParameter(from int, v Value) {
	i := from
	if i < len(s.tokens) && s.tokens[i].named("async") {
		i++
	}
	function := i < len(s.tokens) && s.tokens[i].named("function")
	if function {
		i++
	}
	if i < len(s.tokens) && s.tokens[i].is("(") {
		i++
	} else if function || i+1 >= len(s.tokens) || !s.tokens[i+1].is("=>") {
		return
	}
	if i < len(s.tokens) && s.tokens[i].kind == tokenName {
		v.ref, v.items = "", nil
		s.assignName(s.tokens[i].text, v)
	}
}

// receivers assigns the answer of a server to the parameters of the first function
// among the arguments that begin at index from.
func (s *expressionReader) receivers(from int) {
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
