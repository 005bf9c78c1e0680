package program

import "strings"

// expression reads one expression and returns what it is worth. Operators have
// no precedence here: what matters is what is joined with what.
func (s *scriptReader) expression() Value {
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

// arrow reads the body of an arrow function, and is worth what it returns.
func (s *scriptReader) arrow() Value {
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

// joined is a sum; pieces of fewer letters than a word are a disguise.
func joined(a, b Value) Value {
	if a.items != nil && b.items != nil {
		out := mixed(a, b)
		out.items = append(append([]Value{}, a.items...), b.items...)
		out.items = out.items[:min(len(out.items), maxItems)]
		return out
	}
	out := join("", a, b)
	out.Disguised = out.Disguised || brokenWord(a.Text, b.Text) && a.Known && b.Known
	return out
}

// brokenWord reports whether a sum of constants tears a word apart.
func brokenWord(a, b string) bool {
	if a == "" || b == "" || !letter(rune(a[len(a)-1])) || !letter(rune(b[0])) {
		return false
	}
	tail, head := 0, 0
	for i := len(a) - 1; i >= 0 && letter(rune(a[i])); i-- {
		tail++
	}
	for i := 0; i < len(b) && letter(rune(b[i])); i++ {
		head++
	}
	return tail+head <= 10
}

// either is one of two values: what is known of the first, made of both.
func either(a, b Value) Value {
	if a.Text == "" {
		return b.with(a)
	}
	return a.with(b)
}

// formatted fills a %-format.
func formatted(format, args Value) Value {
	if !strings.Contains(format.Text, "%s") {
		return mixed(format, args)
	}
	items := args.items
	if items == nil {
		items = []Value{args}
	}
	pieces := strings.Split(format.Text, "%s")
	out := []Value{known(pieces[0])}
	for i, p := range pieces[1:] {
		part := Value{}
		if i < len(items) {
			part = items[i]
		}
		out = append(out, part, known(p))
	}
	return join("", out...).with(format)
}

// comprehension reads "for x in xs if c" behind an element that was read before
// x was known, and evaluates the element for each where that can be done.
func (s *scriptReader) comprehension(element Value) Value {
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
func (s *scriptReader) operandChain(end int) Value {
	v := s.operand()
	for s.i < end && s.peek(0).kind == tokenOperator {
		op := s.peek(0).text
		s.i++
		w := s.operand()
		v = arithmeticOf(op, v, w)
	}
	return v
}

// arithmeticOf computes with whole numbers, as decoders do.
func arithmeticOf(op string, a, b Value) Value {
	x, ok1 := whole(a.Text)
	y, ok2 := whole(b.Text)
	if !ok1 || !ok2 || !a.number || !b.number {
		if op == "+" {
			return joined(a, b)
		}
		return mixed(a, b)
	}
	switch op {
	case "+":
		x += y
	case "-":
		x -= y
	case "^":
		x ^= y
	case "*":
		x *= y
	default:
		return mixed(a, b)
	}
	return numberValue(x)
}

// opening returns the index behind the bracket that is open before index end, or
// -1.
func (s *scriptReader) opening(end int) int {
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

// operand reads one operand with what is called on it.
func (s *scriptReader) operand() Value {
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

func (s *scriptReader) nameOperand(t token) Value {
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

func (s *scriptReader) bracketOperand(t token) Value {
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
func (s *scriptReader) bracketed(closing string, list bool) Value {
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

func (s *scriptReader) wasComprehension(from int) bool {
	for i := from; i < s.i && i < from+60; i++ {
		if s.tokens[i].named("for") {
			return true
		}
	}
	return false
}

// objectFollows tells an object from a block.
func (s *scriptReader) objectFollows() bool {
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
func (s *scriptReader) object() Value {
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

// block reads statements to the bracket that closes it.
func (s *scriptReader) block() {
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

// template reads the expressions in the braces of a Python f-string.
func (s *scriptReader) template(t token) Value {
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
func (s *scriptReader) embedded(text string) Value {
	if len(text) > s.nested || len(text) > 4096 {
		return Value{}
	}
	s.nested -= len(text)
	inner := &scriptReader{reader: s.reader, tokens: lexPython(text), lang: Python, depth: s.depth + 10, params: s.params, budget: 40*len(text) + 100, function: s.function, embeddedText: true}
	return inner.expression()
}
